"""Rules of what is proved once a diagnosis is known, and what may be touched for it. See plan.model."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from loadrig.base.setting import Value
from loadrig.base.shape import option
from loadrig.base.units import Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class ProveParts:
    """Proof of what limits the server: by experiments that move it."""

    after_run: bool = option(
        "Prove at the end of every run; false proves only when it is asked for.", default=True
    )
    budget: Seconds = option(
        "Longest time for all experiments together; the last one may end a little later.",
        default=Seconds(180.0), low=1.0, example="3m",
    )  # fmt: skip
    allow: tuple[str, ...] = option(
        "Components that the rig did not start and that may be touched all the same, by name, or `all`.",
        default=(),
        example="[mariadb]",
    )
    through: Mapping[str, str] = option(
        "Addresses of dependencies, host:port, where the rig cannot find them out by itself.",
        factory=dict,
        example='{mariadb: "127.0.0.1:3306"}',
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ProveRules(ProveParts):
    """Rules of the proof of what limits the server.

    knobs: values to try beside the setting's own, by the knobs' names; each holds at least one.
    """

    knobs: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
