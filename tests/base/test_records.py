"""Classes of base.records are dataclasses to everyone who asks."""

import copy
import dataclasses
import pickle

import pytest

from loadrig.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """One with a default and a factory, and a field that does not count."""

    name: str
    weight: float = 1.0
    tags: dict[str, int] = dataclasses.field(default_factory=dict)
    place: int = dataclasses.field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """One that is made by names only."""

    parts: tuple[Part, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Standard:
    """The same as Part, by the standard library."""

    name: str
    weight: float = 1.0
    tags: dict[str, int] = dataclasses.field(default_factory=dict)
    place: int = dataclasses.field(default=0, compare=False, repr=False)


def test_it_is_made_shown_and_compared_as_the_standard_one() -> None:
    for given, named in ((("a",), {}), (("a", 2.0), {}), (("a",), {"place": 3}), ((), {"name": "a"})):
        ours, theirs = Part(*given, **named), Standard(*given, **named)
        assert repr(ours).replace("Part", "Standard") == repr(theirs)
        assert dataclasses.asdict(ours) == dataclasses.asdict(theirs)
    assert Part("a", place=1) == Part("a", place=2)
    assert Part("a") != Part("b")
    like: object = Standard("a")
    assert Part("a") != like
    assert hash(dataclasses.replace(WHOLE, parts=())) == hash(Whole(parts=()))
    assert Part("a").tags is not Part("a").tags


@dataclass(frozen=True, slots=True)
class Heir(Part):
    """One with a field more."""

    more: int = 5


def test_a_class_may_inherit_the_fields_of_another() -> None:
    assert Heir("a", more=6) == Heir("a", 1.0, {}, 0, 6)
    assert Heir("a") != Part("a")
    with pytest.raises(dataclasses.FrozenInstanceError):
        Heir("a").more = 7  # type: ignore[misc]


def vars_of(cls: type) -> str:
    """What a dataclass says of itself: frozen, compared, and so on."""
    return repr(cls.__dataclass_params__)  # type: ignore[attr-defined]


WHOLE = Whole(parts=(Part("a", 2.0),))


def test_it_is_a_dataclass_to_the_standard_library() -> None:
    assert [field.name for field in dataclasses.fields(Part)] == ["name", "weight", "tags", "place"]
    assert dataclasses.replace(WHOLE.parts[0], weight=3.0) == Part("a", 3.0)
    assert dataclasses.asdict(WHOLE) == {"parts": ({"name": "a", "weight": 2.0, "tags": {}, "place": 0},)}
    said, standard = (vars_of(cls) for cls in (Part, Standard))
    assert said == standard
    match WHOLE.parts[0]:
        case Part(name, weight=weight):
            assert (name, weight) == ("a", 2.0)


def test_copies_and_pickles_are_the_same() -> None:
    assert copy.deepcopy(WHOLE) == WHOLE
    assert pickle.loads(pickle.dumps(WHOLE)) == WHOLE


def test_nothing_in_it_can_be_changed() -> None:
    part = Part("a")
    with pytest.raises(dataclasses.FrozenInstanceError):
        part.name = "b"  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del part.name
    assert not hasattr(part, "__dict__")


@pytest.mark.parametrize(
    ("given", "named", "said"),
    [
        ((), {}, "Part needs 'name'"),
        (("a",), {"name": "b"}, "Part got 'name' twice"),
        (("a", 1.0, {}, 0, "more"), {}, "Part takes 4 values, not 5"),
        (("a",), {"wight": 1.0}, "Part has no 'wight'"),
    ],
)
def test_what_does_not_fit_is_told(given: tuple[object, ...], named: dict[str, object], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        Part(*given, **named)  # type: ignore[arg-type]


def test_by_names_only_means_by_names_only() -> None:
    with pytest.raises(TypeError, match="Whole takes 0 values, not 1"):
        Whole(())  # type: ignore[call-arg]


def test_other_kinds_of_dataclasses_are_refused() -> None:
    with pytest.raises(TypeError, match="only frozen classes with slots"):
        dataclass(frozen=False, slots=True)
