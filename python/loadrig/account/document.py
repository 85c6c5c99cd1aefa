"""Types of the account's document, as it stands in a trial's result under `account`.

`compose.document_of` makes it of an account. Whoever reads a result takes it in by `base.documents.typed`.
"""

from collections.abc import Mapping
from typing import Annotated, TypeAlias

from loadrig.base.documents import ABSENT, Absent, Document, Says

VERSION = 1
"""Version of the document: it changes when a field changes its meaning or is left out."""

Interval: TypeAlias = tuple[float, float]


class UnseenDocument(Document, frozen=True):
    """Part of an account that could not be told."""

    what: Annotated[str, Says("what could not be seen")]
    why: Annotated[str, Says("why not")]


class LineDocument(Document, frozen=True):
    """Line of an account: the time of a request in one state."""

    state: Annotated[str, Says("what a request does, see the states below")]
    of: Annotated[str, Says('the dependency that the state is about, or ""')]
    ms: Annotated[float, Says("mean time of a request in this state")]
    interval: Annotated[
        Interval | None, Says("its 95 % interval, or null; wider where something disturbed the trial")
    ]
    source: Annotated[str, Says("series or formula that it is counted by")]


class RunningPartDocument(Document, frozen=True, rename={"work": "class"}):
    """Part of the line `running`: a class of work, of a component whose CPU time was profiled."""

    work: Annotated[str, Says("class of the work, see `cpu_time` of the result")]
    words: Annotated[str, Says("the class in words")]
    ms: Annotated[float, Says("CPU time of a request in it")]
    interval: Annotated[Interval | None, Says("its 95 % interval, or null")]
    share: Annotated[float, Says("share of the line `running`")]


class SlotStateDocument(Document, frozen=True):
    """State of the slots of a kind."""

    slot: Annotated[str, Says("kind of slot, see below")]
    of: Annotated[str, Says('dependency, thread or group that the slots belong to, or ""')]
    state: Annotated[str, Says("what these slots do")]
    share: Annotated[float, Says("share of the slots in that state")]
    number: Annotated[float, Says("number of them")]


class SlotDocument(Document, frozen=True):
    """Kind of slot, of which a component has a number."""

    slot: Annotated[str, Says("kind of slot, see below")]
    of: Annotated[str, Says('dependency, thread or group that the slots belong to, or ""')]
    number: Annotated[float, Says("number of them")]
    full_share: Annotated[
        float | None, Says("share of the time in which none is free; null where that cannot be told")
    ]


class ComponentDocument(Document, frozen=True):
    """Account of a component in a window."""

    total_ms: Annotated[
        float,
        Says(
            "how long a request is at this component; of a dependency, all calls of a request of the load"
            " together, as its callers see them"
        ),
    ]
    total_interval: Annotated[Interval | None, Says("its 95 % interval, or null with fewer than three steps")]
    per_request: Annotated[tuple[LineDocument, ...], Says("lines in the order of a request's way")]
    unaccounted_ms: Annotated[float, Says("`total_ms` less all lines; below zero where the lines are more")]
    unaccounted_interval: Annotated[Interval | None, Says("its 95 % interval, or null")]
    unaccounted_share: Annotated[float, Says("its size over `total_ms`")]
    running_parts: Annotated[
        tuple[RunningPartDocument, ...],
        Says(
            "the line `running` by what the component did then, most first; empty where its CPU time was not"
            " profiled, and in `windows`; see `cpu_time` of the result"
        ),
    ]
    per_slot: Annotated[tuple[SlotStateDocument, ...], Says("what the slots of each kind do")]
    slots: Annotated[
        tuple[SlotDocument, ...], Says("number of slots of each kind, and how often none is free")
    ]
    flags: Annotated[tuple[str, ...], Says("what to mind, see below")]
    unseen: Annotated[tuple[UnseenDocument, ...], Says("what could not be seen of the component")]
    covered_share: Annotated[float, Says("share of the window in which its sockets were seen")]


# A window's fields stand in three documents, in two of them below fields of their own, so that those who look
# into the file meet the version, or the level, first. A base class would put its own fields before them.
WindowSeconds: TypeAlias = Annotated[
    float, Says("length of the measured part, or of the stretch, in seconds")
]
RequestRate: TypeAlias = Annotated[float, Says("requests that ended, however, a second")]
TotalTime: TypeAlias = Annotated[
    float | None,
    Says(
        "how long a request takes, from due to ended, over all outcomes; null where nothing is known of the"
        " loaded server"
    ),
]
LongestParts: TypeAlias = Annotated[
    str,
    Says(
        "the longest parts in words, of the server and of what it mostly waits for; empty where the"
        " sockets were not seen"
    ),
]
Components: TypeAlias = Annotated[Mapping[str, ComponentDocument], Says("by name, the loaded server first")]


class WindowDocument(Document, frozen=True):
    """Account of a stretch of a trial."""

    window_s: WindowSeconds
    requests_per_s: RequestRate
    total_ms: TotalTime
    sentence: LongestParts
    components: Components


class LevelDocument(Document, frozen=True):
    """Account of the time at one level of the load."""

    level: Annotated[float, Says("median of what was asked for, in `loads.unit`")]
    overloaded: Annotated[
        bool, Says("whether less was answered than came: times then depend on how long that lasted")
    ]
    window_s: WindowSeconds
    requests_per_s: RequestRate
    total_ms: TotalTime
    sentence: LongestParts
    components: Components


class EndDocument(Document, frozen=True):
    """Load that is compared with another."""

    level: Annotated[float, Says("median of what was asked for, in `loads.unit`")]
    requests_per_s: Annotated[float, Says("requests that ended, however, a second")]
    overloaded: Annotated[bool, Says("whether less was answered than came")]
    places: Annotated[tuple[int, ...], Says("places of its levels in `levels`, from 0")]


class GrownDocument(Document, frozen=True):
    """Line of an account and by how much it grew."""

    state: Annotated[str, Says("its state; `unaccounted` for what is not accounted for")]
    of: Annotated[str, Says('the dependency, or ""')]
    ms: Annotated[float, Says("its growth")]
    interval: Annotated[Interval, Says("95 % interval of the growth, for all lines together")]
    share: Annotated[
        float | None, Says("share of the request's growth; null where that did not surely become longer")
    ]
    share_interval: Annotated[Interval | None, Says("its 95 % interval, for all lines together, or null")]


class NamedLineDocument(Document, frozen=True):
    """Name of a line."""

    state: Annotated[str, Says("its state")]
    of: Annotated[str, Says('the dependency, or ""')]


class RequestGrowthDocument(Document, frozen=True):
    """Growth of a request's lines at the loaded server from one window to another."""

    low_ms: Annotated[float, Says("mean time of a request in the first of the two windows")]
    high_ms: Annotated[float, Says("mean time of a request in the second")]
    ms: Annotated[float, Says("by how much a request became longer")]
    interval: Annotated[Interval, Says("its 95 % interval")]
    lines: Annotated[tuple[GrownDocument, ...], Says("those that grew most first")]
    most: Annotated[
        tuple[NamedLineDocument, ...],
        Says(
            "the line that surely grew most, and those that cannot be told apart from it; empty where there"
            " is none"
        ),
    ]


class LoadsDocument(Document, frozen=True):
    """Account by level of the load."""

    unit: Annotated[str, Says("unit of the levels: `1/s`, `sessions/s` or `users`")]
    levels: Annotated[tuple[LevelDocument, ...], Says("an account of each level, the lowest first")]
    low: Annotated[EndDocument, Says("the least load that is compared")]
    high: Annotated[EndDocument, Says("the most load that is compared")]
    bends_at: Annotated[
        int | None,
        Says(
            "place of the lowest level from which on the line that grew most is surely longer than at `low`;"
            " null where no line was named"
        ),
    ]
    growth: Annotated[
        RequestGrowthDocument | None,
        Says(
            "what grew at the loaded server from `low` to `high`; null where one of them was too short for an"
            " interval"
        ),
    ]
    sentence: Annotated[str, Says("what grew in words; empty where the sockets were not seen")]


class DipsDocument(Document, frozen=True):
    """Growth of a request's lines in the dips of the throughput."""

    growth: Annotated[
        RequestGrowthDocument | None,
        Says(
            "what grew at the loaded server from the calm to the dips; null where one of them was too short"
            " for an interval"
        ),
    ]
    sentence: Annotated[str, Says("what grew in words; empty where the sockets were not seen")]


class RouteDocument(Document, frozen=True):
    """Account of the requests of a route."""

    route: Annotated[str, Says("name of the route")]
    requests_per_s: Annotated[float, Says("requests of it that ended a second")]
    total_ms: Annotated[float, Says("how long a request of it takes")]
    total_interval: Annotated[Interval | None, Says("its 95 % interval, or null")]
    per_request: Annotated[
        tuple[LineDocument, ...],
        Says(
            "lines that are known for it: by the generator, and by regression on the rates of the routes"
            " where their mix varies enough"
        ),
    ]
    rest_ms: Annotated[float, Says("`total_ms` less these lines: queues, and what could not be told")]
    unseen: Annotated[tuple[UnseenDocument, ...], Says("what could not be told of it")]


class AccountDocument(Document, frozen=True):
    """Account of a trial: where its requests and the slots of its components spent their time."""

    version: Annotated[int, Says("version of this document")]
    window_s: WindowSeconds
    requests_per_s: RequestRate
    total_ms: TotalTime
    sentence: LongestParts
    components: Components
    windows: Annotated[
        Mapping[str, WindowDocument],
        Says(
            "the account of other stretches: `low_load` and `high_load` where the level of the load changes,"
            " the quarter of the time with the least and with the most; `dips` and `calm` where the"
            " throughput dips, the steps in a dip and those between"
        ),
    ]
    loads: Annotated[
        LoadsDocument | Absent,
        Says("the account by level of the load; left out where that did not change enough"),
    ] = ABSENT
    dips: Annotated[
        DipsDocument | Absent,
        Says("what grew from the calm to the dips; left out where the throughput did not dip"),
    ] = ABSENT
    routes: Annotated[
        tuple[RouteDocument, ...] | Absent,
        Says(
            "what can be told of each route, those first that take most time; left out where no two surely"
            " differ"
        ),
    ] = ABSENT
    routes_sentence: Annotated[
        str | Absent, Says("the routes in words; left out where no two surely differ")
    ] = ABSENT
