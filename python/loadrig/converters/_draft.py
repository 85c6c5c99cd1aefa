"""A plan that was made of another tool's test, before it is written: in the plan's own terms.

Requests, checks, extractions and arrivals are the classes that a plan is read into, so a draft can say just
what a plan can. Texts in them are templates: a member doubles braces with `plan.holes.literal`, and writes
{name} for a hole. Beside them stand the places that things came from.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from loadrig.plan.arrivals import Arrivals
from loadrig.plan.model import Cache, Feed, Tls, TrialRules
from loadrig.plan.requests import Think
from loadrig.plan.written import EarlyEnd, WrittenConnections, WrittenLogin, WrittenRequest


@dataclass(frozen=True, slots=True)
class Dropped:
    """A part of a test that the plan leaves out.

    place: where it stands, as a person looks for it ("line 214"). what: its kind, and its name if it has one.
    why: the reason, without a full stop. order: position in the test, by which it stands among the steps.
    """

    place: str
    what: str
    why: str
    order: int = 0


@dataclass(frozen=True, slots=True)
class Altered:
    """A part of a test that the plan says otherwise than the test: place, what, order as of `Dropped`.

    how: what the plan says in its place, and what differs by that, without a full stop.
    """

    place: str
    what: str
    how: str
    order: int = 0


@dataclass(frozen=True, slots=True)
class StepDraft:
    """A request of the plan. order: its position in the test, in the same count as that of `Dropped`.

    comment: a line to stand above it; empty for none.
    """

    request: WrittenRequest
    order: int = 0
    comment: str = ""


@dataclass(frozen=True, slots=True)
class ScenarioDraft:
    """Requests that a user makes in order. weight: its share among the scenarios."""

    name: str
    steps: tuple[StepDraft, ...]
    weight: float = 1.0
    comment: str = ""


@dataclass(frozen=True, slots=True)
class FileDraft:
    """A file to be written beside the plan. name: without a folder, as requests and feeds name it."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class FeedDraft:
    """Source of a hole's values. file: what it reads, to be written beside the plan; None for none."""

    feed: Feed
    file: FileDraft | None = None
    comment: str = ""


@dataclass(frozen=True, slots=True)
class PlanDraft:
    """All that a plan made of a test can say. Lengths are in seconds.

    server: address of the target, "http://127.0.0.1:8000". servers: those beside it, by their names.
    scenarios: one of them is written as `steps`, several of one step each without a name as `requests`,
    others as `scenarios`.
    allow: hosts beside this machine that the test itself names. timeout_s: None for the plan's own default.
    arrivals_comment: lines to stand above the arrivals.
    """

    server: str
    arrivals: Arrivals
    scenarios: tuple[ScenarioDraft, ...]
    name: str = ""
    think: Think = field(default_factory=Think)
    login: WrittenLogin | None = None
    feeds: Mapping[str, FeedDraft] = field(default_factory=dict)
    files: tuple[FileDraft, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    cookies: bool = True
    cache: Cache | None = None
    timeout_s: float | None = None
    connect_timeout_s: float | None = None
    connections: WrittenConnections = field(default_factory=WrittenConnections)
    tls: Tls = field(default_factory=Tls)
    protos: tuple[str, ...] = ()
    limit: EarlyEnd = field(default_factory=EarlyEnd)
    goals: tuple[str, ...] = ()
    servers: Mapping[str, str] = field(default_factory=dict)
    trial: TrialRules = field(default_factory=TrialRules)
    allow: tuple[str, ...] = ()
    arrivals_comment: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Conversion:
    """A test as a plan, and what became of its parts.

    carried: how many of each kind of part the plan says as the test does, by the kind's name.
    """

    plan: PlanDraft
    dropped: tuple[Dropped, ...] = ()
    altered: tuple[Altered, ...] = ()
    carried: Mapping[str, int] = field(default_factory=dict)

    @property
    def parts(self) -> list[Altered | Dropped]:
        """Parts that the plan leaves out or says otherwise, in the order of the test."""
        parts: list[Altered | Dropped] = [*self.altered, *self.dropped]
        return sorted(parts, key=lambda part: part.order)
