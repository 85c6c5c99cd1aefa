"""The probe of redis against a real one: its figures, slow commands, passwords, restarts."""

import os
import signal
import socket
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base.component import Component
from loadrig.probes import Unavailable, redis
from loadrig.probes._databases import slowlog as _slowlog
from loadrig.probes._databases.redis_info import costs, levels, parse_info
from loadrig.probes._session import Place
from tests.probes.watching import component_of, watching
from tests.servers.redis import started_redis

pytestmark = pytest.mark.integration

SECRET = "let-me-in-4711-xyzzy"


class RedisClient:
    """Speaks to redis by inline commands, as a person at a terminal does; answers are read as they come."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)

    def __enter__(self) -> "RedisClient":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def say(self, *words: str) -> bytes:
        parts = [f"*{len(words)}\r\n", *(f"${len(word)}\r\n{word}\r\n" for word in words)]
        self.socket.sendall("".join(parts).encode())
        return self.socket.recv(1 << 16)


def test_its_figures_follow_what_is_done(tmp_path: Path) -> None:
    with (
        started_redis(tmp_path, "--maxclients", "50") as server,
        RedisClient(server.port) as client,
        watching(redis, component_of("redis", server.port)) as watched,
    ):
        first = watched.look()
        client.say("SET", "user:1:name", "Ada")
        for _ in range(3):
            client.say("GET", "user:1:name")
        client.say("GET", "nobody")
        last = watched.until(lambda now: now["misses", ""] == first["misses", ""] + 1)
        assert last["hits", ""] == first["hits", ""] + 3
        assert last["commands", ""] >= first["commands", ""] + 5
        assert last["clients", ""] == 1  # ours is left out
        assert last["clients_share", ""] == pytest.approx(1 / 50)
        assert last["keys", "db0"] == 1
        assert last["memory_bytes", ""] > 0
        assert last["is_primary", ""] == 1
        assert (last["command_calls", "command:get"], last["command_calls", "command:set"]) == (4, 1)
        assert last["command_s", "command:get"] > 0
        assert not [subject for _, subject in last if "info" in subject or "slowlog" in subject]


def test_a_slow_command_is_told_with_its_key_pattern_and_nothing_else(tmp_path: Path) -> None:
    with (
        started_redis(tmp_path, "--slowlog-log-slower-than", "20000") as server,
        RedisClient(server.port) as client,
    ):
        client.say("EVAL", BUSY, "1", "before:we:came", "30")
        with watching(redis, component_of("redis", server.port)) as watched:
            watched.look()
            began_ns = time.monotonic_ns()
            client.say("EVAL", BUSY, "1", "session:4711:cart", f"60 {SECRET}")
            ended_ns = time.monotonic_ns()
            watched.until(lambda now: now["slow_commands", ""] >= 2 and watched.of_kind("slow_command"))
            (slow,) = [event for event in watched.of_kind("slow_command") if event.subject == "command:eval"]
            assert slow.facts["command"] == "eval"
            assert 0.06 <= slow.facts["duration_s"] <= (ended_ns - began_ns) / 1e9
            off_ns = (slow.facts["off_by_s"] + 0.002) * 1e9  # what is shown is rounded
            assert began_ns - off_ns <= slow.t_ns <= ended_ns + off_ns
            assert "key" not in slow.facts  # where EVAL's keys are its text says, which may be anything
            assert SECRET not in watched.everything_said()


BUSY = """
local began = redis.call('TIME')
repeat
  local now = redis.call('TIME')
  local passed = (now[1] - began[1]) * 1000 + (now[2] - began[2]) / 1000
until passed > tonumber(string.match(ARGV[1], '%d+'))
return 'done'
"""


def test_keys_and_debug_sleep_are_told_and_values_never(tmp_path: Path) -> None:
    options = ("--slowlog-log-slower-than", "0", "--enable-debug-command", "yes")
    with (
        started_redis(tmp_path, *options) as server,
        RedisClient(server.port) as client,
        watching(redis, component_of("redis", server.port)) as watched,
    ):
        watched.look()
        client.say("SET", "token:abc123def:x", SECRET)
        client.say("HSET", "user:4711:cart", "item", SECRET)
        client.say("DEBUG", "SLEEP", "0.05")
        client.say("KEYS", "*")
        client.say("AUTH", SECRET)
        watched.until(
            lambda _: any(event.facts["command"] == "keys" for event in watched.of_kind("slow_command"))
        )
        event_by_command = {event.facts["command"]: event for event in watched.of_kind("slow_command")}
        assert event_by_command["hset"].facts["key"] == "user:*:cart"
        assert event_by_command["set"].facts["key"] == "token:*:x"
        assert event_by_command["debug|sleep"].facts["duration_s"] >= 0.05
        assert "key" not in event_by_command["keys"].facts
        assert not {"info", "slowlog|get", "latency|latest"} & event_by_command.keys()  # ours
        assert SECRET not in watched.everything_said()


def test_bursts_and_clients_that_block_are_seen_between_samples(tmp_path: Path) -> None:
    options = ("--maxmemory", "3mb", "--maxmemory-policy", "allkeys-lru")
    with (
        started_redis(tmp_path, *options) as server,
        RedisClient(server.port) as client,
        RedisClient(server.port) as blocked,
        watching(redis, component_of("redis", server.port)) as watched,
    ):
        watched.look()
        blocked.socket.sendall(b"BLPOP queue 60\r\n")
        assert watched.until(lambda now: now["mean_blocked_clients", ""] == 1)["mean_clients", ""] == 2
        for n in range(60):
            client.say("SET", f"page:{n}", "x" * 100_000)
        evicted = watched.until(lambda now: now["evicted_keys", ""] >= 20)
        assert evicted["memory_bytes", ""] > 1e6
        watched.until(
            lambda _: any(
                sample.metric == "evicted_keys_peak_per_s" and sample.value > 0 for sample in watched.samples
            )
        )
        peaks = [sample.value for sample in watched.samples if sample.metric == "evicted_keys_peak_per_s"]
        assert max(peaks) <= 60 / 0.1, "no rate is taken over less than a tenth of a second"
        assert evicted["largest_input_buffer_bytes", ""] >= 0
        assert not [subject for metric, subject in evicted if "info" in subject], "ours is not told apart"


def test_the_latency_monitor_is_heard_where_it_is_on(tmp_path: Path) -> None:
    options = ("--latency-monitor-threshold", "20", "--enable-debug-command", "yes")
    with (
        started_redis(tmp_path, *options) as server,
        RedisClient(server.port) as client,
        watching(redis, component_of("redis", server.port)) as watched,
    ):
        watched.look()
        client.say("DEBUG", "SLEEP", "0.06")
        watched.until(lambda _: watched.of_kind("latency_spike"))
        spike = watched.of_kind("latency_spike")[0]
        assert (spike.subject, spike.facts["event"]) == ("event:command", "command")
        assert spike.facts["duration_s"] >= 0.06


def test_it_gets_in_by_a_password_from_the_environment_or_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret.txt").write_text(SECRET + "\n")
    monkeypatch.setenv("CACHE_PASSWORD", SECRET)
    with started_redis(tmp_path, password=SECRET) as server:
        place = Place(base=tmp_path)
        for options in ({"password_env": "CACHE_PASSWORD"}, {"password_file": "secret.txt"}):
            with watching(redis, component_of("redis", server.port), place, **options) as watched:
                assert watched.look()["memory_bytes", ""] > 0
                assert SECRET not in watched.everything_said()


@pytest.mark.parametrize("word", ["", "wrong-9876"])
def test_a_refused_password_is_not_tried_again_at_once(
    word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CACHE_PASSWORD", word)
    options: dict[str, Any] = {"password_env": "CACHE_PASSWORD"} if word else {}
    with started_redis(tmp_path, password=SECRET) as server, RedisClient(server.port) as client:
        client.say("AUTH", SECRET)
        with watching(redis, component_of("redis", server.port), **options) as watched:
            lost = [watched.until_lost() for _ in range(5)]
            assert {loss.code for loss in lost} == {"probe.refused"}
            assert "ACL SETUSER loadrig" in lost[0].mend
            assert "password_env: REDIS_PASSWORD" in lost[0].mend
            info = parse_info(client.say("INFO", "stats").decode())
            connections = int(info["total_connections_received"])
            assert connections <= 3, "the starter's, the test's and one of the probe"
            if word:
                assert word not in watched.everything_said()


def test_a_user_of_least_rights_sees_all_and_one_of_fewer_is_told_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CACHE_PASSWORD", SECRET)
    with (
        started_redis(tmp_path, "--slowlog-log-slower-than", "0") as server,
        RedisClient(server.port) as client,
    ):
        rights = redis.MEND.partition("ACL SETUSER loadrig on '>PASSWORD' ")[2].split()
        assert client.say("ACL", "SETUSER", "loadrig", "on", f">{SECRET}", *rights) == b"+OK\r\n"
        client.say("ACL", "SETUSER", "poor", "on", f">{SECRET}", "+info")
        client.say("ACL", "SETUSER", "nobody", "on", f">{SECRET}", "+ping")
        component = component_of("redis", server.port)
        with watching(redis, component, user="loadrig", password_env="CACHE_PASSWORD") as watched:
            watched.look()
            client.say("HGET", "user:7", "x")
            watched.until(lambda _: watched.of_kind("slow_command"))
            assert watched.of_kind("slow_command")[0].facts["key"] == "user:*"
            assert watched.of_kind("note") == []
        with watching(redis, component, user="poor", password_env="CACHE_PASSWORD") as watched:
            assert watched.look()["memory_bytes", ""] > 0
            watched.look()
            notes = [event.text for event in watched.of_kind("note")]
            assert len(notes) == 2, "each once"
            assert "ACL SETUSER poor +slowlog|get" in notes[0]
        with watching(redis, component, user="nobody", password_env="CACHE_PASSWORD") as watched:
            assert watched.until_lost().code == "probe.refused"


def test_counters_go_on_after_a_kill_and_a_restart(tmp_path: Path) -> None:
    with (
        started_redis(tmp_path) as server,
        RedisClient(server.port) as client,
        watching(redis, component_of("redis", server.port)) as watched,
    ):
        watched.look()
        for n in range(40):
            client.say("SET", f"k:{n}", "v")
        before = watched.until(lambda now: now["keys", "db0"] == 40)
        os.kill(server.pid, signal.SIGKILL)
        lost = watched.until_lost()
        assert lost.code == "probe.no-answer"
        assert str(server.port) in lost.reason
        with started_redis(tmp_path, port=server.port) as again, RedisClient(again.port) as new:
            after = watched.until(lambda _: watched.of_kind("restarted"))
            assert after["commands", ""] >= before["commands", ""]
            assert ("keys", "db0") not in after
            new.say("SET", "k", "v")
            last = watched.until(lambda now: now["command_calls", "command:set"] == 41)
            assert last["connections", ""] > before["connections", ""]


def test_a_redis_that_is_busy_is_a_gap_and_not_an_end(tmp_path: Path) -> None:
    with (
        started_redis(tmp_path) as server,
        RedisClient(server.port) as client,
        watching(redis, component_of("redis", server.port)) as watched,
    ):
        watched.look()
        os.kill(server.pid, signal.SIGSTOP)
        try:
            lost = watched.until_lost()
            assert lost.code == "probe.no-answer"
        finally:
            os.kill(server.pid, signal.SIGCONT)
        client.say("SET", "k", "v")
        assert watched.until(lambda now: ("keys", "db0") in now)


def test_it_is_asked_over_a_unix_socket(tmp_path: Path) -> None:
    options = ("--slowlog-log-slower-than", "0")
    with started_redis(tmp_path, *options, unix=True) as server, RedisClient(server.port) as client:
        bare = component_of("redis", server.port)
        with watching(redis, replace(bare, address=None), at=str(server.unix)) as watched:
            watched.look()
            client.say("GET", "k")
            watched.until(lambda _: watched.of_kind("slow_command"))
            assert {event.facts["command"] for event in watched.of_kind("slow_command")} == {"get"}


def test_what_is_no_redis_is_said_to_be_none(tmp_path: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        watching(redis, component_of("redis", listener.getsockname()[1])) as watched,
    ):
        watched.session.sample(0)
        connection, _ = listener.accept()
        with connection:
            connection.recv(1024)
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            assert watched.until_lost().code == "probe.not-that"


def test_a_component_of_which_nothing_is_known_says_what_to_write() -> None:
    with pytest.raises(Unavailable) as raised:
        redis.attach(redis.Options(), Component("redis", "redis"), Place())
    assert "at: HOST:6379" in raised.value.mend


def test_a_replica_and_its_lag_are_read_from_info() -> None:
    info = parse_info(
        "# Replication\r\nrole:master\r\nconnected_slaves:1\r\n"
        "slave0:ip=127.0.0.1,port=6380,state=online,offset=700,lag=1\r\nmaster_repl_offset:1000\r\n"
    )
    assert levels(info)["replication_lag_bytes", ""] == 300
    assert levels({"role": "slave"})["is_primary", ""] == 0


def test_commands_that_failed_or_were_refused_are_counted() -> None:
    costs_by_command = costs(
        parse_info(
            "cmdstat_get:calls=10,usec=50,usec_per_call=5.00,rejected_calls=2,failed_calls=1\r\n"
            "cmdstat_info:calls=9,usec=900,usec_per_call=100.0\r\n"
        )
    )
    assert costs_by_command == {
        "command:get": {"command_calls": 10, "command_s": 5e-5, "command_failures": 3}
    }


@pytest.mark.parametrize(
    ("key", "pattern"),
    [
        ("user:4711:cart", "user:*:cart"),
        ("session:9f8a6b1c2d3e", "session:*"),
        ("cache:userProfile:550e8400-e29b-41d4-a716-446655440000", "cache:userProfile:*"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0Nyo.SflKxwRJ5Ne6", "*"),
        ("products", "products"),
        ("", ""),
    ],
)
def test_of_a_key_only_plain_words_are_kept(key: str, pattern: str) -> None:
    assert _slowlog.key_pattern(key) == pattern


@given(
    st.text(alphabet="abcdefghij0123456789", min_size=6).filter(lambda text: any(c.isdigit() for c in text))
)
def test_no_part_with_a_digit_is_kept(token: str) -> None:
    assert token not in _slowlog.key_pattern(f"session:{token}:x")


@given(
    st.recursive(st.none() | st.integers() | st.binary(max_size=8), lambda inner: st.lists(inner, max_size=5))
)
def test_whatever_slowlog_answers_is_read_or_left_out(reply: object) -> None:
    numbers = [entry.number for entry in _slowlog.parse_slowlog(reply)]
    assert numbers == sorted(numbers)
    assert len(_slowlog.parse_latency(reply)) <= (len(reply) if isinstance(reply, list) else 0)


def test_a_clock_that_is_not_sure_makes_the_start_less_sure() -> None:
    # The command ended after the last reading, and by the end of its second or a little later.
    times = {"offset_ns": 0, "since_ns": 10_960_000_000, "until_ns": 13_000_000_000}
    start_ns, off_s = _slowlog.dating(**times)(10, 0.0)
    unsure_ns, unsure_s = _slowlog.dating(**times, unsure_ns=20_000_000)(10, 0.0)
    assert unsure_s == pytest.approx(off_s + 0.01)
    assert unsure_ns == start_ns + 10_000_000


def test_the_date_of_a_slow_command_lies_between_the_readings_around_it() -> None:
    begun = _slowlog.dating(offset_ns=5_000_000_000, since_ns=15_600_000_000, until_ns=15_800_000_000)
    t_ns, off_s = begun(10, 0.05)
    assert (t_ns, round(off_s, 6)) == (15_650_000_000, 0.1)
    # Dated by a clock that says it was before: the second is taken as it stands.
    t_ns, off_s = begun(7, 0.0)
    assert t_ns == pytest.approx(12_500_000_000, abs=20_000_000)
    assert off_s == pytest.approx(0.5, abs=0.02)
