"""Messages between a fleet, its carriers and its mergers, as types; they go as JSON between processes."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from loadrig.base.documents import Document
from loadrig.fleet.hosts import Seat
from loadrig.recording.frame import FailedRequest

LabelState = Mapping[str, tuple[Mapping[str, int], str]]
"""Totals and encoded response times by label, see `label_sums.LabelSums`."""


class GroupRules(Document, frozen=True):
    """Rules of the carrier of a group of generators. number: of the group; first: least index in it.

    log: path of the generators' log. is_second: whether it takes the place of a lost carrier.
    """

    number: int
    first: int
    count: int
    log: str
    is_second: bool


class CarrierAnswer(Document, frozen=True, omit_defaults=True):
    """First answer of a carrier: the seats of its generators, or why a cluster has none for them.

    head: address of Ray's head. refused, arguments, about, where: see `_ray_cluster.RefusedCluster`.
    """

    seats: tuple[Seat, ...] = ()
    head: str = ""
    refused: str = ""
    arguments: tuple[str, ...] = ()
    about: str = ""
    where: str = ""


class MergerMember(NamedTuple):
    """Generator of a merger, by its index in the fleet. offset_ns: by how much its clock is ahead of ours."""

    generator: int
    label: str
    offset_ns: int


class Stand(NamedTuple):
    """Progress of a generator: end of its last frame, requests in flight then, its last slot."""

    generator: int
    end_ns: int | None
    in_flight: int
    reached: int


class MergerLoad(Document, frozen=True):
    """Load as a merger must know it. generators: number of those of the whole fleet.

    reached: slot that the load is past already, where the merger takes the place of a lost one.
    """

    generators: int
    start_ns: int
    frame_s: float
    has_labels: bool
    members: tuple[MergerMember, ...]
    reached: int


class MergerOrder(Document, frozen=True, omit_defaults=True):
    """Order to a merger, by one of these fields.

    lose: index of one that is lost. sums: tell all that was added up and is in no bundle.
    move: a fresh generator in the place of a lost one; the answer says how far that one was.
    """

    begin: MergerLoad | None = None
    lose: int | None = None
    move: MergerMember | None = None
    sums: bool = False


class BundledRoute(NamedTuple):
    """Requests of one route that came to one outcome. times: encoded histograms by their kinds."""

    route: str
    route_class: str
    outcome: str
    requests: int
    bytes: int
    times: Mapping[str, str]


class BundledSlot(Document, frozen=True):
    """Sum of the frames that end in one slot, see `slots.SlotSum`."""

    until_ns: int
    planned: float
    sums: Mapping[str, int]
    in_flight_s: float
    unsent_why: Mapping[str, int]
    status: Mapping[str, int]
    routes: tuple[BundledRoute, ...]
    own: Mapping[str, str]
    stands: tuple[tuple[int, tuple[int, ...]], ...]
    ranges: tuple[tuple[int, int], ...]
    threads: tuple[tuple[int, list[list[int]]], ...]
    gaps_ns: Sequence[int]
    examples: tuple[FailedRequest, ...]


class FrameBundle(Document, frozen=True):
    """Slots that all generators of a merger have come to, with their numbers. reached: the last of them.

    crossed: slots in which no frame ends. lost: generators of which nothing stands any more.
    """

    reached: int
    crossed: tuple[int, ...]
    lost: tuple[int, ...]
    is_last: bool
    slots: tuple[tuple[int, BundledSlot], ...]


class CarriedCounts(NamedTuple):
    """Generator in a bundle: end of its last frame, requests in flight then, and what its frames count."""

    generator: int
    end_ns: int
    in_flight: int
    counts: tuple[int, ...]


class CarriedBundle(FrameBundle, frozen=True):
    """Bundle with what its generators have counted since the last one."""

    carried: tuple[CarriedCounts, ...]
    labels: LabelState


class GeneratorSums(Document, frozen=True):
    """Sums over all frames of a generator, see `testimony.FrameSums`. lag: an encoded histogram."""

    totals: Mapping[str, int]
    missed: int
    rss_bytes: int
    lag: str
    shortages: Mapping[str, int]
    length_ns: int
    cpu_ns: tuple[int, ...]
    delay_ns: int
    ports_share: float
    in_flight: int
    last_end_ns: int | None


class MergerAnswer(Document, frozen=True, omit_defaults=True):
    """Answer of a merger to an order, each field to the order that asks for it."""

    bundles: tuple[CarriedBundle, ...] = ()
    stand: Stand | None = None
    testimonies: tuple[tuple[int, GeneratorSums], ...] = ()
    labels: LabelState = msgspec.field(default_factory=dict)


class MergerLine(Document, frozen=True, omit_defaults=True):
    """Line of a merger: who was heard of since the last, and a bundle if there is one.

    lost: number of a merger that is lost; then nothing else is said.
    """

    merger: int = 0
    seen: tuple[Stand, ...] = ()
    bundle: CarriedBundle | None = None
    lost: int | None = None
