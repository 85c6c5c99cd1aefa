"""Sentences of `catalogue`, a class for each of its files."""

from collections.abc import Mapping
from typing import ClassVar


class CatalogueLookUpTexts:
    set_by = "set by"
    values = "values"
    default = "default"
    costs = "costs"
    acts_after = "acts after"
    source = "source"
    kinds: ClassVar[Mapping[str, str]] = {
        "flag": "a flag of the command line",
        "environment": "a variable of the environment",
        "key": "a key of its configuration",
        "option": "an option of the JVM",
        "sysctl": "a sysctl",
        "cgroup": "a file of the control group",
    }

    def knobs_of_system(self, title: str) -> str:
        return f"knobs of {title}"

    def knob_of_system(self, title: str) -> str:
        return f"a knob of {title}"

    def several_times(self, formula: str, cycles: int) -> str:
        return f"{formula}, {cycles} times within a window"
