"""Selectors of jsoup, Jodd and simple XPaths as selectors of CSS.

jsoup takes what browsers take, and more: values without quotes, names that begin with a digit, and
pseudo-classes of its own. Sources: jsoup's `QueryParser` and `Evaluator`, Jodd's `CSSelly`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

MOST_SELECTOR = 1_000
"""Letters of a selector that is read; the generator takes no longer one."""

MOST_DEPTH = 8
"""Pseudo-classes within each other that are read; CSS has no `:has` within another."""

_NAME = r"(?:[\w-]|[^\x00-\x7f])+"
_PARTS = re.compile(
    rf"(?P<combinator>\s*[>+~,]\s*|\s+)"
    rf"|(?P<tag>\*|[A-Za-z]{_NAME}|[A-Za-z])(?!\|)"
    rf"|\#(?P<id>{_NAME})|\.(?P<class>{_NAME})"
    r"|\[\s*(?P<name>[A-Za-z_][\w:.-]*)\s*(?:(?P<sign>[!^$*|]?=)\s*"
    r"(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>(?:[^\[\]]|\[[^\[\]]*\])*?))\s*)?\]"
    r"|:(?P<pseudo>[a-z-]+)(?P<bracket>\()?",
    re.ASCII,
)
_IDENTIFIER = re.compile(r"-?(?:[A-Za-z_]|[^\x00-\x7f])(?:[\w-]|[^\x00-\x7f])*", re.ASCII)
_TURNS = re.compile(r"\s*(?:odd|even|[+-]?\d*n(?:\s*[+-]\s*\d+)?|[+-]?\d+)\s*")
_COUNT = re.compile(r"\s*(\d{1,4})\s*")

_PLAIN = frozenset(
    (
        "first-child",
        "last-child",
        "only-child",
        "first-of-type",
        "last-of-type",
        "only-of-type",
        "empty",
        "root",
    )
)
_OF_TURNS = frozenset(("nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type"))
_OF_SELECTORS = frozenset(("not", "has", "is"))
_OF_PLACES: Mapping[str, Callable[[int], str]] = {
    "eq": lambda place: f":nth-child({place + 1})",
    "lt": lambda place: f":nth-child(-n+{place})",
    "gt": lambda place: f":nth-child(n+{place + 2})",
}
"""Pseudo-classes of jsoup for the place among siblings, from 0."""

_CHOICE = re.compile(r":(?:(?P<first>first)|eq\((?P<place>\d{1,4})\))$")
"""End of a selector of Jodd that takes one of all elements that the rest of the selector selects."""

_STEP = re.compile(
    r"(?P<axis>//?)(?P<tag>[A-Za-z][\w-]*(?![\w-]*[(:])|\*)(?:\[(?P<place>\d{1,4}|last\(\))\])?(?P<rules>(?:\[[^\[\]]+\])*)",
    re.ASCII,
)
_END = re.compile(r"/@(?P<attribute>[A-Za-z_][\w-]*)|/text\(\)", re.ASCII)
_RULE = re.compile(
    r"@(?P<name>[\w-]+)(?:\s*=\s*(?P<equal>'[^']*'|\"[^\"]*\"))?"
    r"|(?P<call>contains|starts-with)\(\s*@(?P<of>[\w-]+)\s*,\s*(?P<part>'[^']*'|\"[^\"]*\")\s*\)",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Selection:
    """Element that is selected, and the attribute of it that is taken; its text where that is None.

    number: of the elements that the selector selects, from 1.
    """

    css: str
    attribute: str | None
    number: int = 1


def css_of(selector: str) -> str | None:
    """Return a selector of jsoup as CSS; None for what CSS cannot say."""
    if len(selector) > MOST_SELECTOR or not selector.isprintable():
        return None
    css, end = _group(selector.strip(), 0, ())
    return css if css and end == len(selector.strip()) else None


def selection_of(selector: str, attribute: str, is_of_jodd: bool) -> Selection | None:
    """Return what an extractor by a selector takes; None for what a plan cannot say."""
    number = 1
    if is_of_jodd:
        choice = _CHOICE.search(selector)
        if choice is not None and "," not in selector:
            selector, number = selector[: choice.start()], int(choice["place"] or 0) + 1
        if any(
            f":{name}" in selector for name in ("first", "last", *_OF_PLACES) if f":{name}-" not in selector
        ):
            return None
    css = css_of(selector)
    # jsoup makes addresses of attributes whose names begin so.
    return None if css is None or attribute.startswith("abs:") else Selection(css, attribute or None, number)


def selection_of_path(query: str, is_page: bool) -> Selection | None:
    """Return what a simple XPath takes: an attribute or, of a page, the text of an element.

    is_page: whether the answer is read as HTML. Of XML an attribute is the same, but not every text: in HTML
    some elements have none.
    """
    css, place = "", 0
    if len(query) > MOST_SELECTOR or not query.isprintable():
        return None
    while (step := _STEP.match(query, place)) is not None:
        rules = _rules(step["rules"])
        if rules is None or (step["place"] and step["tag"] == "*"):
            return None
        css += ("" if not css else " > " if step["axis"] == "/" else " ") + step["tag"]
        if step["place"]:
            css += ":last-of-type" if step["place"] == "last()" else f":nth-of-type({step['place']})"
        css += rules
        place = step.end()
    end = _END.fullmatch(query, place)
    # A path from the root names it.
    is_from_root = query.startswith("/") and not query.startswith(("//", "/html"))
    if end is None or not css or is_from_root or not (end["attribute"] or is_page):
        return None
    return Selection(css, end["attribute"])


def _rules(text: str) -> str | None:
    """Return the conditions of a step of an XPath as CSS."""
    css = ""
    for condition in re.findall(r"\[([^\[\]]+)\]", text):
        for part in re.split(r"\s+and\s+", condition.strip()):
            rule = _RULE.fullmatch(part)
            if rule is None:
                return None
            if rule["call"]:
                css += _rule(rule["of"], "*=" if rule["call"] == "contains" else "^=", rule["part"][1:-1])
            elif rule["equal"]:
                css += _rule(rule["name"], "=", rule["equal"][1:-1])
            else:
                css += f"[{rule['name']}]"
    return css


def _group(text: str, place: int, within: tuple[str, ...]) -> tuple[str | None, int]:
    """Return the CSS of selectors up to the bracket that closes them, and where they end.

    within: pseudo-classes that the selectors are arguments of.
    """
    css, begins = "", True
    while place < len(text) and text[place] != ")":
        part = _PARTS.match(text, place)
        if part is None:
            return None, place
        place = part.end()
        is_relative = not css and within[-1:] == ("has",)
        if bool(part["combinator"]) and begins and not (is_relative and part["combinator"].strip() != ","):
            # Blanks behind a bracket or a comma say nothing.
            if part["combinator"].isspace():
                continue
            return None, place
        if part["tag"] and not begins:
            return None, place
        begins = bool(part["combinator"])
        piece, place = _pseudo(text, part, within) if part["pseudo"] else (_piece(part), place)
        if piece is None:
            return None, place
        css += piece
    css = css.strip()
    return (None if css.endswith((",", ">", "+", "~")) else css), place


def _piece(part: re.Match[str]) -> str | None:
    if part["combinator"]:
        sign = part["combinator"].strip()
        return ", " if sign == "," else f" {sign} " if sign else " "
    if part["id"]:
        return f"#{part['id']}" if _IDENTIFIER.fullmatch(part["id"]) else _rule("id", "=", part["id"])
    if part["class"]:
        is_plain = _IDENTIFIER.fullmatch(part["class"])
        return f".{part['class']}" if is_plain else _rule("class", "~=", part["class"])
    if part["tag"]:
        return part["tag"]
    value = next((part[key] for key in ("double", "single", "bare") if part[key] is not None), "")
    if ":" in part["name"] or "." in part["name"]:
        return None
    if not part["sign"]:
        return f"[{part['name']}]"
    rule = _rule(part["name"], part["sign"].lstrip("!"), value)
    return f":not({rule})" if part["sign"] == "!=" else rule


def _pseudo(text: str, part: re.Match[str], within: tuple[str, ...]) -> tuple[str | None, int]:
    """Return the CSS of a pseudo-class, and where it ends."""
    name, place = part["pseudo"], part.end()
    if not part["bracket"]:
        return (f":{name}" if name in _PLAIN else None), place
    if name in _OF_SELECTORS:
        if len(within) >= MOST_DEPTH or (name == "has" and "has" in within):
            return None, place
        inner, end = _group(text, place, (*within, name))
        is_closed = bool(inner) and text[end : end + 1] == ")"
        return (f":{name}({inner})" if is_closed else None), end + 1
    end = text.find(")", place)
    argument = text[place:end] if end >= 0 else ""
    if name in _OF_TURNS and _TURNS.fullmatch(argument):
        return f":{name}({argument.strip()})", end + 1
    count = _COUNT.fullmatch(argument)
    if name in _OF_PLACES and count is not None:
        return _OF_PLACES[name](int(count[1])), end + 1
    return None, place


def _rule(name: str, sign: str, value: str) -> str:
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name}{sign}"{quoted}"]'
