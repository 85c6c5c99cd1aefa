"""Scripts of Postman: the plain checks of a status, and values of variables, fixed or of an answer.

Only statements that always run are read: at the top, or in the function of a `pm.test`; and values that are
taken from an answer behind `if (pm.response.code === 200)`. What stands in any other `if`, a loop or any
other function is left out, as is what is not one of the few known sentences.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Literal

from loadrig.converters._pm_checks import asked_of_good, with_check
from loadrig.plan.requests import Expect, Extract

Runs = Literal["always", "good", "unsure"]
"""Answers after which a statement runs: all, those of a good status, or nobody knows which."""

MOST_LETTERS = 20_000
"""Letters of a script at most; a longer one is left out as a whole."""

_STRING = r"""(?:'[^'\n]*'|"[^"\n]*"|`[^`$]*`)"""
_QUOTED = re.compile(_STRING)
_FUNCTION = r"(?:async\s+)?(?:function\s*\w*\s*\(\s*\)|\(\s*\)\s*=>)"
_TEST = re.compile(rf"pm\.test\s*\(\s*{_STRING}\s*,\s*{_FUNCTION}")
_SHORT_TEST = re.compile(rf"pm\.test\s*\(\s*{_STRING}\s*,\s*\(\s*\)\s*=>\s*(.*)\)", re.DOTALL)
_CODE = r"pm\.expect\(\s*pm\.response\.code\s*\)\.to\."
_STATUS = re.compile(
    r"pm\.response\.to\.have\.status\(\s*([1-5]\d\d)\s*\)"
    rf"|{_CODE}(?:be\.)?(?:eql|equals?|eq)\(\s*([1-5]\d\d)\s*\)"
    rf"|{_CODE}be\.oneOf\(\s*\[((?:\s*[1-5]\d\d\s*,?)+)\]\s*\)"
    r"|pm\.expect\(\s*pm\.response\s*\)\.to\.have\.property\(\s*['\"]code['\"]\s*,\s*([1-5]\d\d)\s*\)"
    rf"|tests\[{_STRING}\]\s*=\s*\(?\s*responseCode\.code\s*===?\s*([1-5]\d\d)\s*\)?"
)
_IF = re.compile(r"if\s*\((.*)\)", re.DOTALL)

_CODE_ITSELF = re.compile(r"pm\.response\.code|responseCode\.code")
_OK = re.compile(r"pm\.response\.to\.be\.ok")
"""Pattern of the check for a status of 200, and no other: newman lets neither 201 nor 204 pass."""

_JSON = r"(?:pm\.response\.json\(\s*\)|JSON\.parse\(\s*(?:responseBody|pm\.response\.text\(\s*\))\s*\))"
_DECLARED = re.compile(r"(?:(?:var|let|const)\s+)?(\w+)\s*=\s*(.+)", re.DOTALL)
_SET = re.compile(
    r"(?:pm\.(environment|collectionVariables|globals|variables)\.set"
    r"|postman\.set(Environment|Global)Variable)"
    rf"\(\s*({_STRING})\s*,\s*(.*?)\s*\)",
    re.DOTALL,
)
_OF_JSON = re.compile(rf"({_JSON}|\w+)((?:\s*\??\.\s*[A-Za-z_$][\w$]*|\[\s*(?:\d{{1,6}}|{_STRING})\s*\])*)")
_FIXED = re.compile(r"""'([^'\\\n]*)'|"([^"\\\n]*)"|`([^`\\$]*)`|(-?\d{1,15}(?:\.\d{1,9})?)""")
_WEAK = ("globals", "Global", "collectionVariables")
"""Kinds of variables that one of an environment hides."""

_LOCAL = "variables"
"""Kind of variables that nothing hides."""

_OF_HEADER = re.compile(rf"pm\.response\.headers\.get\(\s*({_STRING})\s*\)")
_STEP = re.compile(rf"\.\s*([A-Za-z_$][\w$]*)|\[\s*(\d+|{_STRING})\s*\]")
_TOKENS = re.compile(
    r"//[^\n]*|/\*(?:.*?\*/|.*)"
    r"""|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`"""
    r"|[{}()\[\];\n]|[^{}()\[\];\n'\"`/]+|.",
    re.DOTALL,
)
_GOES_ON = re.compile(r"(?:if|else|for|while|do|return)\b.*|.*[=,.+&|?:]", re.DOTALL)
"""Pattern of what goes on in the next line. After an `if` without braces that is so up to the semicolon."""

_CHAINED = re.compile(r"\s*\n\s*\.")
_CLOSERS = frozenset(")];, ")
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class FixedValue:
    """Value that a script gives to a variable. is_weak: whether a variable of an environment hides it."""

    text: str
    is_weak: bool


@dataclass(slots=True)
class ReadScript:
    """Parts of a script that a plan says. left_out: statements that it does not, as they begin.

    local: variables that the script sets for itself, which hide those of a data file. of_good: those that it
    takes only from answers of a good status. of_present: those that it takes only where an answer has them.
    """

    statuses: tuple[int, ...] = ()
    expect: Expect = field(default_factory=Expect)
    extracts: dict[str, Extract] = field(default_factory=dict)
    fixed: dict[str, FixedValue] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    local: set[str] = field(default_factory=set)
    of_good: list[str] = field(default_factory=list)
    of_present: list[str] = field(default_factory=list)


def read_script(text: str, *, has_answer: bool = True, answers: dict[str, str] | None = None) -> ReadScript:
    """Return what a script checks and sets in the plainest forms. has_answer: it runs after a request.

    answers: places in JSON that names of the script stand for, to which its own are added.
    """
    script = ReadScript()
    if len(text) > MOST_LETTERS:
        script.left_out.append(text[:80])
        return script
    answers = {} if answers is None else answers
    for statement, runs, title, asked in _statements(text, answers):
        if runs == "always" and _take_fixed(script, statement):
            continue
        if has_answer and runs == "always" and _take(script, answers, statement):
            continue
        if (
            has_answer
            and runs == "good"
            and _take_of_good(script, answers, _CHAINED.sub(".", statement), asked)
        ):
            continue
        if has_answer and runs == "always" and _take_check(script, answers, statement, title):
            continue
        script.left_out.append(" ".join(statement.split())[:80])
    return script


def _take_of_good(script: ReadScript, answers: dict[str, str], statement: str, asked: frozenset[str]) -> bool:
    """Take a value of a good answer. asked: places that have one. Return whether it could be taken."""
    before = dict(script.extracts)
    if not _take_value(script, answers, statement):
        return False
    if (assignment := _SET.fullmatch(statement)) is None:
        return True
    name = assignment[3][1:-1]
    if asked and script.extracts[name].json not in asked:
        script.extracts = before
        return False
    if asked:
        script.extracts[name] = replace(script.extracts[name], optional=True)
        script.of_present.append(name)
    else:
        script.of_good.append(name)
    return True


def _take_check(script: ReadScript, answers: Mapping[str, str], statement: str, title: str) -> bool:
    """Take a test of a value. title: of the function around it. Return whether it could be taken."""
    statement = _CHAINED.sub(".", statement)
    if short := _SHORT_TEST.fullmatch(statement):
        title, statement = _title_of(statement), short[1].strip()
    before = replace(script.expect, status=script.statuses)
    expect = with_check(before, statement, answers, title)
    if expect is None:
        return False
    script.expect, script.statuses = expect, expect.status
    return True


def _title_of(test: str) -> str:
    """Return the name of a test: the text that it begins with."""
    name = _QUOTED.search(test)
    return name[0][1:-1] if name else ""


def _take_fixed(script: ReadScript, statement: str) -> bool:
    """Take an assignment to a variable if its value is fixed. Return whether it is."""
    if (assignment := _SET.fullmatch(_CHAINED.sub(".", statement))) is None:
        return False
    name, is_weak = assignment[3][1:-1], (assignment[1] or assignment[2]) in _WEAK
    if assignment[1] == _LOCAL:
        script.local.add(name)
    fixed = _FIXED.fullmatch(assignment[4])
    before = script.fixed.get(name)
    if is_weak and before is not None and not before.is_weak:
        return fixed is not None
    # What was assigned before counts no more, whatever comes in its place.
    script.fixed.pop(name, None)
    script.extracts.pop(name, None)
    if fixed is None:
        return False
    text = next(part for part in fixed.groups() if part is not None)
    script.fixed[name] = FixedValue(text, is_weak)
    return True


def _take(script: ReadScript, answers: dict[str, str], statement: str) -> bool:
    """Take a statement into what a plan says. Return whether it could be."""
    statement = _CHAINED.sub(".", statement)
    if short := _SHORT_TEST.fullmatch(statement):
        statement = short[1].strip()
    if status := _STATUS.fullmatch(statement):
        numbers = next(group for group in status.groups() if group)
        script.statuses = tuple(dict.fromkeys(int(number) for number in re.findall(r"\d+", numbers)))
        return True
    if _OK.fullmatch(statement):
        script.statuses = (int(HTTPStatus.OK),)
        return True
    return _take_value(script, answers, statement)


def _take_value(script: ReadScript, answers: dict[str, str], statement: str) -> bool:
    """Take a value that a statement takes from an answer. Return whether it could be."""
    if declared := _DECLARED.fullmatch(statement):
        place = _place(declared[2], answers)
        if place is not None:
            answers[declared[1]] = place
            return True
        # What it was before counts no more.
        answers.pop(declared[1], None)
    if (assignment := _SET.fullmatch(statement)) is None:
        return False
    name, value = assignment[3][1:-1], assignment[4]
    if header := _OF_HEADER.fullmatch(value):
        script.extracts[name] = Extract(header=header[1][1:-1])
        return True
    if _CODE_ITSELF.fullmatch(value):
        script.extracts[name] = Extract(part="status")
        return True
    if place := _place(value, answers):
        script.extracts[name] = Extract(json=_path(place))
        return True
    return False


def _place(expression: str, answers: Mapping[str, str]) -> str | None:
    """Return the steps to the place in an answer's JSON that an expression is; None for any other."""
    if (match := _OF_JSON.fullmatch(expression)) is None:
        return None
    begin = "" if re.fullmatch(_JSON, match[1]) else answers.get(match[1])
    return None if begin is None else begin + match[2]


def _path(text: str) -> str:
    """Return a path of JavaScript as one of JSONPath, or as a pointer where its names are no plain words."""
    steps = [match[1] or match[2] for match in _STEP.finditer(text)]
    names = [step[1:-1] if step[:1] in "'\"`" else step for step in steps]
    if all(name.isdecimal() or _PLAIN_NAME.fullmatch(name) for name in names):
        return "$" + "".join(f"[{name}]" if name.isdecimal() else f".{name}" for name in names)
    return "".join("/" + name.replace("~", "~0").replace("/", "~1") for name in names)


def _statements(text: str, answers: Mapping[str, str]) -> Iterator[tuple[str, Runs, str, frozenset[str]]]:
    """Yield the statements of a script: when each runs, the name of the test around it, and places in JSON.

    Those have a value where it runs. answers: places that names of the script stand for, up to the statement.
    """
    blocks: list[tuple[Runs, int, str, frozenset[str]]] = []
    statement, open_brackets = "", 0
    for match in _TOKENS.finditer(text):
        token = match[0]
        runs = _runs_in([block for block, *_ in blocks])
        title = next((name for _, _, name, _ in reversed(blocks) if name), "")
        asked = frozenset[str]().union(*(places for *_, places in blocks))
        is_end = token == ";" and not open_brackets
        if token == "\n" and not open_brackets and not _GOES_ON.fullmatch(statement.strip()):
            is_end = not text[match.end() : match.end() + 200].lstrip().startswith(".")
        if token.startswith(("//", "/*")):
            continue
        if token == "{":
            block: Runs = "always" if _TEST.fullmatch(statement.strip()) else "unsure"
            condition = _IF.fullmatch(statement.strip())
            places = asked_of_good(condition[1], answers) if condition else None
            if places is not None:
                block = "good"
            if block == "unsure":
                yield f"{statement.strip()} {{", "unsure", title, asked
            name = _title_of(statement) if block == "always" else ""
            blocks.append((block, open_brackets, name, places or frozenset()))
            statement, open_brackets = "", 0
        elif token == "}" or is_end:
            if not set(statement.strip()) <= _CLOSERS:
                yield statement.strip(), runs, title, asked
            statement = ""
            if token == "}" and blocks:
                _, open_brackets, *_ = blocks.pop()
        else:
            open_brackets += (token in ("(", "[")) - (token in (")", "]"))
            open_brackets = max(open_brackets, 0)
            statement += token
    if not set(statement.strip()) <= _CLOSERS:
        yield statement.strip(), "unsure" if blocks else "always", "", frozenset()


def _runs_in(blocks: Sequence[Runs]) -> Runs:
    """Return when a statement within blocks runs."""
    if "unsure" in blocks:
        return "unsure"
    return "good" if "good" in blocks else "always"


def joined_checks(expect: Expect, script: ReadScript) -> Expect:
    """Return what is expected where the checks of a script must hold, too."""
    more = script.expect
    return replace(
        expect,
        status=script.statuses or expect.status,
        contains=(*expect.contains, *more.contains),
        json={**expect.json, **more.json},
        values=(*expect.values, *more.values),
        time=more.time or expect.time,
    )


def check_count(script: ReadScript) -> int:
    """Return the number of checks that a script makes of its answer."""
    expect = script.expect
    return (
        bool(script.statuses)
        + bool(expect.time)
        + len(expect.contains)
        + len(expect.json)
        + len(expect.values)
    )
