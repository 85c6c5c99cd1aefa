"""From a setting to what a program is told: flags and variables of its environment."""

from collections.abc import Mapping
from typing import Literal

from loadrig.base.records import dataclass
from loadrig.base.setting import Knob, Setting, Value
from loadrig.base.shape import option


@dataclass(frozen=True, slots=True)
class FreeKnob:
    """A knob of the program, and how it is told: by a flag or by a variable."""

    SHORT = "flag"
    flag: str | None = option("Argument; {} is the value. Without {} it is given when true.", default=None)
    env: str | None = option("Variable of its environment.", default=None)
    kind: Literal["int", "float", "word", "flag", "size", "text"] | None = option(
        "Kind of value; by default word with `words`, flag without {}, int with low or high, else text.",
        default=None,
    )
    low: float | None = option("Least value.", default=None)
    high: float | None = option("Greatest value.", default=None)
    words: tuple[str, ...] = option("The allowed words.", default=())
    default: str | None = option("What the program does when it is not told.", default=None)
    unit: str = option("Unit of the value.", default="")
    cost: int = option("How dear a step up is: 3 a process, 2 a thread, 1 memory, 0 nothing.", default=0)
    doc: str = option("What it does, for the report.", default="")


def catalogue(free: Mapping[str, FreeKnob], of: str) -> dict[str, Knob]:
    """The knobs that a plan declares. of: whose they are, for those without a doc."""
    return {
        name: Knob(
            name, _kind(one), one.doc or f"`{one.flag or one.env}` of {of}", one.default, one.low, one.high,
            one.words, one.unit, one.cost,
        )
        for name, one in free.items()
    }  # fmt: skip


def told(free: Mapping[str, FreeKnob]) -> "dict[str, Told]":
    """How the program is told each of them."""
    return {name: Told(one.flag or "", one.env or "") for name, one in free.items()}


def _kind(free: FreeKnob) -> str:
    if free.kind:
        return free.kind
    if free.words:
        return "word"
    if free.flag and "{}" not in free.flag:
        return "flag"
    return "int" if free.low is not None or free.high is not None else "text"


@dataclass(frozen=True, slots=True)
class Told:
    """How a program is told a knob's value: by a flag, or by a variable.

    flag: "--workers {}": the braces are the value. A flag without braces is for a knob of kind
    "flag": given when the value is true; `no_flag` when it is false.
    """

    flag: str = ""
    env: str = ""
    no_flag: str = ""


def show(value: Value) -> str:
    """A value as programs take it: true and false in small letters, whole floats without a point."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def arguments(setting: Setting, told: Mapping[str, Told]) -> list[str]:
    """The arguments that tell a setting, in its order.

    Raises KeyError for a knob that is not in `told`: the plan's checks should have refused it.
    """
    words: list[str] = []
    for name, value in setting.items():
        way = told[name]
        if "{}" in way.flag:
            # Split before the value is put in: a value with a space stays one argument.
            words += [part.replace("{}", show(value)) for part in way.flag.split()]
        elif value is True and way.flag:
            words += way.flag.split()
        elif value is False and way.no_flag:
            words += way.no_flag.split()
    return words


def environment(setting: Setting, told: Mapping[str, Told]) -> dict[str, str]:
    """The variables that tell a setting."""
    return {told[name].env: show(value) for name, value in setting.items() if told[name].env}
