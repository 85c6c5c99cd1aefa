"""Conditions that somebody wrote to do harm: each is read or none, within bounds of work and memory."""

import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadrig.base import members
from loadrig.converters import Conversion
from loadrig.converters import _jmx_comparisons as comparisons
from loadrig.converters._clauses import MOST_ALTERNATIVES
from loadrig.plan.passages import Conditions, Repeat, When
from tests.converters import lists
from tests.converters.jmx import converted, element, group, sampler
from tests.lengths import length

MOST_WORDS_TAKEN = 5 * comparisons.MOST_CONDITION_LETTERS
"""Looks at a word that a condition may cost: each level of brackets reads what is in them once or twice."""

MOST_COPIES = 8
"""Bytes of memory that a letter of a long condition may cost: it is held some times, each time as a text."""

LONG = length(200_000, 2_000_000)
HOSTILE = {
    "brackets": "(" * LONG + '"${state}" == "a"' + ")" * LONG,
    "few-brackets": "(" * 900 + '"${state}" == "a"' + ")" * 900,
    "brackets-of-one-side": "(" * 15 + '"${state}"' + ")" * 15 + ' == "a"',
    "open-brackets": "(" * 1_900,
    "brackets-and-signs": "(1 == " * 300,
    "nots": "!" * 1_000 + '("${state}" == "a")',
    "chain": " && ".join(['"${state}" != "a"'] * 85),
    "long-chain": " && ".join(['"${state}" != "a"'] * (LONG // 20)),
    "alternatives": " && ".join(f"(${{n}} > {n} || ${{n}} < 0)" for n in range(30)),
    "not-of-alternatives": "!(" + " && ".join(f"(${{n}} > {n} || ${{n}} < 0)" for n in range(30)) + ")",
    "casts": "Integer.parseInt(" * 100 + "${n}" + ")" * 100 + " > 1",
    "open-quotes": '"' * 1_999,
    "quotes": "'\"" * (LONG // 2),
    "open-quote": '"${state}" == "a' + "b" * LONG,
    "gets": "vars.get( " + " " * 1_900,
    "blanks": "a" + " " * LONG + "b",
    "few-blanks": "a" + " " * 1_990 + "b",
    "blanks-alone": " " * LONG,
    "signs": "==" * LONG,
    "commas": "," * LONG + " " * LONG,
    "open-calls": "${" * LONG,
}
"""Conditions by what they do."""

SHELLS = ("${__jexl3(%s)}", "%s", "${__groovy(%s,)}")[: length(2, 3)]


def of_conditions(conditions: Sequence[str], folder: Path) -> Conversion:
    """Return what becomes of a test whose controllers have conditions."""
    below = sampler("a", "/a", element("JSONPostProcessor", "x", JSONPostProcessor__referenceNames="state;n",
                                       JSONPostProcessor__jsonPathExprs="$.state;$.n"))  # fmt: skip
    for number, condition in enumerate(conditions):
        kind = ("IfController", "WhileController")[number % 2]
        below += element(kind, f"c{number}", sampler(f"s{number}"), **{f"{kind}__condition": condition})
    return converted(group(below), folder)


def conditions_in(conversion: Conversion) -> Iterator[Conditions]:
    for scenario in conversion.plan.scenarios:
        for request in (step.request for step in scenario.steps):
            for rule in (request.when, request.repeat):
                if isinstance(rule, When):
                    yield rule.holds
                elif isinstance(rule, Repeat):
                    yield rule.going or rule.until


def are_small(conversion: Conversion) -> bool:
    return all(
        len(conditions) <= MOST_ALTERNATIVES
        and all(len(condition.comparisons) <= MOST_ALTERNATIVES for condition in conditions)
        for conditions in conditions_in(conversion)
    )


@pytest.fixture
def words_taken(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Return a function that tells how often the reader of conditions has looked at a word."""
    count = 0
    take = comparisons._Expression._takes

    def counted(self: comparisons._Expression, kind: str) -> str:
        nonlocal count
        count += 1
        return take(self, kind)

    monkeypatch.setattr(comparisons._Expression, "_takes", counted)
    return lambda: count


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_condition_costs_little_work(
    name: str, words_taken: Callable[[], int], tmp_path: Path
) -> None:
    conversion = of_conditions([shell % HOSTILE[name] for shell in SHELLS], tmp_path)
    assert words_taken() <= len(SHELLS) * MOST_WORDS_TAKEN
    assert are_small(conversion)


@pytest.mark.timeout(60)
def test_long_conditions_cost_little_memory(tmp_path: Path) -> None:
    conditions = [text for text in HOSTILE.values() if len(text) > comparisons.MOST_CONDITION_LETTERS]
    tracemalloc.start()
    of_conditions(conditions, tmp_path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < MOST_COPIES * sum(map(len, conditions))


WORDS = (
    *('"${state}"', "${n}", '"a"', "1", "true", '"', "'", "vars.get('state')", "prev.successful", "${"),
    *(
        "==",
        "!=",
        ">",
        "eq",
        "&&",
        "||",
        "!",
        "not",
        "and",
        "(",
        ")",
        ").toInteger()",
        ".equals(",
        "parseInt(",
    ),
)


@settings(max_examples=length(12, 2_000))
@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join), min_size=8, max_size=8))
def test_any_words_are_a_condition_or_none(
    tmp_path_factory: pytest.TempPathFactory, conditions: list[str]
) -> None:
    assert are_small(of_conditions(conditions, tmp_path_factory.getbasetemp()))


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "condition",
    [
        "(" * 1_000 + "res.status === 200" + ")" * 1_000,
        "!" * 1_000 + "(res.status === 200)",
        " && ".join(["res.status !== 1"] * 1_000),
        " || ".join(["(res.status === 1 && res.status === 2)"] * 30),
        "!(" + " && ".join(["(res.status === 1 || res.status === 2)"] * 30) + ")",
        "[" + "200, " * 1_000 + "].includes(res.status)",
    ],
)
def test_a_hostile_condition_of_k6_is_listed(condition: str, tmp_path: Path) -> None:
    pytest.importorskip("tree_sitter_javascript")
    script = (
        "import http from 'k6/http';\nexport default () => { const res = http.get('http://127.0.0.1/');\n"
        f"if ({condition}) {{ http.get('http://127.0.0.1/b'); }} }}"
    )
    conversion = lists.converted(members.load("loadrig.converters", "k6"), script, tmp_path, "test.js")
    assert [part.order for part in conversion.dropped] == [3]
    assert not list(conditions_in(conversion))
