"""Whether another host is observed: gaps and reasons are told once, and a gap is told to be over."""

from collections import deque

from loadrig.base.series import Event, Sample
from loadrig.base.unavailable import Unavailable
from loadrig.probes._remote.presence import Presence

REFUSED = Unavailable("it refuses us", "mend the key", "probe.refused")
SILENT = Unavailable("it says nothing", "look at it", "probe.silent")


class EventKeeper:
    """Sink that keeps events."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def samples(self, samples: list[Sample], component: str) -> None:
        raise AssertionError(f"a presence has no samples, and here are {len(samples)} of {component}")

    def event(self, event: Event) -> None:
        self.events.append(event)


def test_a_host_that_never_answered_is_told_once_for_each_reason() -> None:
    sink, notes = EventKeeper(), deque[str]()
    presence = Presence("web1", sink, notes)
    for missing in (REFUSED, REFUSED, SILENT):
        presence.lose(missing, [], None)
    assert [event.facts["code"] for event in sink.events] == ["probe.refused", "probe.silent"]
    assert [event.kind for event in sink.events] == ["note", "note"]
    assert len(notes) == 2


def test_a_gap_lasts_from_when_the_host_was_last_heard_until_it_is_back() -> None:
    sink, notes = EventKeeper(), deque[str]()
    presence = Presence("web1", sink, notes)
    assert presence.begin()
    presence.lose(SILENT, ["bye"], 5)
    presence.lose(SILENT, ["bye"], 9)
    assert not presence.begin()
    presence.lose(SILENT, [], 11)
    assert [(event.kind, event.component) for event in sink.events] == [
        ("gap", "web1/host"), ("gap_over", "web1/host"), ("gap", "web1/host"),
    ]  # fmt: skip
    assert (sink.events[0].t_ns, sink.events[2].t_ns) == (5, 11)
    assert sink.events[0].facts["said"] == ["bye"]
    assert len(notes) == 2
