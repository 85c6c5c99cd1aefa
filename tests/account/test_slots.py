"""Slots of a component in its account: an interpreter's lock, and workers that hold a request each."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from loadrig.account.trial_account import account
from loadrig.base.component import SERVER
from tests.account.made import N, a_component, a_load
from tests.account.test_read import IN, SERVER_READ, Values, lines, numbers, recorded, server_of, stages


def test_the_lock_of_an_interpreter_is_a_slot(tmp_path: Path) -> None:
    read: Values = {
        **SERVER_READ, ("python", "gil_share", ""): 0.97, ("python", "gil_share", "pid:4710"): 0.97,
        ("python", "waiting_threads", ""): 3.0,
    }  # fmt: skip
    server = server_of(recorded(tmp_path / "1", {SERVER: read}))
    lock = next(slot for slot in server.slots.slots if slot.slot == "interpreter")
    assert lock.full_share == 1
    assert numbers(server, "interpreter") == pytest.approx({"held": 0.97, "free": 0.03, "waiting": 3.0})


def test_workers_that_hold_one_request_each_are_slots(tmp_path: Path) -> None:
    read = {**SERVER_READ, ("socket_stages", "in_hand", IN): 4.0}
    server = server_of(recorded(tmp_path / "1", {SERVER: read}))
    workers = next(slot for slot in server.slots.slots if slot.slot == "workers")
    assert (workers.number, workers.full_share) == (4, 1)


@pytest.mark.parametrize(
    ("accepted", "unread_ms"),
    [
        (4.0, 0.0),  # one for each of four processes: nobody accepts a second before it has answered
        (9.0, 36.0),  # several for each: what is unread waits until a loop comes to it
    ],
)
def test_what_a_process_that_has_one_connection_leaves_unread_is_in_hand(
    tmp_path: Path, accepted: float, unread_ms: float
) -> None:
    """The empty record at the end of a FastCGI request stays in the socket until the answer is out."""
    read = stages(IN, unread=3.6, in_hand=0.4, not_accepted=16.0, sockets=16.0 + accepted)
    server = server_of(recorded(tmp_path / "1", {SERVER: {**SERVER_READ, **read}}))
    assert lines(server).get(("unread", ""), 0.0) == pytest.approx(unread_ms)
    workers = [slot.full_share for slot in server.slots.slots if slot.slot == "workers"]
    assert workers == [1.0 if unread_ms == 0 else 0.0]


def test_workers_that_hold_several_requests_at_times_are_no_slots() -> None:
    component = a_component(workers=2, in_hand=np.where(np.arange(N) % 3 == 0, 4.0, 1.0))
    whole = account([replace(component, total=a_load().in_flight)], a_load())
    assert whole is not None
    assert whole.server is not None
    assert not any(slot.slot == "workers" for slot in whole.server.slots.slots)
