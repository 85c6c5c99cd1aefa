"""Users of the cores that a program may run on."""

from dataclasses import replace

import numpy as np
import pytest

from loadrig.judgement.constants import FAIR_SHARE
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.cores import A_REQUEST_S, WATCHING, Use, are_wanted_in_bursts, use_of
from loadrig.testing.cases import ACase


def on_a_busy_core(**programs: float) -> Case:
    """Return a server that uses 0.8 of core 1, which is busy 0.97 of the time. programs: cores used there."""
    case = ACase(seconds=30, rate=100.0, ok=70.0, latency_s=1.5).host_cpu([0.4, 0.97])
    case.tier("server", kind="program", runtime="go", cpus=(1,))
    case.counter("server", "process.cpu_s", "tree", 0.8)
    for program, cores in programs.items():
        core, _, name = program.partition("_")
        case.counter("host", "neighbours.cpu_s", f"{core}:{name}, process 7", cores)
    return case.build()


def use(case: Case) -> Use:
    use = use_of(case, case.server)
    assert use is not None
    return use


def test_what_nobody_was_seen_to_use_may_be_the_rigs_own() -> None:
    rig = WATCHING + A_REQUEST_S * 70
    assert use(on_a_busy_core()).foreign == pytest.approx(0.97 - 0.8 - rig)


def test_a_program_that_was_seen_there_used_it_and_not_the_rig() -> None:
    host_use = use(on_a_busy_core(cpu1_batch=0.16, cpu0_build=0.3))
    assert host_use.foreign == pytest.approx(0.16)
    ((name, cores),) = host_use.strangers
    assert name == "batch, process 7"
    assert cores == pytest.approx(0.16)


def test_strangers_used_no_more_than_was_left() -> None:
    assert use(on_a_busy_core(cpu1_batch=0.4)).foreign == pytest.approx(0.17)


@pytest.mark.parametrize(("moments", "is_wanted"), [(3, False), (30, True)], ids=["bursts", "always"])
def test_many_who_want_a_core_for_moments_do_not_want_it_all_the_time(
    moments: int, *, is_wanted: bool
) -> None:
    """Twenty threads that wake up together wait long in sum, and there is one core to wait for."""
    case = ACase(seconds=30, rate=100.0, ok=70.0, latency_s=1.5).host_cpu([0.4, 0.97])
    case.tier("server", kind="program", cpus=(1,)).counter("server", "process.cpu_s", "tree", 0.05)
    waited_s = np.where(np.arange(30) < moments, 10.0, 0.0)
    case.counter("server", "process.run_delay_s", "tree", waited_s)
    assert (use(case.build()).wanted >= FAIR_SHARE) is is_wanted


@pytest.mark.parametrize(("waits_in", "is_wanted"), [("burst", True), ("calm", False)])
def test_cores_that_are_wanted_whenever_requests_wait_are_short_in_bursts(
    waits_in: str, *, is_wanted: bool
) -> None:
    """Half of the time the core is wanted whole, and half of it for a third; requests wait in one of them."""
    case = ACase(seconds=30, rate=100.0, ok=100.0, latency_s=0.01).host_cpu([0.4, 0.7])
    is_burst = np.arange(30) % 2 == 0
    case.tier("server", kind="program", cpus=(1,)).counter("server", "process.cpu_s", "tree", 0.33)
    case.counter("server", "process.run_delay_s", "tree", np.where(is_burst, 2.0, 0.0))
    built = case.build()
    in_flight = np.where(is_burst == (waits_in == "burst"), 60.0, 1.0)
    built = replace(built, load=replace(built.load, in_flight=in_flight))
    assert are_wanted_in_bursts(built, use(built)) is is_wanted
