"""From a setting to what a program is told: flags and variables of its environment."""

from collections.abc import Mapping

from loadrig.base.records import dataclass
from loadrig.base.setting import Setting, Value


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
