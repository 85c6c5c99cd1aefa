"""Trials of their own in blocks: what two settings differ by, and what a rest leaves."""

import math
import statistics
from dataclasses import replace
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.interventions import Lever, Variant
from loadrig.judgement.experiments.results import Gain, Measurement, scatter_of
from loadrig.judgement.experiments.signals import blamed, goes_on, signal_text
from loadrig.judgement.experiments.trial_gains import gain_of, standing_by_gain, trial_standing
from loadrig.proving import rest
from loadrig.proving.pairs import Pairs, TrialTimes
from loadrig.proving.trials import TrialLog, TrialRunner
from loadrig.recording.layout import RunFolder
from tests.judgement.experiments.examples import result
from tests.study.fakes import plan


def parts(values: list[float], *, is_changed: bool) -> list[Measurement]:
    return [Measurement(1, 0.0, 6.0, block, is_changed, value) for block, value in enumerate(values)]


def test_two_blocks_that_agree_by_chance_are_not_more_sure_than_restarts_allow() -> None:
    gain = gain_of("throughput", parts([100, 100], is_changed=False), parts([101, 101], is_changed=True))
    assert gain.low < 0.95
    assert gain.high > 1.05


def test_more_blocks_make_it_surer() -> None:
    def width(blocks: int) -> float:
        base, own = parts([100.0] * blocks, is_changed=False), parts([150.0] * blocks, is_changed=True)
        gain = gain_of("throughput", base, own)
        assert gain.value == pytest.approx(1.5)
        return math.log(gain.high / gain.low)

    assert width(2) > width(4) > width(6)


def test_blocks_that_differ_much_make_it_less_sure() -> None:
    calm = gain_of(
        "throughput", parts([100, 100, 100], is_changed=False), parts([150, 150, 150], is_changed=True)
    )
    wild = gain_of(
        "throughput", parts([100, 100, 100], is_changed=False), parts([90, 150, 250], is_changed=True)
    )
    assert wild.high / wild.low > 2 * calm.high / calm.low


def test_a_server_whose_slots_scatter_is_not_sure_after_two_blocks_that_agree() -> None:
    base, own = parts([19.2, 9.4], is_changed=False), parts([76.7, 69.4], is_changed=True)
    assert gain_of("throughput", base, own).low > 1
    assert gain_of("throughput", base, own, scatter=1.4).low < 1


def test_how_trials_scatter_is_told_by_slots_in_which_nothing_was_changed() -> None:
    slots = [80.8, 98.2, 65.5, 70.8, 0.3]
    unchanged = tuple(Measurement(1, 8.0 * n, 2.0, n, False, value) for n, value in enumerate(slots))
    changed = tuple(Measurement(1, 8.0 * n + 4, 2.0, n, True, 50.0) for n in range(5))
    live = replace(result(Lever("cpu", "server"), "unsure"), parts=(*unchanged, *changed))
    each = statistics.stdev(math.log(value) for value in slots)
    # Slots that two experiments share are one; a trial of four times their length scatters half as much.
    assert scatter_of([live, live], 8.0) == pytest.approx(each / 2)
    assert scatter_of([replace(live, parts=live.parts[:3])], 8.0) == 0.0
    assert scatter_of([replace(live, lever=Lever("knob", "server", "workers"))], 8.0) == 0.0


def test_a_slow_block_that_hits_both_alike_does_no_harm() -> None:
    gain = gain_of(
        "throughput", parts([100, 50, 100], is_changed=False), parts([150, 75, 150], is_changed=True)
    )
    assert gain.value == pytest.approx(1.5)
    assert gain.low > 1.3


@pytest.mark.parametrize(
    ("measure", "gain", "standing"),
    [
        ("throughput", Gain(1.5, 1.3, 1.7), "limits"),
        ("throughput", Gain(1.0, 0.95, 1.05), "cleared"),
        ("throughput", Gain(1.2, 0.9, 1.6), "unsure"),
        ("throughput", Gain(0.5, 0.4, 0.6), "cleared"),
        ("latency", Gain(0.5, 0.4, 0.6), "limits"),
        ("latency", Gain(1.0, 0.95, 1.05), "cleared"),
        ("dips", Gain(0.1, 0.05, 0.2), "limits"),
        ("dips", Gain(0.9, 0.8, 1.1), "cleared"),
        ("growth", Gain(0.7, 0.5, 0.9), "unsure"),
    ],
)
def test_what_a_gain_says(measure: str, gain: Gain, standing: str) -> None:
    assert trial_standing(measure, gain) == standing  # type: ignore[arg-type]


def test_what_goes_on_as_before_did_not_cause_what_is_gone() -> None:
    assert goes_on({False: 0.05, True: 0.048})
    assert not goes_on({False: 0.05, True: 0.01})
    assert not goes_on({False: 0.0, True: 0.0})
    assert not goes_on({})


def test_of_dips_the_servers_collections_are_always_asked_and_said(snapshot: SnapshotAssertion) -> None:
    assert blamed([("pool_too_small", "server")], "throughput") == {}
    (key,) = blamed([("pool_too_small", "server")], "dips")
    assert key == ("gc_pressure", "server")
    assert list(blamed([("gc_pressure", "server"), ("gc_pressure", "feed")], "dips")) == [
        key,
        ("gc_pressure", "feed"),
    ]
    assert signal_text(*key, {False: 0.011, True: 0.012}) == snapshot
    assert signal_text(*key, {False: 0.011}) == ""


def test_ports_that_wait_are_counted() -> None:
    text = "sockets: used 91\nTCP: inuse 7 orphan 0 tw 1934 alloc 12 mem 1\nUDP: inuse 0 mem 0\n"
    assert rest.waiting(text) == 1934
    assert rest.waiting("sockets: used 1\n") == 0


def test_it_is_waited_until_most_ports_are_free_and_no_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sockets, ports = tmp_path / "sockstat", tmp_path / "range"
    monkeypatch.setattr(rest, "SOCKETS", sockets)
    monkeypatch.setattr(rest, "PORT_RANGE", ports)
    ports.write_text("40000\t40999\n", encoding="ascii")
    slept: list[float] = []
    # Of 1,000 ports a quarter may wait; each time that we sleep a hundred become free.
    time_wait = [600]

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        time_wait[0] -= 100
        sockets.write_text(f"TCP: inuse 7 orphan 0 tw {time_wait[0]} alloc 12 mem 1\n", encoding="ascii")

    sockets.write_text("TCP: inuse 7 orphan 0 tw 600 alloc 12 mem 1\n", encoding="ascii")
    rest.wait(most_s=60.0, sleep=sleep)
    assert len(slept) == 4
    rest.wait(most_s=60.0, sleep=sleep)
    assert len(slept) == 4


def test_trials_that_are_all_spoilt_end_with_the_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = [0.0]
    monkeypatch.setattr("loadrig.proving.pairs.time.monotonic", lambda: now_s[0])
    monkeypatch.setattr(rest, "wait", lambda _: None)
    monkeypatch.setattr(rest, "is_needed", lambda: False)
    monkeypatch.setattr(TrialLog, "has_added", lambda *_: False)

    def run_trial(*_: object) -> None:
        now_s[0] += 20.0

    variants = [Variant(Lever("knob", "server", str(number)), "", plan(), {}) for number in range(3)]
    runner = TrialRunner(RunFolder(tmp_path), run_trial, seed=1)
    pairs = Pairs(variants, runner, TrialLog("throughput"), TrialTimes(ends=70.0, trial_s=20.0))
    assert pairs.run() == []
    assert 20.0 <= now_s[0] <= 70.0


def test_trials_whose_own_seconds_scatter_are_less_sure_though_blocks_agree() -> None:
    base, own = parts([100.0, 100.0], is_changed=False), parts([130.0, 130.0], is_changed=True)
    shaken = [replace(part, scatter=0.3) for part in own]
    assert gain_of("throughput", base, own).low > 1
    assert gain_of("throughput", base, shaken).low < 1
    assert gain_of("throughput", base, shaken).value == pytest.approx(1.3)


def test_who_goes_first_must_surely_gain_more_than_every_shared_core_gives() -> None:
    gains = {
        "limits": Gain(1.42, 1.27, 1.58),
        "unsure": Gain(1.13, 0.93, 1.37),
        "cleared": Gain(1.04, 1.0, 1.1),
    }
    assert {name: standing_by_gain("throughput", gain) for name, gain in gains.items()} == {
        name: name for name in gains
    }
    assert standing_by_gain("latency", Gain(0.5, 0.4, 0.6)) == "limits"
