"""Tests that what people type for a time, a rate, a knob or a goal is read as they mean it."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base.errors import Problem, Span
from loadrig.base.setting import Knob
from loadrig.plan.amounts import MOST, read_amount
from loadrig.plan.holes import BadTemplate, holes_in, literal
from loadrig.plan.knobs import complaint_of, read_knobs, shown
from loadrig.plan.node import Entries, Scalar, at, plain
from loadrig.plan.reader import Reader
from loadrig.plan.syntax import parse

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)


def scalar(text: str) -> Scalar:
    root, _ = parse(f"v: {text}", "plan.yaml")
    node = at(root, "v")
    assert isinstance(node, Scalar)
    return node


@pytest.mark.parametrize(
    ("notation", "text", "value"),
    [
        ("duration", "300ms", 0.3),
        ("duration", "1m30s", 90.0),
        ("duration", "0", 0.0),
        ("rate", "1000", 1000.0),
        ("rate", "50/1m", 50 / 60),
        ("rate", "10k/s", 10_000.0),
        ("share", "0.1%", 0.001),
        ("share", "0.05", 0.05),
        ("size", "64kB", 64_000),
        ("size", "1MiB", 1 << 20),
        ("count", "1.5m", 1_500_000),
    ],
)
def test_an_amount_is_read_in_base_units(notation: str, text: str, value: float) -> None:
    assert read_amount(notation, scalar(text), "v") == pytest.approx(value)


@pytest.mark.parametrize("notation", sorted(MOST))
def test_an_amount_that_nothing_can_count_is_refused(notation: str) -> None:
    most, written = MOST[notation]
    assert read_amount(notation, scalar(written), "v") == pytest.approx(most)
    for text in (f"9{written}", "9" * 30 + written.lstrip("0123456789")):
        problem = read_amount(notation, scalar(text), "v")
        assert isinstance(problem, Problem)
        assert problem.code == "plan.out-of-range"
        assert problem.where == scalar(text).span
        assert len(problem.what) < 200


@pytest.mark.parametrize(
    ("notation", "text", "mend"),
    [
        ("duration", "30", "write 30s (or 30ms, 30m)"),
        ("duration", "2500", "write 2500ms or 2500s"),
        ("duration", "10 seconds", "write 10s"),
        ("duration", "5 Min", "write 5m"),
        ("share", "5", "write 5%"),
        ("rate", "10s", "write 1000, 1000/1s or 50/1m"),
    ],
)
def test_an_amount_without_its_unit_is_answered_with_what_was_meant(
    notation: str, text: str, mend: str
) -> None:
    amount = read_amount(notation, scalar(text), "v")
    assert isinstance(amount, Problem)
    assert amount.mend == mend


@pytest.mark.parametrize("notation", ["duration", "rate", "share", "size", "count"])
@given(text=st.text(max_size=12))
def test_any_text_is_an_amount_or_a_problem_and_never_a_fault(notation: str, text: str) -> None:
    amount = read_amount(notation, Scalar(Span("plan.yaml"), text, text), "v")
    assert isinstance(amount, Problem) or (amount >= 0 and math.isfinite(amount))


@pytest.mark.parametrize("notation", ["duration", "rate", "share", "size", "count"])
@given(number=st.one_of(st.integers(), st.floats()))
def test_a_bare_number_is_an_amount_or_a_problem(notation: str, number: float) -> None:
    amount = read_amount(notation, Scalar(Span("plan.yaml"), number, str(number)), "v")
    assert isinstance(amount, Problem) or (amount >= 0 and math.isfinite(amount))


# --- holes --------------------------------------------------------------------------------------------


@given(st.text())
def test_a_literal_text_has_no_holes_whatever_stands_in_it(text: str) -> None:
    assert list(holes_in(literal(text))) == []


@given(st.lists(st.tuples(st.text(), NAMES)))
def test_holes_are_found_between_any_texts(parts: list[tuple[str, str]]) -> None:
    template = "".join(f"{literal(text)}{{{name}}}" for text, name in parts)
    assert list(holes_in(template)) == [name for _, name in parts]


@pytest.mark.parametrize("template", ["{", "}", "{}", "{a b}", '{"a": 1}', "{{}", "{a}}"])
def test_a_brace_that_is_neither_hole_nor_doubled_is_refused(template: str) -> None:
    with pytest.raises(BadTemplate):
        list(holes_in(template))


# --- knobs --------------------------------------------------------------------------------------------

CATALOGUE = {
    "n": Knob("n", "int", "A number.", default=1, low=0, high=100),
    "word": Knob("word", "word", "A word.", words=("sync", "gthread", "true")),
    "flag": Knob("flag", "flag", "Yes or no."),
    "size": Knob("size", "size", "Bytes.", low=1000),
    "ratio": Knob("ratio", "float", "A ratio.", low=0.5),
}


def knobs(text: str) -> tuple[Reader, dict[str, tuple[object, ...]]]:
    root, _ = parse(text, "plan.yaml")
    reader = Reader()
    values_by_knob = read_knobs(reader, root, CATALOGUE, "fake")
    return reader, {knob.name: knob.values for knob in values_by_knob}


@given(st.integers(0, 50), st.integers(0, 50))
def test_a_range_has_both_ends(low: int, more: int) -> None:
    reader, values_by_knob = knobs(f"n: {low}..{low + more}")
    assert reader.problems == []
    assert values_by_knob["n"] == tuple(range(low, low + more + 1))


@given(st.lists(st.integers(0, 100), min_size=1, unique=True))
def test_a_list_is_a_knobs_values_in_its_order(values: list[int]) -> None:
    reader, values_by_knob = knobs(f"n: {values}")
    assert reader.problems == []
    assert values_by_knob["n"] == tuple(values)


def test_values_of_every_kind_are_taken_as_they_are() -> None:
    reader, values_by_knob = knobs(
        "{word: [sync, true], flag: [true, false], size: [64kB, 2000], ratio: [1, 2.5]}"
    )
    assert reader.problems == []
    assert values_by_knob == {
        "word": ("sync", True),
        "flag": (True, False),
        "size": ("64kB", 2000),
        "ratio": (1, 2.5),
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [("n", 101), ("n", -1), ("n", 1.5), ("n", True), ("word", "gtread"), ("flag", "yes"), ("flag", 1),
     ("size", "many"), ("size", "10B"), ("ratio", 0.1), ("ratio", "a")],
)  # fmt: skip
def test_a_value_that_the_catalogue_does_not_allow_is_refused(name: str, value: float) -> None:
    assert complaint_of(CATALOGUE[name], value) is not None


def test_a_long_range_is_shown_by_its_ends() -> None:
    assert shown(tuple(range(1, 17))) == "1..16"
    assert shown((1, 2, 4)) == "1, 2, 4"
    assert shown((1, 2, 4, 8, 16, 32, 64, 128, 256)) == "1, 2, 4, 8, 16, 32, 64, 128, 256"
    assert shown(tuple("abcdefghi")) == ", ".join("abcdefghi")


def test_conditions_say_the_same_in_both_forms() -> None:
    for when in ("word in [sync]", "word == sync", "word != gthread", "{word: sync}", "{word: [sync]}"):
        root, _ = parse(f"{{word: [sync, gthread], n: {{values: [1, 2], when: {quoted(when)}}}}}", "p")
        reader = Reader()
        values_by_knob = read_knobs(reader, root, CATALOGUE, "fake")
        assert reader.problems == []
        assert values_by_knob[1].when == {"word": ("sync",)}, when


def quoted(when: str) -> str:
    return when if when.startswith("{") else f'"{when}"'


# --- YAML ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", 1), ("-7", -7), ("0x1f", 31), ("0o17", 15), ("1.5", 1.5), ("1e3", 1000.0), ("true", True),
     ("False", False), ("~", None), ("null", None), ("yes", "yes"), ("on", "on"), ("1_000", "1_000"),
     ("10:30", "10:30"), ("1..9", "1..9"), ("'1'", "1"), ('"true"', "true"), (".inf", math.inf)],
)  # fmt: skip
def test_single_values_are_those_of_yaml_1_2(text: str, value: object) -> None:
    result = scalar(text).value
    assert result == value
    assert type(result) is type(value)


def test_places_count_lines_and_columns_from_one_and_keep_the_line() -> None:
    root, _ = parse("a: 1\r\nb:\r\n  - x\r\n  - {c: 'two words', d: }\r\n", "plan.yaml")
    node = at(root, "b", 1, "c")
    assert node is not None
    assert node.span == Span("plan.yaml", 4, 9, len("'two words'"), "  - {c: 'two words', d: }")
    empty = at(root, "b", 1, "d")
    assert empty is not None
    assert (empty.span.line, empty.span.column) == (4, 22), "what is empty is at its key"


def test_anchors_are_followed_and_a_block_text_is_one_value() -> None:
    root, _ = parse("a: &x {n: 1}\nb: *x\nc: |\n  one\n  two\n", "plan.yaml")
    assert plain(root) == {"a": {"n": 1}, "b": {"n": 1}, "c": "one\ntwo\n"}
    node = at(root, "c")
    assert node is not None
    assert (node.span.line, node.span.length) == (3, 1)


@given(st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(min_size=1), inner)),
))  # fmt: skip
def test_json_is_read_as_what_it_is(value: object) -> None:
    root, problems = parse(json_in_yaml({"v": value}), "plan.yaml")
    assert problems == []
    assert plain(root) == {"v": value}
    assert isinstance(root, Entries)


def json_in_yaml(value: object) -> str:
    """JSON with what YAML does not allow as it stands escaped."""
    import json

    text = json.dumps(value, ensure_ascii=False)
    return "".join(letter if letter.isprintable() or letter == "\n" else as_escape(letter) for letter in text)


def as_escape(letter: str) -> str:
    number = ord(letter)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
