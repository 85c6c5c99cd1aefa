from hypothesis import given
from hypothesis import strategies as st

from loadrig.base.setting import Setting, Value
from loadrig.plan.model import PlannedKnob
from loadrig.study.space import base, completed, grid, key, one_at_a_time, steps

from .fakes import DEMO, plan


@st.composite
def knob_sets(draw: st.DrawFn) -> tuple[PlannedKnob, ...]:
    """Up to four knobs; each may depend on one that stands before it, as the reader of plans has it."""
    count = draw(st.integers(1, 4))
    knobs: list[PlannedKnob] = []
    for number in range(count):
        values = tuple(draw(st.lists(st.integers(0, 9), min_size=1, max_size=3, unique=True)))
        when: dict[str, tuple[Value, ...]] = {}
        depends: bool = draw(st.booleans())
        if knobs and depends:
            other = draw(st.sampled_from(knobs))
            when = {other.name: tuple(draw(st.lists(st.sampled_from(other.values), min_size=1, unique=True)))}
        knobs.append(PlannedKnob(f"k{number}", values, draw(st.sampled_from(values)), when))
    return tuple(knobs)


def test_the_demo_has_nine_settings_and_the_base_is_the_first() -> None:
    settings = grid(DEMO)
    assert len(settings) == 9
    assert settings[0] == {"worker_class": "sync", "workers": 1} == base(DEMO)
    assert {"worker_class": "gthread", "workers": 4, "threads": 4} in settings
    assert {"worker_class": "sync", "workers": 2} in settings
    assert all(("threads" in setting) == (setting["worker_class"] == "gthread") for setting in settings)


def test_one_at_a_time_tries_a_conditional_knob_where_it_applies() -> None:
    assert one_at_a_time(DEMO) == (
        {"worker_class": "sync", "workers": 1},
        {"worker_class": "gthread", "workers": 1, "threads": 1},
        {"worker_class": "sync", "workers": 2},
        {"worker_class": "sync", "workers": 4},
        {"worker_class": "gthread", "workers": 1, "threads": 4},
    )


def test_the_base_of_a_study_is_the_base_of_its_plan() -> None:
    assert base(DEMO) == plan(*DEMO).base_setting


@given(knob_sets())
def test_a_grid_holds_the_base_first_no_setting_twice_and_every_condition(
    knobs: tuple[PlannedKnob, ...],
) -> None:
    settings = grid(knobs)
    assert settings[0] == base(knobs)
    assert len({key(setting) for setting in settings}) == len(settings)
    for setting in settings:
        assert completed(knobs, setting) == setting
        for knob in knobs:
            others = {name: value for name, value in setting.items() if name != knob.name}
            assert (knob.name in setting) == knob.applies(others)


@given(knob_sets())
def test_one_at_a_time_is_part_of_the_grid(knobs: tuple[PlannedKnob, ...]) -> None:
    every = {key(setting) for setting in grid(knobs)}
    assert all(key(setting) in every for setting in one_at_a_time(knobs))


@given(knob_sets())
def test_a_step_changes_its_knob_from_the_base_and_no_other_that_stood_before(
    knobs: tuple[PlannedKnob, ...],
) -> None:
    settings = grid(knobs)
    for knob, value, pairs in steps(knobs, settings):
        for a, b in pairs:
            before, after = settings[a], settings[b]
            assert before[knob.name] == knob.base
            assert after[knob.name] == value
            depends = {other.name for other in knobs if _reaches(knobs, other, knob.name)}
            for name in {*before, *after} - {knob.name} - depends:
                assert before.get(name) == after.get(name)


def _reaches(knobs: tuple[PlannedKnob, ...], knob: PlannedKnob, name: str) -> bool:
    by_name = {other.name: other for other in knobs}
    return any(parent == name or _reaches(knobs, by_name[parent], name) for parent in knob.when)


def test_settings_are_the_same_in_whatever_order_their_knobs_stand() -> None:
    a: Setting = {"x": 1, "y": "two"}
    b: Setting = {"y": "two", "x": 1}
    assert key(a) == key(b)
    assert key({"x": 1}) != key({"x": "1"})
