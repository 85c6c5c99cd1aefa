"""The reader of dataclasses: every type of base.shape, every problem at once, members of any room."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, ClassVar, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base import members
from loadrig.base.setting import Knob
from loadrig.base.shape import Forms, option
from loadrig.base.units import Bytes, Count, PerSecond, Seconds, Share
from loadrig.plan.kinds import example_of, fields_of, kind_of
from loadrig.plan.load import read
from loadrig.plan.node import at, listed, place, plain, put, scalars
from loadrig.plan.reader import INVALID, Reader
from loadrig.plan.synonyms import IN_THE_WORKLOAD, elsewhere, meant_key
from loadrig.plan.syntax import parse
from tests.wording import numbers


@dataclass(frozen=True, slots=True)
class InnerShape:
    """A nested class with a short form."""

    SHORT = "size"
    size: Bytes = option("A size.", default=Bytes(1))
    names: tuple[str, ...] = option("Names.", default=())


@dataclass(frozen=True, slots=True)
class OuterShape:
    """One field of every kind."""

    FORMS: ClassVar[Forms] = {"how": ((), ("slow",), ("fast", "faster"))}
    text: str = option("A text.")
    whole: int = option("A whole number.", default=1, low=0, high=10)
    number: float = option("A number.", default=1.0)
    yes: bool = option("Yes or no.", default=False)
    time: Seconds = option("A time.", default=Seconds(1.0))
    rate: PerSecond = option("A rate.", default=PerSecond(1.0))
    share: Share = option("A share.", default=Share(0.5))
    count: Count = option("A count.", default=Count(1))
    word: Literal["a", "b"] = option("A word.", default="a")
    many: tuple[Seconds, ...] = option("Times.", default=())
    free: Mapping[str, float] = option("Free keys.", factory=dict)
    inner: InnerShape = option("Nested.", factory=InnerShape)
    inners: tuple[InnerShape, ...] = option("Several nested.", default=())
    either: Seconds | InnerShape = option("A time or a mapping.", default=Seconds(0.0))
    maybe: InnerShape | None = option("May be left out.", default=None)
    other_name: str = option("A key that is no Python name.", default="", key="else")
    anything: Any = option("Any value.", default=None)
    slow: bool | None = option("One way.", default=None)
    fast: bool | None = option("Another way.", default=None)
    faster: bool | None = option("Belongs to fast.", default=None)
    unwritten: str = field(default="not in a plan")


def outer(text: str) -> tuple[Any, list[str]]:
    """Return what was read, and the codes of the problems."""
    root, _ = parse(text, "plan.yaml")
    reader = Reader()
    value = reader.shape(OuterShape, root, "outer")
    return value, [problem.code for problem in reader.problems]


def test_a_field_of_every_kind_is_read() -> None:
    value, problems = outer(
        "{text: 5, whole: 10, number: 2, yes: true, time: 1m, rate: 60/1m, share: 5%, count: 2k, word: b,"
        " many: 3s, free: {a: 1}, inner: 2kB, inners: [1, {names: x}], either: {size: 3}, maybe: ,"
        " else: y, anything: [1, {a: null}], slow: true}"
    )
    assert problems == []
    assert value == OuterShape(
        text="5", whole=10, number=2.0, yes=True, time=Seconds(60), rate=PerSecond(1), share=Share(0.05),
        count=Count(2000), word="b", many=(Seconds(3),), free={"a": 1.0}, inner=InnerShape(Bytes(2000)),
        inners=(InnerShape(Bytes(1)), InnerShape(names=("x",))), either=InnerShape(Bytes(3)), maybe=None,
        other_name="y",
        anything=[1, {"a": None}], slow=True,
    )  # fmt: skip


def test_what_is_left_out_has_its_default() -> None:
    value, problems = outer("{text: x}")
    assert (value, problems) == (OuterShape(text="x"), [])


def test_every_problem_is_told_and_what_can_be_read_is() -> None:
    value, problems = outer(
        "{text: x, whole: 11, number: a, yes: on, time: 3, word: c, unknown: 1, many: [1s, 2]}"
    )
    assert sorted(problems) == [
        "plan.out-of-range", "plan.unknown-key", "plan.wrong-type", "plan.wrong-type", "plan.wrong-unit",
        "plan.wrong-unit", "plan.wrong-word",
    ]  # fmt: skip
    assert value == OuterShape(text="x", many=(Seconds(1),))


def test_an_object_that_lacks_what_it_needs_is_invalid() -> None:
    assert outer("{whole: 1}") == (INVALID, ["plan.missing-key"])
    assert outer("[1]") == (INVALID, ["plan.wrong-type"])


def test_a_mistyped_key_is_told_once_and_not_also_as_missing() -> None:
    assert outer("{tekst: x}")[1] == ["plan.unknown-key"]


def test_an_unknown_key_is_answered_with_the_nearest_that_is_not_written_yet() -> None:
    root, _ = parse("{text: x, any-thing: 1, txt: y}", "plan.yaml")
    reader = Reader()
    reader.shape(OuterShape, root, "outer")
    assert [problem.mend for problem in reader.problems] == ["write anything", "leave it out"]


@pytest.mark.parametrize(
    ("keys", "codes"),
    [
        ("", []),
        (", slow: true", []),
        (", fast: true, faster: true", []),
        (", fast: true", ["plan.incomplete"]),
        (", slow: true, fast: true, faster: true", ["plan.one-of"]),
    ],
)
def test_of_each_group_of_keys_one_form_is_written_whole(keys: str, codes: list[str]) -> None:
    assert outer(f"{{text: x{keys}}}")[1] == codes


def test_the_reader_knows_what_was_read_without_a_problem() -> None:
    root, _ = parse("{text: x, time: 3, inner: {size: 1}}", "plan.yaml")
    reader = Reader()
    reader.shape(OuterShape, root, "outer")
    assert not reader.is_clean(root)
    assert not reader.is_clean(at(root, "time"))
    assert reader.is_clean(at(root, "inner"))
    assert reader.is_clean(at(root, "not written"))


@given(st.recursive(
    st.sampled_from(["1", "x", "10s", "5%", "~", "'q'", "-1", "true"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        st.dictionaries(
            st.sampled_from([entry.key for entry in fields_of(OuterShape)]), inner, max_size=4
        ).map(lambda entries: "{" + ", ".join(f"{key}: {value}" for key, value in entries.items()) + "}"),
    ),
    max_leaves=12,
))  # fmt: skip
def test_whatever_is_written_is_read_or_refused_and_never_a_fault(text: str) -> None:
    value, problems = outer(f"{text}\n")
    assert isinstance(value, OuterShape) or problems


def test_a_type_that_no_one_can_write_is_a_fault_of_the_declaration() -> None:
    with pytest.raises(TypeError, match="cannot be written"):
        kind_of(set[str])


def test_every_room_declares_options_that_can_be_written() -> None:
    for room in ("loadrig.target", "loadrig.probes", "loadrig.study.strategies"):
        for name in members.names(room):
            for each in fields_of(members.load(room, name).Options):
                assert example_of(each.kind)
                assert each.doc.endswith("."), f"{room}.{name}: {each.key}"


def test_examples_of_members_read_as_what_they_are_examples_of() -> None:
    for room in ("loadrig.target", "loadrig.probes", "loadrig.study.strategies"):
        for name in members.names(room):
            for each in fields_of(members.load(room, name).Options):
                root, _ = parse(f"v: {each.example}", "example.yaml")
                reader = Reader()
                value = reader.value(each.kind, listed(at(root, "v"))[0], each.key, each)
                assert reader.problems == [], f"{room}.{name}: {each.key}: {each.example}"
                assert value is not INVALID


# --- members ------------------------------------------------------------------------------------------


@pytest.fixture
def fake_target(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return a member of a third party in the room of targets, with knobs that its options declare."""

    @dataclass(frozen=True, slots=True)
    class Options:
        """A fake."""

        levels: Count = option("Greatest level.", default=Count(3))

    module = ModuleType("fake")
    module.Options = Options  # type: ignore[attr-defined]
    module.knobs = lambda options: {"level": Knob("level", "int", "A level.", low=1, high=options.levels)}  # type: ignore[attr-defined]
    names, load = members.names, members.load
    monkeypatch.setattr(
        members, "names", lambda room: ("fake", *names(room)) if room == "loadrig.target" else names(room)
    )
    monkeypatch.setattr(members, "load", lambda room, name: module if name == "fake" else load(room, name))
    return module


PLAN = """\
loadrig: 1
target: {fake: {levels: 5}}
knobs: {level: [1, 9]}
workload: {users: 1, requests: {get: /}}
"""


@pytest.mark.usefixtures("fake_target")
def test_a_members_own_catalogue_bounds_its_knobs() -> None:
    from loadrig.base.errors import PlanError

    with pytest.raises(PlanError) as caught:
        read(PLAN + "study: grid\n", "plan.yaml")
    (problem,) = caught.value.problems
    assert (problem.code, numbers(problem.what)) == ("plan.knob-value", [9, 1, 5])
    plan = read(PLAN.replace("9", "5") + "study: grid\n", "plan.yaml")
    assert (plan.target.member, plan.target.options.levels) == ("fake", 5)


# --- trees --------------------------------------------------------------------------------------------


def test_a_value_is_put_where_a_path_says_and_the_rest_stays() -> None:
    root, _ = parse("a: {b: [1, 2], c: 3}\n", "plan.yaml")
    value, _ = parse("9", "--set")
    assert plain(put(root, ("a", "b", 1), value, value.span)) == {"a": {"b": [1, 9], "c": 3}}
    assert plain(put(root, ("a", "d", "e"), value, value.span)) == {"a": {"b": [1, 2], "c": 3, "d": {"e": 9}}}
    assert plain(root) == {"a": {"b": [1, 2], "c": 3}}


def test_the_place_of_a_path_is_the_nearest_thing_that_is_written() -> None:
    root, _ = parse("a: {b: [1, 2]}\n", "plan.yaml")
    assert place(root, "a", "b").column == 5
    assert place(root, "a", "b", 1).column == 12
    assert place(root, "a", "none", "below").column == 1
    assert [scalar.value for scalar in scalars(root)] == [1, 2]


@pytest.mark.parametrize(
    ("written", "keys", "meant"),
    [
        ("load", ("loadrig", "target", "workload"), "workload"),  # the word stands in two of them
        ("vus", ("users", "rate"), "users"),  # k6
        ("thresholds", ("goals", "trial"), "goals"),  # k6
        ("num_threads", ("users", "rate"), "users"),  # JMeter
        ("ramp-up", ("count", "stages"), "stages"),  # JMeter
        ("targets", ("rate", "requests"), "requests"),  # vegeta
        ("duration", ("warm_up", "measure"), "measure"),  # wrk, vegeta
        ("user", ("users", "rate"), "users"),
        ("status_code", ("status", "contains"), "status"),
        ("agent", ("user_agent_header",), "user_agent_header"),
        ("get_it", ("get",), "get"),
        ("colour", ("weight", "get"), None),
        ("puts", ("inputs_of_all_kinds",), "inputs_of_all_kinds"),
        ("put", ("inputs_of_all_kinds",), None),  # three letters stand in many words
    ],
)
def test_an_unknown_key_is_taken_for_what_users_of_other_tools_mean(
    written: str, keys: tuple[str, ...], meant: str | None
) -> None:
    assert meant_key(written, keys) == meant


def test_what_other_tools_write_at_the_top_of_a_plan_is_in_its_load() -> None:
    assert "users" in elsewhere("vus", ("target", "workload"))
    assert "rate" in elsewhere("arrival-rate", ("target", "workload"))
    assert elsewhere("vus", ("app", "bind")) == ""


@pytest.mark.parametrize("load", sorted(set(IN_THE_WORKLOAD.values())))
def test_what_is_proposed_for_a_load_is_one(load: str) -> None:
    rest = "rate: 10/1s" if "requests" in load else "requests: [{get: /}]"
    text = f"loadrig: 1\ntarget: {{external: 'http://127.0.0.1:9'}}\nworkload: {{{load}, {rest}}}\n"
    assert read(text, "plan.yaml").workload is not None


def test_the_length_of_a_load_is_at_the_top_of_a_plan_and_nowhere_else() -> None:
    assert "measure" in elsewhere("duration", ("target", "workload"))
    assert "measure" in elsewhere("duration", ("users", "scenarios"))
    assert elsewhere("duration", ("app", "bind")) == ""
    assert elsewhere("colour", ("target", "workload")) == ""
