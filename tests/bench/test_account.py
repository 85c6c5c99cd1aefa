"""Cells, the truth of a window, and what is said of an account beside it: all without a server."""

import json
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from bench.account import cells, judge, run, start, truth
from bench.account.servers import books
from bench.modes import account
from loadrig.account import states
from loadrig.account.document import LineDocument

MS = 1_000_000
SECOND = 1_000 * MS
BUCKET_NS = 250 * MS

times = st.integers(0, 500 * MS)


def bucket(number: int, requests: int = 1, process_cpu: int = 0, **ns: int) -> dict[str, int]:
    return {
        "number": number, **dict.fromkeys(books.FIELDS, 0), **ns, "requests": requests,
        "process_cpu": process_cpu,
    }  # fmt: skip


def book(*buckets: dict[str, int], has_arrivals: bool = True) -> dict[str, Any]:
    return {"has_arrivals": has_arrivals, "bucket_ns": BUCKET_NS, "buckets": list(buckets)}


def summed(**ns: int) -> truth.RequestSums:
    """Return the sums of a single request."""
    process = ns.pop("process_cpu", 0)
    return truth.RequestSums(1, {**dict.fromkeys(books.FIELDS, 0), **ns, "requests": 1}, process)


def row(state: str = "cpu", load: str = "high", runtime: str = "go", **changed: Any) -> dict[str, Any]:
    lines = {line: {"account": 0.0, "truth": 0.0} for line in truth.LINES}
    lines["running"] = {"account": 9.5, "truth": 10.0}
    variant = changed.get("variant", "plain")
    return {
        "name": f"{runtime}-{state}-{load}", "runtime": runtime, "state": state, "load": load,
        "variant": variant, "total_ms": 10.0, "rest_ms": 0.5, "lines": lines, "unseen": [], **changed,
    }  # fmt: skip


def test_each_cell_has_a_name_of_its_own_and_is_found_by_it() -> None:
    every = list(cells.sweep())
    assert len({cell.name for cell in every}) == len(every)
    for cell in every:
        assert cells.cell(cell.runtime, cell.state, cell.load, cell.variant) == cell


def test_each_runtime_has_each_state_at_each_load_unless_a_reason_is_given() -> None:
    there = {(cell.runtime, cell.state, cell.load) for cell in cells.sweep() if cell.variant == cells.PLAIN}
    for runtime in cells.RUNTIMES:
        for state in cells.STATES:
            for load in cells.LOADS:
                assert ((runtime, state, load) in there) != ((runtime, state) in cells.CANNOT)


def test_more_users_come_at_high_load() -> None:
    assert all(state.users[0] < state.users[1] for state in cells.STATES.values())


@pytest.mark.parametrize("files", [["slots.go"], ["server.cjs"], ["Cell.java"], ["threads.py"], ["loop.py"]])
def test_each_server_reads_all_that_a_request_does(files: list[str]) -> None:
    text = "".join((start.SOURCES / name).read_text(encoding="utf-8") for name in files)
    missing = [field.name for field in fields(cells.Work) if field.name not in text]
    assert missing == []


@pytest.mark.parametrize("name", ["book.go", "server.cjs", "Book.java"])
def test_each_server_writes_the_same_fields(name: str) -> None:
    text = (start.SOURCES / name).read_text(encoding="utf-8")
    assert [field for field in (*books.FIELDS, "number", "process_cpu") if field not in text] == []


def test_a_cell_is_told_as_a_flat_object() -> None:
    spec = json.loads(cells.spec(cells.Work(slots=2, queue=cells.KERNEL), dependency_port=80, file="f"))
    assert (spec["slots"], spec["queue"], spec["dependency_port"], spec["file"]) == (2, "kernel", 80, "f")
    assert not any(isinstance(value, dict | list) for value in spec.values())


def test_the_plan_asks_for_what_the_cell_says() -> None:
    cell = cells.cell("go", "accept_queue", "high")
    plan = run.plan(cell, 8000, "", 5.0)
    assert plan["workload"]["users"] == cell.users
    assert plan["workload"]["connections"] == {"keep_alive": False}
    assert plan["target"] == {"external": {"url": "http://127.0.0.1:8000"}}
    secret = run.plan(cells.cell("go", "cpu", "high", cells.TLS), 8000, "", 5.0)
    assert secret["target"]["external"]["url"] == "https://127.0.0.1:8000"
    by_socket = run.plan(cells.cell("go", "cpu", "high", cells.UNIX), 0, "/s", 5.0)
    assert by_socket["target"]["external"]["unix"] == "/s"


def test_only_whole_buckets_of_the_window_count() -> None:
    full = book(
        bucket(3, hand=1000, process_cpu=10), bucket(4, hand=20, process_cpu=30),
        bucket(5, 2, hand=30, process_cpu=70), bucket(6, hand=1000, process_cpu=99),
    )  # fmt: skip
    sums = truth.sums(full, 4 * BUCKET_NS - 1, 7 * BUCKET_NS - 1)
    assert (sums.requests, sums.fields["hand"], sums.process_ns) == (3, 50, 60)


def test_the_order_of_buckets_does_not_matter() -> None:
    ordered = [bucket(n, n + 1, hand=n * MS, process_cpu=n * n) for n in range(6)]
    assert truth.sums(book(*ordered), 0, 9 * SECOND) == truth.sums(book(*reversed(ordered)), 0, 9 * SECOND)


def test_a_window_without_two_buckets_is_refused() -> None:
    with pytest.raises(ValueError, match="two buckets"):
        truth.sums(book(bucket(4), bucket(9)), 4 * BUCKET_NS, 6 * BUCKET_NS)


@given(times, times, times, times, times, times, st.floats(0, 3_000), st.booleans())
def test_true_lines_are_never_below_zero_and_are_the_total_where_that_is_not_less_than_what_is_known(
    unread: int, call: int, disk: int, cpu: int, delay: int, more: int, over_ms: float, has_arrivals: bool
) -> None:
    hand = call + disk + more
    server = summed(unread=unread, hand=hand, call=call, disk=disk, cpu=cpu, delay=delay, process_cpu=cpu)
    known_ms = (unread + hand) / MS
    lines = truth.lines(
        server, summed(hand=call // 2), has_arrivals, known_ms + over_ms + 1.0, 1.0, "accept_queue"
    )
    assert set(lines) == set(truth.LINES)
    assert min(lines.values()) >= 0
    assert sum(lines.values()) == pytest.approx(known_ms + over_ms)
    assert lines["sending" if has_arrivals else "accept_queue"] == pytest.approx(over_ms, abs=1e-6)


def test_a_call_is_awaited_as_long_as_the_dependency_has_it_and_then_its_answer_is_unread() -> None:
    server = summed(hand=50 * MS, call=40 * MS, cpu=4 * MS, process_cpu=6 * MS)
    lines = truth.lines(server, summed(unread=MS, hand=29 * MS), True, 50.0, 0.0, "unread")
    assert (lines["awaiting"], lines["answer_unread"]) == (30.0, 10.0)
    assert (lines["running"], lines["inside"]) == (6.0, 4.0)


def test_every_line_that_is_compared_is_a_state_of_accounts() -> None:
    assert set(truth.LINES) <= set(states.ORDER)
    # What only the generator knows, or a database, and throttling, which is laid to `runnable`.
    assert set(states.ORDER) - set(truth.LINES) == {"generator", "connecting", "holding", "throttled"}


def test_lines_of_all_dependencies_are_one_and_opening_a_connection_to_one_is_awaiting_it() -> None:
    lines = [
        LineDocument(state, dependency, ms, None, "")
        for state, dependency, ms in (
            ("generator", "", 9.0), ("connecting", "", 8.0), ("awaiting", "a", 1.0), ("awaiting", "b", 2.0),
            ("connecting", "a", 4.0), ("runnable", "", 1.0), ("throttled", "", 2.0),
        )
    ]  # fmt: skip
    by_line = judge.compared(lines, dict.fromkeys(truth.LINES, 0.5))
    assert by_line["awaiting"] == {"account": 7.0, "truth": 0.5}
    assert by_line["runnable"]["account"] == 3.0
    assert sum(line["account"] for line in by_line.values()) == 10.0


def test_a_line_is_right_within_a_millisecond_of_a_short_response_and_a_tenth_of_a_long_one() -> None:
    def missed(total_ms: float, off_ms: float) -> list[str]:
        lines = {"inside": {"account": 5.0 + off_ms, "truth": 5.0}, "disk": {"account": 0.0, "truth": 0.0}}
        return [miss.state for miss in judge.misses(row(total_ms=total_ms, lines=lines))]

    assert missed(5.0, 0.99) == missed(100.0, -9.9) == []
    assert missed(5.0, -1.01) == missed(100.0, 10.1) == ["inside"]


def test_what_an_account_says_that_it_cannot_see_is_neither_compared_nor_missed() -> None:
    lines = [LineDocument("running", "", 1.0, None, "")]
    by_line = judge.compared(lines, dict.fromkeys(truth.LINES, 5.0), [judge.IN_HAND])
    assert by_line == {"running": {"account": 1.0, "truth": 5.0}}
    assert judge.is_whole(row(rest_ms=9.0, unseen=[judge.IN_HAND]))
    assert not judge.is_whole(row(rest_ms=9.0, unseen=["thread states"]))


def test_shares_leave_out_what_failed() -> None:
    wrong = row(lines={"disk": {"account": 0.0, "truth": 9.0}, "running": {"account": 1.0, "truth": 1.0}})
    rows = [
        judge.summary(cell_row)
        for cell_row in (row(), wrong, row(rest_ms=-1.0), {**row(), "failed": "no account"})
    ]
    assert judge.right_share(rows) == pytest.approx(2 / 3)
    assert judge.whole_share(rows) == pytest.approx(2 / 3)
    assert judge.line_share(rows) == pytest.approx(1 - 1 / (2 * len(truth.LINES) + 2))
    assert judge.right_share([rows[-1]]) is judge.whole_share([]) is judge.line_share([]) is None


def test_the_tables_name_every_miss(snapshot: SnapshotAssertion) -> None:
    lines = {
        **row()["lines"],
        "disk": {"account": 0.0, "truth": 4.0},
        "runnable": {"account": 4.0, "truth": 0.0},
    }
    rows = [
        row(load="low"), row(), row("disk", lines=lines), row("lock", rest_ms=2.0),
        {"name": "java-cpu-low", "runtime": "java", "state": "cpu", "load": "low", "variant": "plain",
         "failed": "no account of server"},
        row("dependency", runtime="node", variant="tls", name="node-dependency-high-tls"),
    ]  # fmt: skip
    assert "\n\n".join(account.tables(account.summarise({"rows": rows}))) == snapshot
