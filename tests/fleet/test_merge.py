"""Frames of n generators as those of one: nothing is lost, nothing is made up, nothing is kept for long."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec import json

from loadrig._native import Histogram
from loadrig.fleet.merge import EXAMPLES_MOST, Bundler, Merger, merged_end
from loadrig.fleet.messages import FrameBundle
from loadrig.fleet.slots import STANDS, SUMS
from loadrig.recording.frame import Frame
from loadrig.recording.frame_document import live
from loadrig.testing.engine_frames import frame_message, row

NS = 1_000_000_000
START_NS = 5 * NS

Json = dict[str, Any]
Plan = Sequence[tuple[int, Mapping[tuple[str, str], Sequence[float]]]]
"""Frames of a generator: length in slots, and times of requests by route and outcome."""

Whole = dict[tuple[str, str, str], tuple[int, int, str, str]]
"""Count, bytes and histograms by route, class and outcome."""

times = st.lists(st.floats(min_value=1e-6, max_value=10.0), max_size=5)
rows = st.dictionaries(
    st.tuples(st.sampled_from(["search", "cart"]), st.sampled_from(["ok", "http_5xx"])), times, max_size=3
)
plans = st.lists(st.tuples(st.integers(min_value=1, max_value=3), rows), min_size=1, max_size=5)
"""One that was held up has frames of more than one slot."""


def frames_of(plan: Plan, ahead_ns: int) -> list[Json]:
    """Return a generator's frames on its own clock."""
    t_ns, frames = START_NS + ahead_ns, []
    for n, (slots, ended) in enumerate(plan):
        requests = [row(outcome, long, route=route) for (route, outcome), long in ended.items()]
        frame = frame_message(n, t_ns, slots * NS, requests, in_flight_s=0.5, planned=7.0, in_flight=n)
        frames.append(frame)
        t_ns += slots * NS
    return frames


def merged(dealt: Sequence[Sequence[Json]], offsets_ns: Sequence[int], order: Sequence[int]) -> list[Json]:
    """Return what comes out when the generators' frames go in, whoever is first."""
    merger = Merger(["a"] * len(dealt), 1, START_NS, 1.0)
    queues = [list(frames) for frames in dealt]
    out: list[Json] = []

    def hear(index: int) -> None:
        if queues[index]:
            merger.take(index, live(queues[index].pop(0)), offsets_ns[index])
        if not queues[index]:
            merger.over(index)
        while (frame := merger.next_frame()) is not None:
            out.append(frame)

    for turn in order:
        hear(turn % len(dealt))
    for index, frames in enumerate(queues):
        while frames:
            hear(index)
    assert merger.pending == 0
    return out


def counts(frames: Sequence[Json]) -> tuple[Counter[str], Whole]:
    """Return all that may be added up in frames."""
    sums: Counter[str] = Counter()
    routes: dict[tuple[str, str, str], tuple[int, int, Histogram, Histogram]] = {}
    own = {kind: Histogram() for kind in ("lag", "wait", "connect")}
    for frame in frames:
        sums.update({name: frame[name] for name in SUMS})
        sums.update({f"status {code}": count for code, count in frame["status"].items()})
        sums["in_flight_ms"] += round(frame["in_flight_s"] * 1e3)
        for kind, histogram in own.items():
            if frame[kind]:
                histogram.add(Histogram.decode(frame[kind]))
        for each in frame["routes"]:
            key = (each["route"], each["class"], each["outcome"])
            count, size, response, service = routes.get(key, (0, 0, Histogram(), Histogram()))
            response.add(Histogram.decode(each["response"]))
            service.add(Histogram.decode(each["service"]))
            routes[key] = (count + each["count"], size + each["bytes"], response, service)
    whole = {
        key: (count, size, response.encode(), service.encode())
        for key, (count, size, response, service) in routes.items()
    }
    whole.update({(kind, "", ""): (0, 0, histogram.encode(), "") for kind, histogram in own.items()})
    return +sums, whole


@given(
    plans=st.lists(plans, min_size=1, max_size=4),
    ahead_s=st.lists(st.integers(-3, 3), min_size=4, max_size=4),
    order=st.lists(st.integers(0, 3), max_size=20),
)
def test_what_comes_out_is_the_sum_of_what_goes_in(
    plans: list[Plan], ahead_s: list[int], order: list[int]
) -> None:
    offsets_ns = [seconds * NS for seconds in ahead_s[: len(plans)]]
    dealt = [frames_of(plan, offset) for plan, offset in zip(plans, offsets_ns, strict=True)]
    out = merged(dealt, offsets_ns, order)
    assert counts(out) == counts([frame for frames in dealt for frame in frames])
    # Rows follow each other on our clock, without a gap, to the end of the last one.
    ends = [frame["t_ns"] + frame["len_ns"] for frame in out]
    assert [frame["t_ns"] for frame in out] == [START_NS, *ends[:-1]]
    assert ends[-1] == START_NS + max(sum(slots for slots, _ in plan) for plan in plans) * NS
    assert [frame["n"] for frame in out] == list(range(len(out)))
    # States are those at the end: what each said last.
    assert out[-1]["in_flight"] == sum(len(plan) - 1 for plan in plans)


def merged_by_tree(
    dealt: Sequence[Sequence[Json]], offsets_ns: Sequence[int], bundlers: int, order: Sequence[int]
) -> list[Json]:
    """Return what comes out when bundlers merge the frames of some each, and one merger their bundles."""
    count = len(dealt)
    merger = Merger(["a"] * count, 1, START_NS, 1.0, bundlers)
    groups = [range(number, count, bundlers) for number in range(bundlers)]
    nodes = [Bundler(group, count, START_NS, 1.0) for group in groups]
    queues = [list(frames) for frames in dealt]
    out: list[Json] = []

    def hear(index: int) -> None:
        node = nodes[index % bundlers]
        if queues[index]:
            node.take(index, live(queues[index].pop(0)), offsets_ns[index])
        if not queues[index]:
            node.over(index)
        if (bundle := node.bundle()) is not None:
            # As it goes from process to process.
            merger.take_bundle(index % bundlers, json.decode(json.encode(bundle), type=FrameBundle))
        while (frame := merger.next_frame()) is not None:
            out.append(frame)

    for turn in order:
        hear(turn % count)
    for index, frames in enumerate(queues):
        while frames:
            hear(index)
    assert merger.pending == 0
    return out


@given(
    plans=st.lists(plans, min_size=3, max_size=7),
    ahead_s=st.lists(st.integers(-3, 3), min_size=7, max_size=7),
    bundlers=st.integers(1, 3),
    order=st.lists(st.integers(0, 6), max_size=20),
)
def test_a_tree_of_mergers_gives_what_one_merger_gives(
    plans: list[Plan], ahead_s: list[int], bundlers: int, order: list[int]
) -> None:
    offsets_ns = [seconds * NS for seconds in ahead_s[: len(plans)]]
    dealt = [frames_of(plan, offset) for plan, offset in zip(plans, offsets_ns, strict=True)]
    assert merged_by_tree(dealt, offsets_ns, bundlers, order) == merged(dealt, offsets_ns, [])


def test_a_lost_generator_of_a_tree_stands_no_more() -> None:
    frame = frame_message(0, START_NS, NS, [row("ok", [0.1])], in_flight=5)
    merger = Merger(["a"] * 3, 1, START_NS, 1.0, 2)
    nodes = [Bundler((0, 2), 3, START_NS, 1.0), Bundler((1,), 3, START_NS, 1.0)]
    nodes[0].take(0, live(frame))
    assert nodes[0].bundle() is None
    nodes[0].take(2, live(frame))
    nodes[0].lose(2)
    nodes[1].take(1, live(frame))
    for number, node in enumerate(nodes):
        bundle = node.bundle()
        assert bundle is not None
        merger.take_bundle(number, bundle)
    out = merger.next_frame()
    assert out is not None
    assert (out["answered"], out["in_flight"]) == (3, 10)


@given(plan=plans)
def test_a_fleet_of_one_is_one(plan: Plan) -> None:
    frames = frames_of(plan, 0)
    in_order = [{**frame, "routes": sorted(frame["routes"], key=place_of)} for frame in frames]
    assert list(map(live, merged([frames], [0], []))) == list(map(live, in_order))


def place_of(row: Json) -> tuple[str, str, str]:
    return row["route"], row["class"], row["outcome"]


def test_a_merged_frame_has_every_key_of_a_generators() -> None:
    frame = frame_message(0, START_NS, NS, [row("ok", [0.1])])
    (out,) = merged([[frame], [frame]], [0, 0], [])
    assert out.keys() == frame.keys()
    Frame.live(live(out))


def test_a_frame_waits_for_all_who_go_on_and_for_nobody_else() -> None:
    merger = Merger(["a", "a", "b"], 1, START_NS, 1.0)
    frame = frame_message(0, START_NS, NS, [row("ok", [0.1])])
    merger.take(0, live(frame))
    merger.take(1, live(frame))
    assert merger.next_frame() is None
    merger.lose(2)
    out = merger.next_frame()
    assert out is not None
    assert out["answered"] == 2
    assert merger.next_frame() is None


def test_one_that_was_held_up_makes_the_merged_frame_as_long() -> None:
    quick = frames_of([(1, {}), (1, {}), (1, {})], 0)
    held_up = frames_of([(3, {})], 0)
    assert [frame["len_ns"] for frame in merged([quick, held_up], [0, 0], [])] == [3 * NS]


def test_generators_of_one_host_share_its_ports_and_those_of_two_do_not() -> None:
    frame = frame_message(0, START_NS, NS, [], ports=5, ports_range=100)
    for hosts, expected in ((["a", "a"], 100), (["a", "b"], 200)):
        merger = Merger(hosts, 1, START_NS, 1.0)
        merger.take(0, live(frame))
        merger.take(1, live(frame))
        out = merger.next_frame()
        assert out is not None
        assert (out["ports"], out["ports_range"]) == (10, expected)


def test_threads_stand_in_the_order_of_their_generators_also_beside_a_silent_one() -> None:
    merger = Merger(["a"] * 3, 1, START_NS, 1.0)
    merger.lose(1)
    for index in (2, 0):
        thread = {"cpu_ns": (index + 1) * NS // 4, "run_delay_ns": index, "busy_share": 0.5}
        merger.take(index, live(frame_message(0, START_NS, NS, [], threads=[thread])))
    out = merger.next_frame()
    assert out is not None
    assert [thread["busy_share"] for thread in out["threads"]] == [0.25, 0.0, 0.75]


def test_examples_are_as_many_as_one_generator_shows() -> None:
    def example(number: int) -> Json:
        return {"t_ns": START_NS + number, "route": "search", "outcome": "http_5xx", "detail": str(number)}

    dealt = [
        [frame_message(0, START_NS, NS, [], examples=[example(3 * index + n) for n in range(3)])]
        for index in range(3)
    ]
    (out,) = merged(dealt, [0, 0, 0], [])
    assert [each["detail"] for each in out["examples"]] == ["0", "1", "2"]
    assert len(out["examples"]) == EXAMPLES_MOST


def test_what_waits_does_not_grow_with_the_run() -> None:
    merger = Merger(["a", "a"], 1, START_NS, 1.0)
    for n in range(50):
        frame = frame_message(n, START_NS + n * NS, NS, [row("ok", [0.1])])
        for index in (0, 1):
            merger.take(index, live(frame))
        while merger.next_frame() is not None:
            pass
        assert merger.pending == 0


def test_ends_are_one_end() -> None:
    ends = [
        {"why": "time", "t_ns": 5, "totals": {"due": 3}, "max_rss_bytes": 7},
        {"why": "stopped", "t_ns": 4, "totals": {"due": 4}, "max_rss_bytes": 8},
    ]
    assert merged_end(ends) == {"why": "stopped", "t_ns": 5, "totals": {"due": 7}, "max_rss_bytes": 15}


def test_states_and_counters_are_those_of_a_frame() -> None:
    frame = frame_message(0, 0, NS, [])
    assert set(SUMS) | set(STANDS) <= frame.keys()
