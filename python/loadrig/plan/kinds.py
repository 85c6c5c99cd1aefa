"""Kinds of values that a field's type allows: one reading of annotations for reader, schema and pages.

`kind_of` turns an annotation (see base.shape) into a Kind; `fields_of` does it for a whole class.
A Kind knows how it is called ("a duration") and what it looks like ("30s"); it reads nothing.
"""

import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from loadrig.base import members, units
from loadrig.base.shape import Declaration
from loadrig.language.choice import texts_of
from loadrig.language.descriptions import described
from loadrig.language.en.errors.plan_amounts import PlanAmountsErrors
from loadrig.language.en.errors.plan_nouns import PlanKindsTexts
from loadrig.plan.node import Entries, Items, Scalar

TEXTS = texts_of(PlanKindsTexts)


@dataclass(frozen=True, slots=True)
class Plain:
    """A text, a number or yes/no."""

    type: type[str] | type[int] | type[float] | type[bool]


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with a notation of its own: "duration", "rate", "share", "size" or "count"."""

    name: str


@dataclass(frozen=True, slots=True)
class Words:
    """A word out of a fixed list."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Listed:
    """A list; a single value is a list of one."""

    item: "Kind"


@dataclass(frozen=True, slots=True)
class Mapped:
    """A mapping with free keys."""

    item: "Kind"


@dataclass(frozen=True, slots=True)
class Shaped:
    """A mapping with the fields of a class."""

    cls: type[Any]


@dataclass(frozen=True, slots=True)
class Either:
    """A short form or a long form; the way that it is written tells which."""

    kinds: tuple["Kind", ...]


@dataclass(frozen=True, slots=True)
class Anything:
    """YAML value of any kind, taken as JSON would hold it."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a room by its name, with the member's own options below it."""

    room: str


@dataclass(frozen=True, slots=True)
class Notation:
    """A value with a little language of its own, handed on as the node that was written.

    noun: "a goal". example: one as written. schema: name of its JSON Schema in plan.schema.
    """

    noun: str
    example: str
    schema: str


Kind = Plain | Amount | Words | Listed | Mapped | Shaped | Either | Anything | Member | Notation

AMOUNTS: Mapping[Any, Amount] = {
    units.Seconds: Amount("duration"),
    units.PerSecond: Amount("rate"),
    units.Share: Amount("share"),
    units.Bytes: Amount("size"),
    units.Count: Amount("count"),
}

_AMOUNT_NOUNS = texts_of(PlanAmountsErrors).nouns
_AMOUNT_EXAMPLES = {"duration": "30s", "rate": "1000/1s", "share": "5%", "size": "64kB", "count": "100"}
_PLAIN = {
    str: (TEXTS.text, TEXTS.some_text),
    int: (TEXTS.whole_number, "10"),
    float: (TEXTS.number, "1.5"),
    bool: (TEXTS.true_or_false, "true"),
}


@dataclass(frozen=True, slots=True)
class Field:
    """Key that may be written in a mapping.

    key: key in the plan; name: name of the attribute. doc: what it is, in English; `about` tells it in
    other languages. example: value as in a plan, without the key. owner: class that declares it, as
    "plan.requests.Think".
    low, high: bounds of the number, or of each number of a list; None where there is none.
    """

    key: str
    name: str
    kind: Kind
    doc: str
    example: str
    is_required: bool
    is_optional: bool
    default: Any
    low: float | None
    high: float | None
    owner: str

    def about(self, code: str | None = None) -> str:
        """Return what the key is. code: language; that of this process if None."""
        return described("fields", (*self.owner.split("."), self.key), self.doc, code)


_FIELDS: dict[type[Any], tuple[Field, ...]] = {}


def fields_of(cls: type[Any]) -> tuple[Field, ...]:
    """Return the keys of a class in the order of its fields, without fields that have no `option()`."""
    if cls not in _FIELDS:
        _FIELDS[cls] = tuple(_declared(cls))
    return _FIELDS[cls]


def short_of(cls: type[Any]) -> Field | None:
    """Return the field that a bare value is read as, if the class has one."""
    short = getattr(cls, "SHORT", None)
    return next((field for field in fields_of(cls) if field.name == short), None)


def options_of(room: str, name: str) -> type[Any]:
    """Return the class of the options of a member of a room."""
    options: type[Any] = members.load(room, name).Options
    return options


def _declared(cls: type[Any]) -> Iterator[Field]:
    hints = get_type_hints(cls, include_extras=True)
    for field in fields(cls):
        declared: Declaration | None = field.metadata.get(Declaration)
        if declared is None:
            continue
        kind, is_optional = _without_none(hints[field.name])
        has_default = field.default is not MISSING or field.default_factory is not MISSING
        default = field.default_factory() if field.default_factory is not MISSING else field.default
        yield Field(
            key=declared.key or field.name,
            name=field.name,
            kind=kind,
            doc=declared.doc,
            example=declared.example or example_of(kind),
            is_required=not has_default,
            is_optional=is_optional,
            default=default if has_default else None,
            low=declared.low,
            high=declared.high,
            owner=_owner_of(cls, field.name),
        )


def _owner_of(cls: type[Any], name: str) -> str:
    """Return the class that declares a field: it, or one that it derives from; without the package's name."""
    owner = next(base for base in cls.__mro__ if name in vars(base).get("__annotations__", {}))
    return f"{owner.__module__.removeprefix('loadrig.')}.{owner.__name__}"


def kind_of(hint: Any) -> Kind:
    """Return the kind of an annotation. Raises TypeError for an annotation that base.shape does not list."""
    return _without_none(hint)[0]


def _without_none(hint: Any) -> tuple[Kind, bool]:
    if get_origin(hint) in (Union, types.UnionType):
        parts = [part for part in get_args(hint) if part is not type(None)]
        is_optional = len(parts) < len(get_args(hint))
        kinds = tuple(_single(part) for part in parts)
        return (kinds[0] if len(kinds) == 1 else Either(kinds)), is_optional
    return _single(hint), False


def _single(hint: Any) -> Kind:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        marks = [mark for mark in hint.__metadata__ if isinstance(mark, Member | Notation)]
        return marks[0] if marks else kind_of(arguments[0])
    if hint in (str, int, float, bool):
        return Plain(hint)
    if hint in AMOUNTS:
        return AMOUNTS[hint]
    if hint is Any:
        return Anything()
    if origin is Literal:
        return Words(arguments)
    if origin is tuple and arguments[-1] is Ellipsis:
        return Listed(kind_of(arguments[0]))
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        return Mapped(kind_of(arguments[1]))
    if is_dataclass(hint):
        return Shaped(hint if isinstance(hint, type) else type(hint))
    if origin in (Union, types.UnionType):
        return kind_of(hint)
    raise TypeError(f"{hint!r} cannot be written in a plan; see loadrig.base.shape for what can")


def noun_of(kind: Kind) -> str:
    """Return what a kind is called in a sentence: "a duration", "a list of texts"."""
    match kind:
        case Plain(type=python_type):
            return _PLAIN[python_type][0]
        case Amount(name=name):
            return _AMOUNT_NOUNS[name]
        case Words(words=words):
            return either([str(word) for word in words])
        case Listed(item=item):
            return TEXTS.listed(noun_of(item))
        case Either(kinds=kinds):
            return either([noun_of(inner) for inner in kinds])
        case Anything():
            return TEXTS.value
        case Member(room=room):
            return TEXTS.name_of(room_noun(room))
        case Notation(noun=noun):
            return noun
        case Shaped(cls=cls):
            short = short_of(cls)
            return TEXTS.short_or_mapping(noun_of(short.kind)) if short else TEXTS.mapping
        case Mapped():
            return TEXTS.mapping


def room_noun(room: str) -> str:
    """Return what a member of a room is called in a sentence: "target", "strategy"."""
    noun = room.rpartition(".")[2].removesuffix("s")
    noun = {"strategie": "strategy"}.get(noun, noun)
    return TEXTS.rooms.get(noun, noun)


def example_of(kind: Kind) -> str:
    """Return an example of a kind in a plan, on one line."""
    match kind:
        case Plain(type=of):
            return _PLAIN[of][1]
        case Amount(name=name):
            return _AMOUNT_EXAMPLES[name]
        case Words(words=words):
            return str(words[0])
        case Listed(item=item):
            return f"[{example_of(item)}]"
        case Mapped(item=item):
            return f"{{name: {example_of(item)}}}"
        case Shaped(cls=cls):
            return _shape_example(cls)
        case Either(kinds=kinds):
            return example_of(kinds[0])
        case Anything():
            return "1"
        case Member():
            return "{name: {…}}"
        case Notation(example=example):
            return example


def _shape_example(cls: type[Any]) -> str:
    fields, short = fields_of(cls), short_of(cls)
    if short is not None:
        return short.example
    groups = getattr(cls, "FORMS", {})
    first = [form for forms in groups.values() for form in forms[:1]]
    keys = {key for form in first for key in form}
    shown = [field for field in fields if field.is_required or field.key in keys] or list(fields[:1])
    return "{" + ", ".join(f"{field.key}: {field.example}" for field in shown) + "}"


def either(words: Sequence[str]) -> str:
    """Return alternatives as in a sentence: "a, b or c"."""
    return words[0] if len(words) == 1 else TEXTS.either(", ".join(words[:-1]), words[-1])


def all_of(words: Sequence[str]) -> str:
    """Return things that belong together as in a sentence: "a, b and c"."""
    return words[0] if len(words) == 1 else TEXTS.all_of(", ".join(words[:-1]), words[-1])


def accepts(kind: Kind, node: "Scalar | Items | Entries") -> bool:
    """Return whether a value written like this can be meant as the kind; used to choose in an Either."""
    match kind:
        case Plain(type=python_type):
            if not isinstance(node, Scalar) or node.value is None:
                return False
            if python_type is bool or isinstance(node.value, bool):
                return (python_type is bool) == isinstance(node.value, bool)
            return python_type is str or isinstance(node.value, int if python_type is int else (int, float))
        case Amount() | Words():
            return isinstance(node, Scalar)
        case Listed():
            return isinstance(node, Items)
        case Mapped():
            return isinstance(node, Entries)
        case Shaped(cls=cls):
            keys = {field.key for field in fields_of(cls)}
            return isinstance(node, Entries) and (not node.entries or bool(keys & set(node.entries)))
        case Either(kinds=kinds):
            return any(accepts(inner, node) for inner in kinds)
        case Anything() | Member() | Notation():
            return True
