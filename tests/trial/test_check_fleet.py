"""Each generator of a fleet is held to the limits by itself, and the one that fails is named."""

from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pytest

from loadrig.recording.fleet_document import FleetClock, FleetDelay, FleetGenerator
from loadrig.trial.check_fleet import TEXTS, g18_fleet
from loadrig.trial.check_gaps import g7_gaps
from loadrig.trial.evidence import ValidityEvidence
from loadrig.trial.reasons import Reason
from tests.trial.clean import healthy


def of_fleet(**faults: Any) -> tuple[FleetGenerator, ...]:
    """Return a fleet whose second generator has these faults."""
    lag, clock = FleetDelay(p50=10.0, p99=20.0, max=30.0), FleetClock(low=0.0, high=1.0)
    well = FleetGenerator(name="1", host="a", requests=9, due=9, sent=9, lag_us=lag, clock_offset_us=clock)
    return well, msgspec.structs.replace(well, name="2", host="b", **faults)


def reasons(run: ValidityEvidence) -> list[Reason]:
    return [each for each in g18_fleet(run) if isinstance(each, Reason)]


@pytest.mark.parametrize(
    ("faults", "level"),
    [
        ({}, None),
        ({"lost": "gone", "lost_after_s": 3.0}, "disturbed"),
        ({"lost": "gone", "lost_after_s": 3.0, "taken_over_after_s": 4.0, "missed": 7}, "disturbed"),
        ({"start_late_us": 400.0}, None),
        ({"start_late_us": 600.0}, "disturbed"),
        ({"lag_us": FleetDelay(p50=10.0, p99=1e6, max=1e6)}, "grave"),
        ({"busiest_thread_share": 0.6}, "disturbed"),
        ({"run_delay_share": 0.06}, "grave"),
        ({"ports_share": 0.6}, "disturbed"),
        ({"no_ports": 3}, "grave"),
        ({"no_descriptors": 3}, "grave"),
    ],
)
def test_the_generator_that_did_not_do_its_part_is_named(faults: dict[str, Any], level: str | None) -> None:
    found_reasons = reasons(replace(healthy(), fleet=of_fleet(**faults)))
    assert [(each.check, each.level) for each in found_reasons] == ([("G18", level)] if level else [])
    assert all("2 (b)" in each.text for each in found_reasons)


@pytest.mark.parametrize(("order_s", "levels"), [(None, []), (0.5, []), (1.5, ["disturbed"])])
def test_an_order_that_took_longer_than_a_frame_is_spoken_of(
    order_s: float | None, levels: list[str]
) -> None:
    run = replace(healthy(), fleet=of_fleet(), frame_s=1.0, order_s=order_s)
    assert [(each.check, each.level) for each in reasons(run)] == [("G18", level) for level in levels]


@pytest.mark.parametrize(
    ("users", "threads", "times", "multiple"),
    [(0, 3, "", ""), (1, 1, "", ""), (6, 3, "", ""), (5, 3, "3", "6"), (4, 6, "3", "6"), (1, 2, "2", "2")],
)
def test_users_that_log_in_in_several_threads_are_noted(
    users: int, threads: int, times: str, multiple: str
) -> None:
    noted = reasons(replace(healthy(), shared_users=users, threads=threads))
    assert [(each.check, each.level) for each in noted] == ([("G18", "note")] if times else [])
    for each in noted:
        assert each.text == TEXTS.several_logins(str(users), times, str(threads))
        assert each.mend == TEXTS.mend_logins(multiple)


def test_the_worst_is_named_and_the_others_are_counted() -> None:
    first, second = of_fleet(busiest_thread_share=0.9)
    busy = msgspec.structs.replace(first, busiest_thread_share=0.6)
    (reason,) = reasons(replace(healthy(), fleet=(busy, second)))
    (alone,) = reasons(replace(healthy(), fleet=(first, second)))
    assert reason.text != alone.text


def test_a_generator_alone_is_not_spoken_of() -> None:
    assert list(g18_fleet(healthy())) == []


def test_gaps_of_a_fleets_poisson_arrivals_are_those_of_every_nth() -> None:
    rng = np.random.default_rng(1)
    run = healthy()
    stream_s = rng.exponential(run.seconds / run.due, size=6_000)
    dealt = replace(run, spacing="poisson", gaps_s=stream_s.reshape(-1, 2).sum(axis=1), threads=2)
    assert [each for each in g7_gaps(dealt) if isinstance(each, Reason)]
    assert not [each for each in g7_gaps(replace(dealt, fleet=of_fleet())) if isinstance(each, Reason)]
