"""Experiments while load runs, on a clock of the tests' own and a server that is a formula."""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.component import SERVER, Component
from loadrig.base.running import Address, RunningTarget
from loadrig.base.series import Event
from loadrig.base.unavailable import Unavailable
from loadrig.interventions import Lever, Scene, Setter, Step
from loadrig.judgement.experiments.credence import OPEN, Doubt
from loadrig.judgement.experiments.outcome import Measure
from loadrig.judgement.experiments.results import Measurement, Result
from loadrig.proving.changes import skip
from loadrig.proving.document import SkippedExperiment
from loadrig.proving.live import FEWEST_BLOCKS, USEFUL_BLOCKS, Chooser, LiveProof
from loadrig.recording.frame import Frame
from loadrig.recording.steps import NS
from loadrig.testing.engine_frames import engine_frame, row
from loadrig.trial.spec import Stage


class FormulaServer:
    """A server whose throughput is a formula of what is changed. elasticities: by the change's place.

    drift: logarithm of its throughput after a second over that before, whatever is changed.
    """

    def __init__(
        self, elasticities: list[float], ratio: float = 0.8, noise: float = 0.02, drift: float = 0.0
    ) -> None:
        self.now_ns = 0
        self.is_changed = [False] * len(elasticities)
        self.entered, self.left = 0, 0
        self._elasticities, self._ratio, self._noise, self._drift = elasticities, ratio, noise, drift
        self._random = random.Random(7)
        self.events: list[Event] = []

    def clock(self) -> int:
        return self.now_ns

    def steps(self) -> list[Step]:
        return [
            Step(
                Lever("cpu", f"tier{place}"), f"CPU of tier{place}", self._ratio, self._held(place), "a fifth"
            )
            for place in range(len(self._elasticities))
        ]

    def _held(self, place: int) -> Callable[[], Any]:
        @contextmanager
        def held() -> Iterator[Setter]:
            self.entered += 1

            def change(to: bool) -> None:
                self.is_changed[place] = to

            yield change
            self.is_changed[place] = False
            self.left += 1

        return held

    def frame(self, length_s: float = 0.1) -> Frame:
        drifted = self._drift * self.now_ns / NS
        rate = 1000 * math.exp(drifted + self._random.gauss(0, self._noise))
        for place, elasticity in enumerate(self._elasticities):
            if self.is_changed[place]:
                rate *= self._ratio**elasticity
        start = self.now_ns
        self.now_ns += int(length_s * NS)
        ended = row("ok", [0.01] * round(rate * length_s))
        return Frame.live(engine_frame(0, start, int(length_s * NS), [ended], in_flight_s=10 * length_s))

    def stage(self) -> Stage:
        address = Address("127.0.0.1", 1, "http", None)
        target = RunningTarget(address)
        parts = (Component(SERVER, "program"),)
        return Stage(target, lambda: parts, self.events.append, (0,), 0, lambda _: 0)


def run(
    server: FormulaServer, *, choose: Chooser | None = None, most_s: float = 120, **more: Any
) -> LiveProof:
    """Let it run to its end."""
    chooser = choose or (lambda _scene, _response: (server.steps(), []))
    measure: Measure = more.pop("measure", "throughput")
    seed = more.pop("seed", 3)
    proof = LiveProof(chooser, measure, warm_up_s=1.0, most_s=most_s, seed=seed, clock=server.clock, **more)
    proof.begin(server.stage())
    for _ in range(100_000):
        proof.see(server.frame())
        if proof.why_over():
            break
    proof.close()
    return proof


def test_it_tells_what_limits_from_what_does_not(snapshot: SnapshotAssertion) -> None:
    server = FormulaServer([0.95, 0.0])
    proof = run(server)
    assert [result.standing for result in proof.results] == ["limits", "cleared"]
    assert proof.why_over() == snapshot
    first = proof.results[0].elasticity
    assert first is not None
    assert first.low < 0.95 < first.high


@pytest.mark.parametrize("seed", range(8))
def test_a_steady_drift_falls_on_every_change_alike(seed: int) -> None:
    """Two blocks in opposite orders: what falls by 2 % a second all the time is put down to no change."""
    server = FormulaServer([0.0], drift=-0.02, noise=0.0)
    proof = run(server, seed=seed)
    parts = proof.results[0].parts
    twice = [part for part in parts if part.block in (0, 1)]
    base, changed = (
        [math.log(part.outcome) for part in twice if part.is_changed is is_changed]
        for is_changed in (False, True)
    )
    assert len(base) == len(changed) == 2
    # Nothing but whole frames lies between: a slot may be a frame longer than another one.
    assert math.fsum(base) == pytest.approx(math.fsum(changed), abs=0.02)


def test_everything_is_changed_back_and_left() -> None:
    server = FormulaServer([0.95, 0.0])
    run(server)
    assert not any(server.is_changed)
    assert server.entered == server.left == 2


def test_it_is_changed_back_when_the_load_ends_in_the_middle_of_a_slot() -> None:
    server = FormulaServer([1.0])
    proof = LiveProof(
        lambda _scene, _response: (server.steps(), []), "throughput", warm_up_s=1.0, most_s=60, seed=3,
        clock=server.clock,
    )  # fmt: skip
    proof.begin(server.stage())
    while not server.is_changed[0]:
        proof.see(server.frame())
    proof.close()
    assert not server.is_changed[0]
    assert server.left == 1


def test_whoever_watches_is_told_each_slot_with_what_was_changed() -> None:
    server, slots = FormulaServer([0.9]), list[tuple[str, Measurement]]()
    proof = run(server, tell=lambda title, part: slots.append((title, part)))
    (title,) = {result.title for result in proof.results}
    assert {(each, part.is_changed) for each, part in slots} == {("", False), (title, True)}
    parts = sorted(part.from_s for part in proof.results[0].parts)
    assert sorted(part.from_s for _, part in slots) == parts


def test_bands_and_events_tell_when_it_was_changed() -> None:
    server = FormulaServer([0.9])
    proof = run(server)
    assert proof.bands
    assert all(band.to_s > band.from_s for band in proof.bands)
    changes = [event.facts["is_changed"] for event in server.events if event.kind == "intervention"]
    assert changes == [True, False] * len(proof.bands)


def test_a_change_in_parts_shows_as_shared() -> None:
    proof = run(FormulaServer([0.33], noise=0.005))
    assert proof.results[0].standing == "shares"


def test_noise_that_hides_the_answer_leaves_it_unsure_until_the_time_is_up(
    snapshot: SnapshotAssertion,
) -> None:
    proof = run(FormulaServer([0.3], noise=0.5), most_s=40)
    assert proof.results[0].standing == "unsure"
    assert proof.why_over() == snapshot


def test_what_cannot_be_prepared_is_said_and_the_rest_goes_on() -> None:
    server = FormulaServer([0.9])

    @contextmanager
    def broken() -> Iterator[Setter]:
        raise Unavailable("no right", "be root", "prove.no-right")
        yield lambda _: None

    bad = Step(Lever("cpu", "other"), "CPU of other", 0.8, broken, "")
    proof = run(server, choose=lambda _scene, _response: ([bad, *server.steps()], []))
    assert [skip.code for skip in proof.skipped] == ["prove.no-right"]
    assert [result.title for result in proof.results] == ["CPU of tier0"]


def test_what_fails_in_the_middle_is_said_and_left_out() -> None:
    server, calls = FormulaServer([0.9]), list[bool]()

    @contextmanager
    def dying() -> Iterator[Setter]:
        def change(to: bool) -> None:
            calls.append(to)
            if len(calls) > 2:
                raise Unavailable("it has died", "start it again", "prove.refused")

        yield change

    bad = Step(Lever("cpu", "other"), "CPU of other", 0.8, dying, "")
    proof = run(server, choose=lambda _scene, _response: ([bad, *server.steps()], []))
    assert [skip.code for skip in proof.skipped] == ["prove.refused"]
    assert next(result for result in proof.results if result.title == "CPU of tier0").standing == "limits"


def test_where_nothing_can_be_changed_the_load_ends_at_once(snapshot: SnapshotAssertion) -> None:
    server = FormulaServer([])
    no = skip(Lever("cpu", SERVER), "why", "mend", "prove.no-right")
    proof = run(server, choose=lambda _scene, _response: ([], [no]))
    assert proof.why_over() == snapshot
    assert proof.skipped == [no]


@pytest.mark.parametrize(("elasticity", "standing"), [(1.0, "limits"), (0.0, "cleared")])
def test_latency_counts_as_worse_when_it_grows(elasticity: float, standing: str) -> None:
    # In flight is constant, so by Little's law latency is its inverse.
    proof = run(FormulaServer([elasticity]), measure="latency")
    result = proof.results[0]
    assert result.standing == standing
    assert (result.gain.value > 1.15) == (standing == "limits")


def test_the_chooser_is_told_the_response_time_and_what_runs() -> None:
    server, calls = FormulaServer([0.9]), list[tuple[Scene, float]]()

    def choose(scene: Scene, response_s: float) -> tuple[list[Step], list[SkippedExperiment]]:
        calls.append((scene, response_s))
        return server.steps(), []

    run(server, choose=choose)
    scene, response_s = calls[0]
    assert scene.component(SERVER) is not None
    assert scene.cpus == (0,)
    assert response_s == pytest.approx(0.01, rel=0.1)


def test_where_hardly_anything_is_answered_nothing_is_changed_and_that_is_said(
    snapshot: SnapshotAssertion,
) -> None:
    server = FormulaServer([1.0])
    server.frame = lambda length_s=0.1: replace(FormulaServer.frame(server, length_s), routes=())  # type: ignore[method-assign]
    live = run(server)
    assert (live.results, server.entered, live.bands) == ([], 0, [])
    assert [skip.code for skip in live.skipped] == ["prove.unanswered"]
    assert live.why_over() == snapshot


def starts(proof: LiveProof, component: str) -> list[float]:
    """Return when a component was changed, in seconds."""
    results = [result for result in proof.results if result.lever.component == component]
    return [part.from_s for result in results for part in result.parts if part.is_changed]


def told_most_by(component: str) -> Doubt:
    """Return the doubt in which the change of one component tells a bit, all others a tenth of it."""
    return Doubt(lambda changes, _: [1.0 if each.lever.component == component else 0.1 for each in changes])


def test_what_tells_most_is_asked_alone_and_then_the_others() -> None:
    server = FormulaServer([0.0, 0.95, 0.02])
    proof = run(server, doubt=told_most_by("tier1"))
    own = starts(proof, "tier1")
    others = [*starts(proof, "tier0"), *starts(proof, "tier2")]
    assert max(own) < min(others)
    assert {result.lever.component: result.standing for result in proof.results} == {
        "tier1": "limits", "tier0": "cleared", "tier2": "cleared",
    }  # fmt: skip


def test_what_does_not_become_sure_is_asked_beside_others_after_some_blocks() -> None:
    server = FormulaServer([0.4, 0.0], noise=0.08)
    proof = run(server, doubt=told_most_by("tier0"), most_s=100)
    alone = [start for start in starts(proof, "tier0") if start < min(starts(proof, "tier1"))]
    assert USEFUL_BLOCKS <= len(alone) <= USEFUL_BLOCKS + 1


def test_what_there_is_no_time_for_after_what_tells_most_is_said() -> None:
    server = FormulaServer([0.4, 0.0], noise=0.08)
    proof = run(server, doubt=told_most_by("tier0"), most_s=17)
    assert [result.lever.component for result in proof.results] == ["tier0"]
    assert [(skip.lever.component, skip.code) for skip in proof.skipped] == [("tier1", "prove.budget")]


def test_where_what_tells_most_fails_the_others_are_asked() -> None:
    server = FormulaServer([0.9])

    @contextmanager
    def dead() -> Iterator[Setter]:
        def change(to: bool) -> None:
            raise Unavailable(f"it has died before {to}", "start it again", "prove.refused")

        yield change

    bad = Step(Lever("cpu", "other"), "CPU of other", 0.8, dead, "")
    proof = run(
        server,
        choose=lambda _scene, _response: ([bad, *server.steps()], []),
        doubt=told_most_by("other"),
    )
    assert [skip.code for skip in proof.skipped] == ["prove.refused"]
    assert [(result.title, result.standing) for result in proof.results] == [("CPU of tier0", "limits")]


def test_what_tells_hardly_anything_is_not_asked_at_all() -> None:
    server = FormulaServer([0.95, 0.9])
    proof = run(
        server, doubt=Doubt(lambda changes, _: [1.0 if "0" in each.title else 0.01 for each in changes])
    )
    assert [result.lever.component for result in proof.results] == ["tier0"]
    assert proof.skipped == []
    nothing = run(FormulaServer([0.95]), doubt=Doubt(lambda changes, _: [0.0] * len(changes)))
    assert (nothing.results, nothing.bands) == ([], [])
    assert nothing.why_over()


def test_it_ends_as_soon_as_what_was_asked_is_decided() -> None:
    proof = run(FormulaServer([0.95, 0.3], noise=0.05), doubt=replace(OPEN, is_decided=bool))
    assert {result.blocks for result in proof.results} == {FEWEST_BLOCKS}


def test_many_changes_in_little_time_are_judged_at_the_end_of_it() -> None:
    proof = run(FormulaServer([0.95, 0.0, 0.0, 0.0]), most_s=13.25)
    assert [result.lever.component for result in proof.results] == ["tier0"]
    assert [skip.code for skip in proof.skipped] == ["prove.budget"] * 3


def test_what_would_hardly_tell_who_is_right_is_not_asked_on_until_it_is_sure() -> None:
    server = FormulaServer([0.3], noise=0.5)

    def tells(changes: Sequence[Any], results: Sequence[Result]) -> list[float]:
        return [0.01 if results else 1.0 for _ in changes]

    proof = run(server, doubt=Doubt(tells))
    assert [(result.standing, result.blocks) for result in proof.results] == [("unsure", USEFUL_BLOCKS)]
    assert proof.skipped == []
    # Unless whoever is likeliest is proved or cleared by it.
    proof = run(FormulaServer([0.3], noise=0.5), doubt=Doubt(tells, is_awaited=lambda *_: True))
    assert proof.results[0].blocks > USEFUL_BLOCKS


def test_who_goes_first_is_judged_by_the_gain_as_nobody_knows_how_much_more_it_has() -> None:
    server = FormulaServer([0.5], ratio=2.0)
    (cpu,) = server.steps()
    first = replace(cpu, lever=Lever("precedence", SERVER), title="server first")
    proof = run(server, choose=lambda _scene, _response: ([first], []))
    (gained,) = proof.results
    assert (gained.standing, gained.ratio, gained.elasticity, gained.is_mend) == ("limits", None, None, True)
