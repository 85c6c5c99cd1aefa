"""A redis: what it is asked, how well it remembers, and which commands held everybody up.

## What it reads

`INFO`, `INFO commandstats`, the new entries of `SLOWLOG` and of `LATENCY LATEST`: four commands in one
packet a sample, over one connection that is kept; and ten times a second, at random instants, `INFO clients`
and `INFO stats`, for what happens in bursts: a peak is the highest rate over a tenth of a second since the
sample before, a mean number is over the `looks` since then, and `NAME_sd` is how much the number differed
from look to look. No setting of the server is touched: SLOWLOG holds
what is slower than its `slowlog-log-slower-than` (10 ms if nobody changed it), LATENCY what its
`latency-monitor-threshold` says (nothing by default).

Of a slow command the name and the form of its key are kept (`hgetall user:*:cart`), of the key only
plain words, never a value. The commands that take most time are told apart (`command:get`), the rest is
`others`. Our own connection is not among `clients`, nor our own commands among the slow ones and those
told apart; in `commands` and in the bytes they are, four a sample and two a look.

A password: `password_env` or `password_file`, with `user` where redis has users (ACL). The least that
such a user needs:
`ACL SETUSER loadrig on '>PASSWORD' +info +slowlog|get +latency|latest +command|info`.
Without the last three what they tell is missing.

## How to read it

One thread serves all clients, so `cpu_user_s` and `cpu_system_s` near 1 s a second are the end of
this redis, and one slow command stops everybody: an event `slow_command` beside a peak of latency says
which. Its date has whole seconds; it is taken to have ended between the two readings around it, and
`off_by_s` says how far that may be off. `connections` that grow as fast as requests mean that there is
no pool. `hits` against `misses` tells what the cache is worth; `evicted_keys` that it is too small;
many `expired_keys_peak_per_s` at once, with `misses_peak_per_s`, are keys that were all made to live equally
long.
`largest_output_buffer_bytes` that grows is a client that does not read its answers as fast as it asks.
`fork_s` is how long the last snapshot held everybody up.

## Cost

0.31 ms of one core for a sample, and 0.05 ms of the redis itself; 3.5 and 1.3 ms a second with the looks.
Measured on Linux 6.18, Python 3.11, redis 7.0.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from loadrig.base import clock
from loadrig.base.component import Component
from loadrig.base.effects import ServerEffect
from loadrig.base.members import only
from loadrig.base.series import Event, Metric
from loadrig.base.shape import option
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_databases import ProbesRedisErrors
from loadrig.probes._aside import Aside, Reading
from loadrig.probes._counting import Counters, SubjectValues, Tops, figured, metrics, numbers
from loadrig.probes._databases import slowlog as _slowlog
from loadrig.probes._databases.looks import DatabaseLook
from loadrig.probes._databases.peaks import Peaks
from loadrig.probes._databases.redis_info import (
    FIGURES,
    LOOKED_AT,
    OURS,
    PEAKS,
    RATES,
    costs,
    levels,
    look_of,
    number,
    parse_info,
)
from loadrig.probes._databases.resp import RedisWire, Reply, ReplyError
from loadrig.probes._databases.sampled import Sampled, restarted
from loadrig.probes._line import Door, RefusedAccess, ServerConnection, ServerLogin, door
from loadrig.probes._session import Lost, Place, Session
from loadrig.probes._watch import samples_of

ERRORS = texts_of(ProbesRedisErrors)

PORT = 6379
MEND = "ACL SETUSER loadrig on '>PASSWORD' +info +slowlog|get +latency|latest +command|info"
"""Command by which redis knows a user that may see all that is read."""

ONLY = {"kind": ("redis",)}

EFFECTS: tuple[ServerEffect, ...] = (
    ServerEffect(
        "asks the server",
        "Four commands a second over one connection, and ten looks of two commands; nothing is set.",
    ),
)

METRICS: Mapping[str, Metric] = {
    **metrics(FIGURES),
    **LOOKED_AT,
    **PEAKS,
    "clients": Metric("1", "gauge", "Connections of clients, ours left out.", "redis.clients.connected"),
    "clients_share": Metric("1", "gauge", "Clients over maxclients; at 1 it turns others away."),
    "keys": Metric("1", "gauge", "Keys, by database.", "redis.db.keys"),
    "is_primary": Metric("1", "gauge", "1 where it is the primary, 0 for a replica."),
    "replication_lag_bytes": Metric("B", "gauge", "What the slowest replica has still to be told."),
    "slow_commands": Metric("1", "counter", "Entries ever made in SLOWLOG."),
    "command_calls": Metric("1", "counter", "Calls since the first sample, by command.", "redis.cmd.calls"),
    "command_s": Metric("s", "counter", "Time in them, by command."),
    "command_failures": Metric("1", "counter", "Calls that failed or were refused, by command."),
}

EVENTS: Mapping[str, str] = {
    "slow_command": "A command was slower than redis's own threshold; nobody else was served meanwhile.",
    "latency_spike": "Redis's latency monitor saw a pause, and in what.",
    "restarted": "The server was started anew, or another one took its place.",
    "note": "What this probe may not read, and the command that would let it.",
}


@dataclass(frozen=True, slots=True)
class Options(ServerLogin):
    """Options of the probe: the address of redis, where discovery does not find it, and its login."""

    user: str | None = option("The user of its access list; left out, the default user.", default=None)


class RedisReader(Sampled[RedisWire]):
    """Reader of a redis, in the thread of its Aside."""

    def __init__(self, server: Door) -> None:
        super().__init__(ServerConnection(self._open, RedisWire.close))
        self._door = server
        self._peaks = Peaks(RATES)
        self._counters: Counters[str] = Counters()
        self._tops = Tops("command_s")
        self._run_id: str | None = None
        self._newest: int | None = None
        self._latencies: dict[str, tuple[int, float]] | None = None
        self._last_ns = 0
        self._first_keys: dict[str, int] = {}
        self._not_allowed: set[str] = set()

    def read(self, t_ns: int) -> Reading:
        """Take a reading, and what the looks since the last have seen."""
        with self._one_at_a_time:
            reading = self.line.ask(lambda wire: self._read(wire, t_ns))
            values = self._peaks.take()
        values |= self.looks.take()
        reading.samples += samples_of(t_ns, "redis", values)
        return reading

    def look(self) -> DatabaseLook:
        """Look at the clients and the counters."""
        with self._one_at_a_time:
            answers = self.line.ask(lambda wire: wire.ask(("INFO", "clients"), ("INFO", "stats")))
            for answer in answers:
                if isinstance(answer, ReplyError):
                    raise self._lost(answer)
            values = numbers(parse_info("".join(_text(answer) for answer in answers)).items())
            self._peaks.add(time.monotonic_ns(), values)
        return look_of(values)

    def _open(self) -> RedisWire:
        wire = RedisWire(self._door)
        if self._door.password is None and self._door.user is None:
            return wire
        words = (
            (self._door.user, self._door.password or "") if self._door.user else (self._door.password or "",)
        )
        (reply,) = wire.ask(("AUTH", *words))
        # A server without a password answers with an error, and needs none.
        if isinstance(reply, ReplyError) and "without any password configured" not in str(reply):
            wire.close()
            raise self._lost(reply)
        return wire

    def _lost(self, error: ReplyError) -> Lost:
        name, text = self._door.name, str(error)
        if error.word in ("NOAUTH", "WRONGPASS", "NOPERM", "DENIED") or "invalid password" in text:
            return RefusedAccess.of(ERRORS.access_refused(name, error.word, MEND), code="probe.refused")
        return Lost.of(ERRORS.trouble(name, error.word, repr(text[:100])), code="probe.no-answer")

    def _read(self, wire: RedisWire, t_ns: int) -> Reading:
        logs = [("SLOWLOG", "GET", "64"), ("LATENCY", "LATEST")]
        questions = [words for words in logs if words[0] not in self._not_allowed]
        before_ns = time.monotonic_ns()
        answers = wire.ask(("INFO",), ("INFO", "commandstats"), *questions)
        after_ns = time.monotonic_ns()
        if isinstance(answers[0], ReplyError):
            raise self._lost(answers[0])
        info = parse_info(_text(answers[0]))
        reading = Reading()
        self._notice_restart(info, after_ns, reading)
        values = numbers(info.items())
        self._peaks.add(after_ns, values)
        readings = figured(FIGURES, values, self._counters) | levels(info)
        readings |= self._tops.add(costs(parse_info(_text(answers[1]))))
        offset_ns, unsure_ns = clock.from_wall(0), 0
        if "server_time_usec" in info:  # the server's own clock, which on another machine differs
            offset_ns = (before_ns + after_ns) // 2 - int(info["server_time_usec"]) * 1000
            unsure_ns = (after_ns - before_ns) // 2
        begun = _slowlog.dating(offset_ns, self._last_ns, after_ns, unsure_ns)
        self._last_ns = after_ns
        for words, answer in zip(questions, answers[2:], strict=True):
            if isinstance(answer, ReplyError):
                self._forbidden(words[0], answer, t_ns, reading)
            elif words[0] == "SLOWLOG":
                self._slow(wire, answer, begun, readings, reading)
            else:
                self._spikes(answer, begun, reading)
        reading.samples = samples_of(t_ns, "redis", readings)
        return reading

    def _notice_restart(self, info: Mapping[str, str], now_ns: int, reading: Reading) -> None:
        run_id = info.get("run_id", "")
        if self._run_id not in (None, run_id):
            self._counters.begin_anew()
            self._tops.begin_anew()
            self._newest, self._latencies = -1, {}
            up_s = number(info.get("uptime_in_seconds")) or 0.0
            reading.events.append(restarted("redis", now_ns, up_s))
        self._run_id = run_id

    def _forbidden(self, command: str, error: ReplyError, t_ns: int, reading: Reading) -> None:
        """Note that this user may not give a command, or that redis lacks it: it is not asked again."""
        self._not_allowed.add(command)
        if error.word == "NOPERM":
            right = {"SLOWLOG": "+slowlog|get", "LATENCY": "+latency|latest"}[command]
            user = self._door.user or "default"
            text = ERRORS.command_not_allowed(command, user, right)
            reading.events.append(Event(t_ns, "note", "redis", text, {"code": "probe.no-right"}))

    def _slow(
        self, wire: RedisWire, reply: Reply, begun: _slowlog.Begun, values: SubjectValues, into: Reading
    ) -> None:
        entries = _slowlog.parse_slowlog(reply)
        before = self._newest
        self._newest = max([-1 if before is None else before, *(entry.number for entry in entries)])
        values["slow_commands", ""] = self._counters.go_on("slow_commands", self._newest + 1)
        if before is None:
            return  # what was slow before the first look is not of this run
        own = wire.own_address
        unseen = [
            entry
            for entry in entries
            if entry.number > before
            and (entry.client != own if own else _slowlog.command_name(entry.words) not in OURS)
        ]
        slowest = sorted(unseen, key=lambda entry: -entry.duration_s)[: _slowlog.MOST_EVENTS]
        self._learn_keys(wire, {entry.words[0].lower() for entry in slowest if entry.words})
        for entry in sorted(slowest, key=lambda entry: entry.number):
            place = self._first_keys.get(entry.words[0].lower(), 0) if entry.words else 0
            into.events.append(_slowlog.slow_event(entry, place, begun))

    def _learn_keys(self, wire: RedisWire, names: set[str]) -> None:
        """Ask for the place of the first key of these commands: all other words are values, and not kept."""
        unknown = sorted(names - self._first_keys.keys())
        if not unknown:
            return
        self._first_keys.update(dict.fromkeys(unknown, 0))
        (reply,) = wire.ask(("COMMAND", "INFO", *unknown))
        for description in reply if isinstance(reply, list) else []:
            match description:
                case [bytes(name), int(), [*_], int(first_key), *_]:
                    self._first_keys[name.decode().lower()] = first_key
                case _:
                    continue

    def _spikes(self, reply: Reply, begun: _slowlog.Begun, into: Reading) -> None:
        now = _slowlog.parse_latency(reply)
        if self._latencies is not None:
            into.events += [
                _slowlog.latency_event(name, at_s, duration_s, begun)
                for name, (at_s, duration_s) in now.items()
                if self._latencies.get(name) != (at_s, duration_s)
            ]
        self._latencies = now


def _text(reply: Reply | ReplyError) -> str:
    return reply.decode("utf-8", "replace") if isinstance(reply, bytes) else ""


fits = only(ONLY)


def attach(options: Options, component: Component, place: Place) -> Session:
    """Attach the probe. Raises Unavailable where its address is not known or its password cannot be had."""
    reader = RedisReader(door("redis", options, component, place, PORT))
    return Aside(reader.read, reader.close, cpu_beside_s=reader.cpu_beside_s)
