"""Identity of a process: its kind, its version, its runtime."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Identity:
    """Identity of a process.

    kind, version: of the program ("gunicorn", "27.0.1"). label: what a person would call it.

    facts: more about the program that is worth showing, such as {"framework": "spring-boot 3.4.1"}.
    """

    kind: str
    version: str = ""
    label: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
