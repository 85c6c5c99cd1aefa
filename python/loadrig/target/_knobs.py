"""From a setting to what a program is told: flags, variables, options of the JVM; and within what it runs."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from loadrig.base import units
from loadrig.base.errors import PlanError, Problem
from loadrig.base.setting import Knob, Setting, Value
from loadrig.base.shape import option
from loadrig.target._within import ANYWHERE, Within

JVM_VARIABLE = "JAVA_TOOL_OPTIONS"
"""Every JVM reads its options from here, however deep below a script it is started."""

Limit = Literal["cpus", "cpu_quota"]


@dataclass(frozen=True, slots=True)
class FreeKnob:
    """A knob of the program, and how it is told; what a template of a file asks for is told by that."""

    SHORT = "flag"
    flag: str | None = option("Argument; {} is the value. Without {} it is given when true.", default=None)
    env: str | None = option("Variable of its environment.", default=None)
    jvm: str | None = option(
        "Option of the JVM, told by JAVA_TOOL_OPTIONS; {} is the value. Without {} its + is - when false.",
        default=None, example='"-Xmx{}"',
    )  # fmt: skip
    limit: Limit | None = option(
        "What it runs within: cpus, how many of its cores; cpu_quota, a quota in cores.", default=None
    )
    sysctl: str | None = option("Sysctl of the network namespace, while the program runs.", default=None)
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
            name, _kind(one), one.doc or _doc(name, one, of), one.default, one.low, one.high,
            one.words, one.unit, one.cost,
        )
        for name, one in free.items()
    }  # fmt: skip


def told(free: Mapping[str, FreeKnob]) -> "dict[str, Told]":
    """How the program is told each of them."""
    return {
        name: Told(
            one.flag or "", one.env or "", jvm=one.jvm or "", limit=one.limit, sysctl=one.sysctl or "",
            is_size=one.kind == "size",
        )
        for name, one in free.items()
    }  # fmt: skip


def _doc(name: str, free: FreeKnob, of: str) -> str:
    match free.limit:
        case "cpus":
            return f"How many cores {of} is held on."
        case "cpu_quota":
            return f"The quota of CPU that {of} has, in cores."
    way = free.flag or free.env or free.jvm or free.sysctl
    return f"`{way}` of {of}" if way else f"`{{{{{name}}}}}` in the files of {of}"


def _kind(free: FreeKnob) -> str:
    if free.kind:
        return free.kind
    if free.words:
        return "word"
    if any(way and "{}" not in way for way in (free.flag, free.jvm)):
        return "flag"
    if free.limit:
        return "int" if free.limit == "cpus" else "float"
    return "int" if free.low is not None or free.high is not None else "text"


@dataclass(frozen=True, slots=True)
class Told:
    """How a program is told a knob's value: a flag, a variable, an option of the JVM, or what it runs within.

    flag: "--workers {}": the braces are the value. A flag without braces is for a knob of kind
    "flag": given when the value is true; `no_flag` when it is false.
    """

    flag: str = ""
    env: str = ""
    no_flag: str = ""
    jvm: str = ""
    limit: Limit | None = None
    sysctl: str = ""
    is_size: bool = False

    @property
    def is_told(self) -> bool:
        """Whether the program hears of it at all, templates apart."""
        return bool(self.flag or self.env or self.no_flag or self.jvm or self.limit or self.sysctl)


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
    found = {told[name].env: show(value) for name, value in setting.items() if told[name].env}
    options = [_jvm(told[name], value) for name, value in setting.items() if told[name].jvm]
    return found | ({JVM_VARIABLE: " ".join(options)} if options else {})


def inherited(own: Mapping[str, str], told: Mapping[str, str]) -> dict[str, str]:
    """The options of JVMs that the rig itself was given, where a knob adds to them.

    Without them the program would lose what it has in all other trials. own: variables that the plan names;
    what it says of JVMs stands in their place.
    """
    given = os.environ.get(JVM_VARIABLE, "")
    return {JVM_VARIABLE: given} if given and JVM_VARIABLE in told and JVM_VARIABLE not in own else {}


def raise_if_overruled(setting: Setting, told: Mapping[str, Told], words: Sequence[str]) -> None:
    """Refuse a knob of the JVM whose option is in the command line, too.

    A JVM reads the command line after the variable: all values of the knob would be the same server.
    Raises PlanError target.knob-overruled.
    """
    for name in setting:
        option = told[name].jvm
        if not option:
            continue
        pattern = r".+".join(map(re.escape, option.split("{}"))).replace(r":\+", ":[+-]")
        word = next((word for word in words if re.fullmatch(pattern, word)), None)
        if word is not None:
            raise PlanError(
                Problem(
                    what=f"the knob {name} changes nothing: the command says {word} itself",
                    why=f"{option} is told by {JVM_VARIABLE}; a JVM takes what its command line says instead",
                    mend=f"take {word} out of the command",
                    code="target.knob-overruled",
                )
            )


def _jvm(way: Told, value: Value) -> str:
    if "{}" in way.jvm:
        # The JVM counts in binary units and writes them otherwise than plans do; bytes it takes always.
        text = str(units.parse_size(str(value))) if way.is_size else show(value)
        return way.jvm.replace("{}", text)
    return way.jvm if value is True else way.jvm.replace(":+", ":-")


def within(setting: Setting, told: Mapping[str, Told]) -> Within:
    """Within what a setting wants the program to run."""
    cores: int | None = None
    quota: float | None = None
    sysctls: dict[str, str] = {}
    for name, value in setting.items():
        way = told.get(name)
        if way is None:
            continue
        if way.limit == "cpus":
            cores = int(value)
        elif way.limit == "cpu_quota":
            quota = float(value)
        if way.sysctl:
            sysctls[way.sysctl] = show(value)
    return Within(cores, quota, sysctls) if cores is not None or quota is not None or sysctls else ANYWHERE
