"""Rules of what is observed while load runs: members with their options, other hosts, profiles.

See plan.model.
"""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from loadrig.base.shape import Forms, option
from loadrig.base.units import Seconds
from loadrig.plan.kinds import Member


@dataclass(frozen=True, slots=True)
class ChosenMember:
    """A member chosen in a plan, with its own options already read.

    is_asked: False for a probe that the plan does not name: the rig chose it by itself, and goes without it
    where it cannot work. Its options are None then, which stands for its own.
    """

    member: str
    options: Any
    is_asked: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedHost:
    """A host that is observed from there: by the same probes, which a command starts on it.

    Without `port` or `pid` only the host itself is observed.
    """

    FORMS: ClassVar[Forms] = {"server": ((), ("port",), ("pid",))}
    name: str = option("Name of the host in reports: `web1/host`, `web1/server`.", example="web1")
    via: str = option(
        "Command that runs another on that host: `ssh web1`, `kubectl exec -i web-0 --`. No shell is used.",
        example='"ssh web1"',
    )
    python: str = option(
        "The interpreter there that has loadrig, of the same version; words before it are kept, "
        "as in `sudo -n /opt/loadrig/bin/python`.",
        default="python3",
        example="/opt/loadrig/bin/python",
    )
    port: int | None = option(
        "Port at which the server listens there; its processes and all that they talk to are observed.",
        default=None, low=1, high=65535, example="8000",
    )  # fmt: skip
    pid: int | None = option(
        "Process of the server there, where it has no port.", default=None, low=1, example="4711"
    )
    probes: tuple[Annotated[ChosenMember, Member("loadrig.probes")], ...] = option(
        "Probes with options of their own on that host. All others are used too.",
        default=(), example="[{process: {threads: 500}}]",
    )  # fmt: skip
    unwatched: tuple[str, ...] = option(
        "Probes that are not used on that host, or `all`.", default=(), example="[tcp_sockets]"
    )


WHEN_FULL: Literal["when nearly full"] = "when nearly full"
NEVER: Literal["never"] = "never"


@dataclass(frozen=True, slots=True)
class ProfileRules:
    """Profiles of CPU time, taken during the measured part, one component after the other."""

    SHORT = "when"
    when: Literal["at saturation", "at low and saturation", "when nearly full", "never"] = option(
        "At the highest load, or at the lowest, too, to see what grew (a constant load has no low part); in "
        "two short bursts when a program has nearly filled its cores, quota or interpreter; or never.",
        default="at saturation",
    )
    length: Seconds = option(
        "How long each profile is; shortened to fit the load.", default=Seconds(5.0), key="for", low=1.0,
        example="5s",
    )  # fmt: skip
    components: tuple[str, ...] = option(
        "What is profiled, in this order; by default the server, then what it talks to on this machine.",
        default=(),
        example="[server]",
    )
    profilers: tuple[Annotated[ChosenMember, Member("loadrig.profilers")], ...] = option(
        "Options of profilers, by their names; which one fits a component is known without them.",
        default=(),
        example="[{py_spy: {rate: 200}}]",
    )


BY_ITSELF = ProfileRules(when=WHEN_FULL)
"""Rules of profiles where the plan has none, in a study of SINGLE_LOADS."""

SINGLE_LOADS = frozenset({"one_trial", "capacity", "soak", "spike"})
"""Strategies whose trials are not compared with each other; elsewhere a burst would make one trial
different."""
