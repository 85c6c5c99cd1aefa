"""Orders to a run as files: given, taken, answered, and refused where they are none or somebody else's."""

import os
import time
from pathlib import Path

import pytest

from loadrig.recording import now, steering
from loadrig.recording.layout import RunFolder
from loadrig.recording.now_note import MOST_NOTES, NowNote
from loadrig.recording.orders import ANSWERS, OrderInbox
from loadrig.recording.steering import End, HandMark, Order, Pause, Resume, SetLevel


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    folder = RunFolder(tmp_path / "run")
    folder.create(None)
    return folder


ORDERS: tuple[Order, ...] = (Pause(), Resume(), SetLevel(to=12.5), HandMark(text="deployed ü\n<b>"), End())


def test_orders_are_taken_once_in_the_order_in_which_they_were_given(run: RunFolder) -> None:
    inbox = OrderInbox(run)
    assert inbox.take() == []
    ids = []
    for order in ORDERS:
        ids.append(steering.ask(run, order))
        time.sleep(0.001)
    assert [(order.id, order.order) for order in inbox.take()] == list(zip(ids, ORDERS, strict=True))
    assert inbox.take() == []
    inbox.answer(ids[0], "done", "paused")
    inbox.answer(ids[1], "refused", "it is not")
    answers = steering.answers(run)
    assert [(answer.id, answer.outcome) for answer in answers] == [(ids[0], "done"), (ids[1], "refused")]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"null",
        b'{"do": "shutdown"}',
        b'{"do": "level", "to": -1}',
        b'{"do": "level", "to": 1e999}',
        b'{"do": "level"}',
        b'{"do": "mark", "text": ""}',
        b'{"do": "mark", "text": "' + b"x" * 600 + b'"}',
        b" " * (steering.MOST_BYTES + 1),
        b"\xff\xfe",
    ],
)
def test_what_is_no_order_is_refused_and_removed(run: RunFolder, content: bytes) -> None:
    steering.ask(run, Pause())
    OrderInbox(run).take()
    (run.orders / "1.json").write_bytes(content)
    (order,) = OrderInbox(run).take()
    assert (order.id, order.order) == ("1", None)
    assert order.why
    assert OrderInbox(run).take() == []


def test_an_order_that_is_a_link_is_not_followed(run: RunFolder, tmp_path: Path) -> None:
    steering.ask(run, End())
    OrderInbox(run).take()
    (tmp_path / "other").write_bytes(b'{"do": "end"}')
    (run.orders / "1.json").symlink_to(tmp_path / "other")
    (order,) = OrderInbox(run).take()
    assert order.order is None
    assert (tmp_path / "other").exists()


@pytest.mark.parametrize("mode", [0o777, 0o720])
def test_a_folder_in_which_others_may_write_gives_no_orders(run: RunFolder, mode: int) -> None:
    steering.ask(run, End())
    run.orders.chmod(mode)
    assert OrderInbox(run).take() == []


def test_a_broken_line_of_the_answers_is_left_out(run: RunFolder) -> None:
    inbox = OrderInbox(run)
    assert steering.answers(run) == []
    steering.ask(run, Pause())
    inbox.answer("1", "done", "a")
    with (run.orders / ANSWERS).open("a") as file:
        file.write('{"id": 7}\n')
    assert [answer.id for answer in steering.answers(run)] == ["1"]


def test_what_runs_now_can_be_read_until_it_is_over(run: RunFolder) -> None:
    assert now.read(run) is None
    note = NowNote(run, "loadrig attack http://127.0.0.1/")
    note.phase("measuring", 10.0)
    note.change(trial=3, done=2, total=5)
    for number in range(MOST_NOTES + 1):
        note.note(f"note {number}")
    state = now.read(run)
    assert state is not None
    assert (state.phase, state.expected_s, state.trial, state.done, state.total) == (
        "measuring",
        10.0,
        3,
        2,
        5,
    )
    assert (len(state.notes), state.notes[-1]) == (MOST_NOTES, f"note {MOST_NOTES}")
    assert (state.rig_pid, state.is_alive) == (os.getpid(), True)
    note.close()
    assert now.read(run) is None


def test_a_rig_that_is_gone_is_not_alive(run: RunFolder) -> None:
    NowNote(run, "").change(rig_start=1)
    state = now.read(run)
    assert state is not None
    assert not state.is_alive


def test_a_folder_that_is_gone_stops_no_run(run: RunFolder, tmp_path: Path) -> None:
    note = NowNote(run, "")
    run.path.rename(tmp_path / "elsewhere")
    note.phase("measuring", 1.0)
    note.close()
    OrderInbox(run).answer("1", "done", "")
    assert not run.path.exists()
