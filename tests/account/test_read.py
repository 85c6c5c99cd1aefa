"""The account of a recording: which series and which part of the map become which line."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from loadrig.account.compose import document_of
from loadrig.account.load import load_of
from loadrig.account.trial_account import Account, ComponentAccount, account_of
from loadrig.base.component import HOST, SERVER
from loadrig.base.series import Event, Sample
from loadrig.recording.layout import TrialFolder
from loadrig.recording.reader import Recording
from loadrig.recording.writer import TrialWriter
from loadrig.testing.engine_frames import engine_config, engine_frame, histogram_of, row
from loadrig.testing.synthetic import write_recording

NS = 1_000_000_000
SECONDS = 14
IN, REDIS = "in:8000", "out:127.0.0.1:6379"

THE_SERVER = {
    "name": SERVER, "kind": "gunicorn", "runtime": "cpython", "workers": 4,
    "address": "127.0.0.1:8000", "cpus": [0, 1],
}  # fmt: skip

MAP = {
    "components": [
        {"name": HOST, "kind": "host"},
        THE_SERVER,
        {"name": "redis", "kind": "redis", "address": "127.0.0.1:6379"},
    ],
    "edges": [{"source": SERVER, "to": "redis", "address": "127.0.0.1:6379", "connections": 4}],
}  # fmt: skip

Values = Mapping[tuple[str, str, str], float]
"""(probe, metric, subject) to a value: of a counter what it grows by each second."""

COUNTERS = (
    "cpu_s",
    "user_s",
    "system_s",
    "group_cpu_s",
    "group_run_delay_s",
    "run_delay_s",
    "throttled_s",
    "thread_cpu_s",
    "steal_s",
)


def recorded(
    folder: Path,
    values: Mapping[str, Values],
    *,
    load: Mapping[str, Any] | None = None,
    service_map: Mapping[str, Any] = MAP,
    events: Sequence[Event] = (),
    frames: Mapping[str, Any] | None = None,
    fifth: Mapping[str, Any] | None = None,
    protocol: str = "http1",
    manifest: Mapping[str, Any] | None = None,
    lasts_s: float | None = None,
) -> Recording:
    """Record 100 answers a second of 20 requests in flight. values: of probes each second, by component.

    frames, fifth: what all frames and what the fifth one has besides; manifest: what that has besides;
    lasts_s: when the plan's schedule is over.
    """
    trial = TrialFolder(folder)
    names = {f"{probe}.{metric}" for values_of in values.values() for probe, metric, _ in values_of}
    metrics = {
        name: {"unit": "1", "kind": "counter" if name.partition(".")[2] in COUNTERS else "gauge", "doc": ""}
        for name in names
    }
    with TrialWriter(
        trial, {"metrics": metrics, "map": service_map, "load": {"model": "users", **(load or {})}}
    ) as writer:
        begun = Recording.open(folder).manifest.monotonic_ns
        config = engine_config(["/"], "users", 20.0)
        stop = {"after_s": lasts_s, "requests": None}
        connections = {**config["connections"], "protocol": protocol}
        trial.write_config({**config, "connections": connections, "stop": stop})
        for n in range(SECONDS):
            more = {"in_flight_s": 20.0, "planned": 20.0, **(frames or {}), **((n == 4 and fifth) or {})}
            writer.frame(engine_frame(n, begun + n * NS, NS, [row("ok", [0.2] * 100)], **more))
        for second in range(-1, SECONDS + 2):
            t_ns = begun + int((second + 0.3) * NS)
            for component, values_of in values.items():
                looks = [Sample(t_ns, "socket_stages", "looks", "", 40)] if _has_sockets(values_of) else []
                samples = [
                    Sample(t_ns, probe, metric, subject, value * (second + 1 if metric in COUNTERS else 1))
                    for (probe, metric, subject), value in values_of.items()
                ]
                writer.samples([*looks, *samples], component)
        for event in events:
            writer.event(event)
        writer.manifest_update(
            start_ns=begun,
            measured={"from_ns": begun + 2 * NS, "to_ns": begun + SECONDS * NS, "why": ""},
            **(manifest or {}),
        )
        writer.seal()
    return Recording.open(folder)


def _has_sockets(values: Values) -> bool:
    return any(probe == "socket_stages" for probe, _, _ in values)


def stages(group: str, **numbers: float) -> dict[tuple[str, str, str], float]:
    every = {"sockets": sum(value for name, value in numbers.items() if name not in ("silent", "tied"))}
    return {("socket_stages", name, group): value for name, value in {**every, **numbers}.items()}


SERVER_READ: Values = {
    **stages(IN, not_accepted=7.0, silent=1.0, unread=4.0, in_hand=8.0, sending=1.0, idle=3.0),
    **stages(REDIS, awaiting=3.0, connecting=1.0, idle=0.0),
    ("process", "cpu_s", "tree"): 1.0,
    ("thread_states", "group_run_delay_s", "gunicorn"): 0.5,
    ("thread_states", "threads", "state:running"): 1.0,
    ("thread_states", "threads", "state:disk"): 0.5,
    ("thread_states", "threads", "state:futex"): 2.5,
    ("thread_states", "thread_cpu_s", "4711 gunicorn"): 0.9,
}


def server_of(recording: Recording) -> ComponentAccount:
    whole = account_of(recording)
    assert whole is not None
    assert whole.server is not None
    return whole.server


def lines(component: ComponentAccount) -> dict[tuple[str, str], float]:
    return {(line.state, line.of): line.ms for line in component.lines if line.ms}


def test_series_and_map_become_lines(tmp_path: Path) -> None:
    server = server_of(recorded(tmp_path / "1", {SERVER: SERVER_READ}))
    assert server.total_ms == pytest.approx(200.0)
    assert lines(server) == pytest.approx(
        {
            ("accept_queue", ""): 60.0, ("unread", ""): 40.0, ("awaiting", "redis"): 30.0,
            ("connecting", "redis"): 10.0, ("running", ""): 10.0, ("runnable", ""): 5.0, ("disk", ""): 5.0,
            ("inside", ""): 20.0, ("sending", ""): 10.0,
        },
        rel=1e-3,
    )  # fmt: skip
    assert server.rest_ms == pytest.approx(10.0, abs=0.1)
    assert [missing.what for missing in server.unseen] == []


def test_slots_say_what_is_full(tmp_path: Path) -> None:
    server = server_of(recorded(tmp_path / "1", {SERVER: SERVER_READ}))
    slots = {(slot.slot, slot.of): slot for slot in server.slots.slots}
    shares = {(state.slot, state.of, state.state): state.share for state in server.slots.states}
    assert slots[("cores", "")].number == 2
    assert slots[("cores", "")].full_share == 0
    assert shares[("cores", "", "running")] == pytest.approx(0.5, rel=0.01)
    assert slots[("connections", "redis")].full_share == 1
    assert shares[("connections", "redis", "awaiting")] == pytest.approx(0.75)
    assert shares[("threads", "", "futex")] == pytest.approx(0.625)
    assert shares[("busiest_thread", "4711 gunicorn", "running")] == pytest.approx(0.9, rel=0.01)
    assert ("workers", "") not in slots  # eight requests in hand of four: each holds more than one


def numbers(component: ComponentAccount, slot: str, dependency: str = "") -> dict[str, float]:
    """Return how many of a kind of slot are in each state."""
    return {
        state.state: state.number
        for state in component.slots.states
        if (state.slot, state.of) == (slot, dependency)
    }


def test_cores_that_others_use_are_not_free(tmp_path: Path) -> None:
    host: Values = {
        ("system_cpu", "user_s", "cpu0"): 0.7, ("system_cpu", "system_s", "cpu0"): 0.2,
        ("system_cpu", "user_s", "cpu1"): 0.6, ("system_cpu", "steal_s", "cpu1"): 0.1,
        ("system_cpu", "user_s", "cpu2"): 1.0,
    }  # fmt: skip
    read = {**SERVER_READ, ("process", "cpu_s", "tree"): 0.8}
    server = server_of(recorded(tmp_path / "1", {SERVER: read, HOST: host}))
    # Of the two cores that it may use 1.5 are in use, 0.8 of them by itself.
    assert numbers(server, "cores") == pytest.approx(
        {"running": 0.8, "others": 0.7, "stolen": 0.1, "free": 0.4, "runnable": 0.5}, rel=0.02
    )


IDLE_THREAD = {
    "surroundings": {
        "when": "after",
        "programs": [
            {
                "name": "gunicorn", "pid": 4710, "component": SERVER, "cores": 1.0,
                "threads": [{"tid": 4711, "name": "gunicorn", "cores": 1.0}],
            },
            {"name": "cron", "pid": 17, "component": "", "cores": 0.3, "threads": []},
        ],
    }
}  # fmt: skip
"""A thread of the server ran on when the load was over, and so did a stranger."""


def test_a_thread_that_runs_on_without_a_request_ran_for_none_under_load(tmp_path: Path) -> None:
    read = {**SERVER_READ, ("thread_states", "thread_run_delay_s", "4711 gunicorn"): 0.2}
    server = server_of(recorded(tmp_path / "1", {SERVER: read}, manifest=IDLE_THREAD))
    # The thread used 0.9 of the one core under load, so 0.1 were of requests; it waited 0.2 of the 0.5.
    assert lines(server)[("running", "")] == pytest.approx(1.0, rel=0.02)
    assert lines(server)[("runnable", "")] == pytest.approx(3.0, rel=0.02)
    assert lines(server)[("inside", "")] == pytest.approx(31.0, rel=0.02)
    assert "background_cpu" in server.flags
    assert numbers(server, "cores")["background"] == pytest.approx(0.9, rel=0.02)


def test_a_thread_that_answers_requests_too_ran_for_none_no_more_than_without_them(tmp_path: Path) -> None:
    thread = {"tid": 4711, "name": "gunicorn", "cores": 0.3}
    program = {"name": "gunicorn", "pid": 4710, "component": SERVER, "cores": 0.3, "threads": [thread]}
    manifest = {"surroundings": {"when": "after", "programs": [program]}}
    server = server_of(recorded(tmp_path / "1", {SERVER: SERVER_READ}, manifest=manifest))
    assert lines(server)[("running", "")] == pytest.approx(7.0, rel=0.02)


def test_a_compiler_that_runs_on_after_a_load_was_not_at_work_on_its_own(tmp_path: Path) -> None:
    whole = server_of(recorded(tmp_path / "1", {SERVER: SERVER_READ}))
    thread = {"tid": 4717, "name": "C2 CompilerThre", "cores": 0.9}
    program = {"name": "java", "pid": 4710, "component": SERVER, "cores": 0.9, "threads": [thread]}
    manifest = {"surroundings": {"when": "after", "programs": [program]}}
    server = server_of(recorded(tmp_path / "2", {SERVER: SERVER_READ}, manifest=manifest))
    assert lines(server) == pytest.approx(lines(whole))
    assert "background_cpu" not in server.flags


def test_what_runs_on_after_unanswered_requests_may_still_work_on_them(tmp_path: Path) -> None:
    whole = server_of(recorded(tmp_path / "1", {SERVER: SERVER_READ}))
    server = server_of(
        recorded(tmp_path / "2", {SERVER: SERVER_READ}, manifest=IDLE_THREAD, frames={"in_flight": 2})
    )
    assert lines(server) == pytest.approx(lines(whole))
    assert "background_cpu" not in server.flags


@pytest.mark.parametrize("told_by", ["its own list", "titles of processes"])
def test_connections_in_the_middle_of_a_transaction_are_not_free(tmp_path: Path, told_by: str) -> None:
    database, out = "postgresql", "out:127.0.0.1:5432"
    sessions = {
        "its own list": (database, "client_idle_in_transaction", f"client:{SERVER}"),
        "titles of processes": ("session_titles", "sessions", "idle in transaction"),
    }
    service_map = {
        "components": [
            THE_SERVER,
            {"name": database, "kind": database, "workers": 9, "address": "127.0.0.1:5432"},
        ],
        "edges": [{"source": SERVER, "to": database, "address": "127.0.0.1:5432", "connections": 5}],
    }  # fmt: skip
    read = {**SERVER_READ, **stages(out, awaiting=1.0, idle=4.0)}
    database_read: Values = {
        sessions[told_by]: 3.8,
        **stages("in:5432", in_hand=1.0, idle=4.0),
    }
    whole = account_of(
        recorded(tmp_path / "1", {SERVER: read, database: database_read}, service_map=service_map)
    )
    assert whole is not None
    assert whole.server is not None
    pool = next(
        slot for slot in whole.server.slots.slots if (slot.slot, slot.of) == ("connections", database)
    )
    assert pool.full_share == 1
    assert numbers(whole.server, "connections", database) == pytest.approx(
        {"awaiting": 1.0, "in_transaction": 3.8, "idle": 0.2}
    )
    its_own = whole.component(database)
    assert its_own is not None
    assert not any(slot.slot == "workers" for slot in its_own.slots.slots)


@pytest.mark.parametrize(("others", "arriving"), [(0.0, 6.0), (4.0, 0.0)])
def test_an_answer_of_which_a_part_has_come_is_awaited_until_the_rest_has(
    tmp_path: Path, others: float, arriving: float
) -> None:
    """Count by both ends: the caller has read a part, and its end is idle while the other sends the rest.

    What a dependency that others call, too, has to send may be for them.
    """
    read = {**SERVER_READ, **stages(REDIS, awaiting=1.0, connecting=0.0, idle=7.0)}
    redis_read = stages("in:6379", in_hand=1.0, sending=6.0, idle=1.0 + others)
    whole = account_of(recorded(tmp_path / "1", {SERVER: read, "redis": redis_read}))
    assert whole is not None
    assert whole.server is not None
    assert numbers(whole.server, "connections", "redis") == pytest.approx(
        {"connecting": 0.0, "awaiting": 1.0 + arriving, "idle": 7.0 - arriving}
    )
    its_own = whole.component("redis")
    assert its_own is not None
    assert lines(its_own).get(("sending", ""), 0.0) == pytest.approx(10 * arriving)


def test_a_component_that_calls_itself_has_an_account(tmp_path: Path) -> None:
    """Count by its own end alone: nobody else awaits what it has to send."""
    service_map = {
        "components": [THE_SERVER],
        "edges": [{"source": SERVER, "to": SERVER, "address": "127.0.0.1:8000", "connections": 2}],
    }
    read = {**SERVER_READ, **stages("out:127.0.0.1:8000", awaiting=1.0, idle=1.0)}
    scene = recorded(tmp_path / "1", {SERVER: read}, service_map=service_map)
    assert lines(server_of(scene))["awaiting", SERVER] == pytest.approx(10.0)


def test_a_dependency_has_an_account_for_each_request_of_the_load(tmp_path: Path) -> None:
    redis = {**stages("in:6379", in_hand=1.0, unread=2.0), ("process", "cpu_s", "tree"): 0.6}
    account = account_of(recorded(tmp_path / "1", {SERVER: SERVER_READ, "redis": redis}))
    assert account is not None
    cache = account.component("redis")
    assert cache is not None
    # Three requests await it, and one connects to it.
    assert cache.total_ms == pytest.approx(40.0, rel=1e-3)
    assert lines(cache) == pytest.approx(
        {("unread", ""): 20.0, ("running", ""): 6.0, ("inside", ""): 4.0}, rel=1e-2
    )
    assert cache.rest_ms == pytest.approx(10.0, rel=0.01)


def test_an_answer_that_its_caller_has_is_not_being_sent(tmp_path: Path) -> None:
    redis = stages("in:6379", in_hand=1.0, sending=9.0)
    account = account_of(recorded(tmp_path / "1", {SERVER: SERVER_READ, "redis": redis}))
    assert account is not None
    cache = account.component("redis")
    assert cache is not None
    assert lines(cache) == pytest.approx({("inside", ""): 10.0, ("sending", ""): 30.0}, rel=1e-3)
    assert not cache.flags


def test_other_ports_of_the_server_have_no_part_in_it(tmp_path: Path) -> None:
    read = {**SERVER_READ, **stages("in:9100", in_hand=5.0, unread=5.0)}
    assert lines(server_of(recorded(tmp_path / "1", {SERVER: read}))) == pytest.approx(
        lines(server_of(recorded(tmp_path / "2", {SERVER: SERVER_READ})))
    )


def test_a_destination_that_the_map_does_not_know_has_its_address_for_a_name(tmp_path: Path) -> None:
    read = {**SERVER_READ, **stages("out:10.0.0.9:80", awaiting=1.0)}
    line_ms = lines(server_of(recorded(tmp_path / "1", {SERVER: read})))
    assert line_ms[("awaiting", "10.0.0.9:80")] == pytest.approx(10.0)


def test_of_a_unix_socket_the_threads_that_read_it_tell(tmp_path: Path) -> None:
    path = "/run/mysqld/mysqld.sock"
    read = {
        **stages(IN, in_hand=8.0),
        **stages(f"out:{path}", unclear=6.0),
        ("thread_states", "threads", "state:reading"): 4.0,
        ("thread_states", "waits", f"reading out:{path}"): 4.0,
    }
    server = server_of(recorded(tmp_path / "1", {SERVER: read}))
    assert lines(server)[("awaiting", path)] == pytest.approx(40.0)


@pytest.mark.parametrize(("what", "is_shared"), [(f"reading {REDIS}", True), ("reading pipe", False)])
def test_threads_that_each_read_a_connection_are_told(tmp_path: Path, what: str, is_shared: bool) -> None:
    read = {**SERVER_READ, ("thread_states", "waits", what): 1.0}
    line_ms = lines(server_of(recorded(tmp_path / "1", {SERVER: read})))
    # Half a thread waits for a core; four requests are unread, and of two in hand nothing else is known.
    assert line_ms[("runnable", "")] == pytest.approx(5.0 * (2.5 / 6.5 if is_shared else 1.0), rel=1e-2)


def test_a_server_that_is_asked_over_a_unix_socket_says_that_it_bears_no_times(tmp_path: Path) -> None:
    read = stages("in:/run/app.sock", unclear=8.0, unread=2.0, not_accepted=3.0)
    server = server_of(recorded(tmp_path / "1", {SERVER: read}, service_map={}))
    assert lines(server) == pytest.approx({("unread", ""): 20.0, ("accept_queue", ""): 30.0})
    assert "in_hand_unseen" in server.flags
    assert any(missing.what == "in hand" and "Unix" in missing.why for missing in server.unseen)


@pytest.mark.parametrize("how", ["http", "protocol"])
def test_a_connection_that_carries_several_requests_is_told(tmp_path: Path, how: str) -> None:
    more: dict[str, Any] = {"load": {"http": "2"}} if how == "http" else {"protocol": "http2"}
    server = server_of(recorded(tmp_path / "1", {SERVER: SERVER_READ}, **more))
    assert "multiplexed" in server.flags
    assert server.rest_ms == pytest.approx(0.0, abs=1e-6)


def test_a_queue_that_grows_in_the_generator_is_told_by_its_length(tmp_path: Path) -> None:
    server = server_of(recorded(tmp_path / "1", {SERVER: SERVER_READ}, frames={"queued": 5}))
    assert lines(server)[("generator", "")] == pytest.approx(50.0)


def test_of_a_long_wait_that_began_before_the_window_only_its_part_counts(tmp_path: Path) -> None:
    # It ended between 4 s and 5 s and had begun 4 s before; the window begins at 2 s: 8 users for 2.5 s.
    connect = {"connect": histogram_of([4.0] * 8)}
    line_ms = lines(server_of(recorded(tmp_path / "1", {SERVER: SERVER_READ}, fifth=connect)))
    assert line_ms[("connecting", "")] == pytest.approx(20 / 1.2, rel=1e-2)


def test_a_recording_without_the_probes_says_what_was_not_seen(tmp_path: Path) -> None:
    account = account_of(write_recording(tmp_path / "1"))
    assert account is not None
    server = account.server
    assert server is not None
    assert not server.is_seen
    assert {"socket stages", "thread states"} <= {missing.what for missing in server.unseen}
    assert lines(server)[("running", "")] == pytest.approx(1.0, rel=0.1)
    assert document_of(account).sentence == ""


def test_the_reason_of_a_probe_is_told(tmp_path: Path) -> None:
    why = "the kernel does not tell of its sockets"
    note = Event(1, "note", "socket_stages", why, {}, SERVER)
    read: Values = {("process", "cpu_s", "tree"): 0.5}
    server = server_of(recorded(tmp_path / "1", {SERVER: read}, events=[note]))
    assert any(missing.why == why for missing in server.unseen)


def test_it_is_a_pure_function_of_the_folder(tmp_path: Path) -> None:
    recording = recorded(tmp_path / "1", {SERVER: SERVER_READ})
    shutil.copytree(recording.path, tmp_path / "copy")
    first, again, copied = (
        account_of(Recording.open(path)) for path in (recording.path, recording.path, tmp_path / "copy")
    )
    assert first == again == copied
    assert isinstance(first, Account)


def test_where_no_request_ended_there_is_no_account(tmp_path: Path) -> None:
    bare = write_recording(tmp_path / "1", (0.0,) * 3, warm_up_frames=0, server=None)
    assert account_of(bare) is None


def test_while_the_last_answers_are_waited_for_no_load_runs(tmp_path: Path) -> None:
    recording = recorded(tmp_path / "1", {SERVER: SERVER_READ}, lasts_s=9.5)
    load = load_of(recording)
    assert load is not None
    # Of the measured seconds from the third on, the tenth began before the schedule was over.
    assert load.is_measured.tolist() == [False] * 2 + [True] * 8 + [False] * 4
    whole = account_of(recording)
    assert whole is not None
    assert whole.window_s == pytest.approx(8.0)


def test_between_two_cuts_lies_one_step(tmp_path: Path) -> None:
    recording = recorded(tmp_path / "trial", {})
    frames = recording.frames
    cuts = [frames[place].t_ns for place in (3, 5, 9)]
    cut = load_of(recording, cuts)
    assert cut is not None
    # The measured part begins after two seconds, and ends with the last frame.
    begins = [frames[0].t_ns, recording.measured.from_ns, *cuts, frames[-1].end_ns]
    assert cut.edges_ns.tolist() == begins
    assert cut.seconds.sum() == pytest.approx(len(frames))


def test_all_of_a_search_has_levels_and_of_other_loads_the_measured_part(tmp_path: Path) -> None:
    plain = load_of(recorded(tmp_path / "plain", {}))
    event = Event(1, "level", "load", "40")
    steered = load_of(recorded(tmp_path / "steered", {}, events=[event], load={"model": "rate"}))
    assert plain is not None
    assert steered is not None
    assert plain.is_of_levels is None
    assert steered.is_of_levels is not None
    assert steered.is_of_levels.all()
    assert (plain.model, steered.model) == ("users", "rate")
