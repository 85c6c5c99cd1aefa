"""Settings passed to a program: flags, variables, options of the JVM; and limits within which it runs."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from loadrig.base import units
from loadrig.base.errors import PlanError
from loadrig.base.setting import Knob, Setting, Value
from loadrig.base.shape import option
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.target import TargetKnobsErrors
from loadrig.language.en.target import TargetKnobsTexts
from loadrig.target._within import ANYWHERE, Within

TEXTS, ERRORS = texts_of(TargetKnobsTexts), texts_of(TargetKnobsErrors)

JVM_VARIABLE = "JAVA_TOOL_OPTIONS"
"""Variable from which every JVM reads options, however deep below a script it is started."""

Limit = Literal["cpus", "cpu_quota"]


@dataclass(frozen=True, slots=True)
class FreeKnob:
    """A knob of the program, and how its value is passed, unless a file template names the knob."""

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


def by_name(*knobs: Knob) -> Mapping[str, Knob]:
    """Return a target's own knobs by their names."""
    return {knob.name: knob for knob in knobs}


def catalogue(free: Mapping[str, FreeKnob], owner: str) -> dict[str, Knob]:
    """Return the knobs that a plan declares. owner: whose they are, for those without a doc."""
    return {
        name: Knob(
            name, _kind(knob), knob.doc or _doc(name, knob, owner), knob.default, knob.low, knob.high,
            knob.words, knob.unit, knob.cost,
        )
        for name, knob in free.items()
    }  # fmt: skip


def channels_of(free: Mapping[str, FreeKnob]) -> "dict[str, Channel]":
    """Return how the value of each knob is passed to the program."""
    return {
        name: Channel(
            knob.flag or "", knob.env or "", jvm=knob.jvm or "", limit=knob.limit, sysctl=knob.sysctl or "",
            is_size=knob.kind == "size",
        )
        for name, knob in free.items()
    }  # fmt: skip


def _doc(name: str, free: FreeKnob, owner: str) -> str:
    match free.limit:
        case "cpus":
            return TEXTS.cores_held_on(owner)
        case "cpu_quota":
            return TEXTS.quota_in_cores(owner)
    way = free.flag or free.env or free.jvm or free.sysctl
    return TEXTS.passed_by(f"`{way}`", owner) if way else TEXTS.in_the_files(f"`{{{{{name}}}}}`", owner)


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
class Channel:
    """Way to pass a knob's value to a program: a flag, a variable, an option of the JVM, or a limit.

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
    def is_passed(self) -> bool:
        """Whether the value reaches the program at all, templates apart."""
        return bool(self.flag or self.env or self.no_flag or self.jvm or self.limit or self.sysctl)


def show(value: Value) -> str:
    """Return a value as programs take it: true and false in small letters, whole floats without a point."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def arguments(setting: Setting, channels: Mapping[str, Channel]) -> list[str]:
    """Return the arguments that pass a setting, in its order.

    Raises KeyError for a knob that is not in `channels`: the plan's checks should have refused it.
    """
    words: list[str] = []
    for name, value in setting.items():
        way = channels[name]
        if "{}" in way.flag:
            # Split before the value is put in: a value with a space stays one argument.
            words += [part.replace("{}", show(value)) for part in way.flag.split()]
        elif value is True and way.flag:
            words += way.flag.split()
        elif value is False and way.no_flag:
            words += way.no_flag.split()
    return words


def environment(setting: Setting, channels: Mapping[str, Channel]) -> dict[str, str]:
    """Return the variables that pass a setting."""
    variables = {channels[name].env: show(value) for name, value in setting.items() if channels[name].env}
    options = [_jvm(channels[name], value) for name, value in setting.items() if channels[name].jvm]
    return variables | ({JVM_VARIABLE: " ".join(options)} if options else {})


def inherited(own: Mapping[str, str], variables: Mapping[str, str]) -> dict[str, str]:
    """Return the options of JVMs in the rig's own environment, where a knob adds to them.

    Without them the program would lose options that it has in all other trials. own: variables that the plan
    names; what they say of JVMs stands in place of the rig's. variables: variables that pass the setting.
    """
    value = os.environ.get(JVM_VARIABLE, "")
    return {JVM_VARIABLE: value} if value and JVM_VARIABLE in variables and JVM_VARIABLE not in own else {}


def raise_if_overruled(setting: Setting, channels: Mapping[str, Channel], words: Sequence[str]) -> None:
    """Refuse a knob of the JVM whose option is also in the command line.

    A JVM reads the command line after the variable: all values of the knob would be the same server.
    Raises PlanError target.knob-overruled.
    """
    for name in setting:
        option = channels[name].jvm
        if not option:
            continue
        pattern = r".+".join(map(re.escape, option.split("{}"))).replace(r":\+", ":[+-]")
        word = next((word for word in words if re.fullmatch(pattern, word)), None)
        if word is not None:
            wording = ERRORS.overruled_knob(name, word, option, JVM_VARIABLE)
            raise PlanError.of(wording, code="target.knob-overruled")


def _jvm(way: Channel, value: Value) -> str:
    if "{}" in way.jvm:
        # The JVM counts in binary units and writes them otherwise than plans do; bytes it takes always.
        text = str(units.parse_size(str(value))) if way.is_size else show(value)
        return way.jvm.replace("{}", text)
    return way.jvm if value is True else way.jvm.replace(":+", ":-")


def within(setting: Setting, channels: Mapping[str, Channel]) -> Within:
    """Return the limits within which a setting lets the program run."""
    cores: int | None = None
    quota: float | None = None
    sysctls: dict[str, str] = {}
    for name, value in setting.items():
        way = channels.get(name)
        if way is None:
            continue
        if way.limit == "cpus":
            cores = int(value)
        elif way.limit == "cpu_quota":
            quota = float(value)
        if way.sysctl:
            sysctls[way.sysctl] = show(value)
    return Within(cores, quota, sysctls) if cores is not None or quota is not None or sysctls else ANYWHERE
