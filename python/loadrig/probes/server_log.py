"""Log of the server: new lines of its logs under load, as templates with counts, and known facts.

## What it reads

New lines, from the probe's start on, of what the server prints into a file, of files with the name of a log
that its processes hold open for writing, of its systemd unit in the journal, and of its container's log where
Docker writes it as json-file. A log that is moved away or cut short is followed. Access logs are left to
`access_log`; statement logs, data and uploads are never opened. A pipe or a terminal cannot be read, nor can
what this user may not: an event `note` says so.

In each line, times, numbers, addresses, paths, quoted texts, UUIDs and hexadecimal numbers become holes, and
lines that then agree in most words are one template. Only templates are kept, never a line; what looks like a
secret is masked. Free text can still hold a name: `unwatched: [server_log]` leaves the logs alone.

A table knows what SQLAlchemy, psycopg, asyncpg, HikariCP, database/sql, redis clients, node-postgres,
gunicorn, uvicorn, nginx, Tomcat, MariaDB, PostgreSQL, redis, the runtimes and the kernel's error codes say of
pools, workers, connections, descriptors, ports, memory, locks, disks and dependencies at their end: each is
an event `server_fact` with the numbers of the line.

## How to read it

A fact stands whatever else was disturbed: a server that says `QueuePool limit reached` has waited for its
pool. A template that first came under load, or came far more often, tells what load changes. A traceback
counts by its first and last lines; a fact that a log repeats in several lines is counted by lines.
Of more than 300 lines a second (of all logs of a component) those that speak of trouble are looked at first,
then an even sample; `unread_lines` counts the rest, and counts of templates and facts are then at least so
many. `skipped_bytes` were not even counted. Lines of requests are in `lines`, and in no template.

## Cost

0.01 ms of one core for a sample without new lines, and 30 to 50 µs a line up to 300 lines a second. A server
that writes 100,000 lines a second costs 2.5 % of one core. Every ten seconds 5 ms to see what logs there are.
Measured on Linux 6.18, Python 3.11.
"""

import errno
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from loadrig.base.component import HOST, PROXY, Component
from loadrig.base.effects import ServerEffect
from loadrig.base.masks import masked_text
from loadrig.base.series import Event, Metric, Sample
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_logs import ProbesServerLogErrors
from loadrig.language.events import SENTENCES, event_words
from loadrig.probes._aside import Aside, Reading
from loadrig.probes._logs.follow import Follower, Gained
from loadrig.probes._logs.journal import Journal, unit_of
from loadrig.probes._logs.lines import parse
from loadrig.probes._logs.sources import Logs, logs_of
from loadrig.probes._logs.telling import Telling
from loadrig.probes._logs.templates import Templates
from loadrig.probes._session import Place, Session, Unavailable
from loadrig.probes._watch import Options as Options

ERRORS = texts_of(ProbesServerLogErrors)

EFFECTS: tuple[ServerEffect, ...] = ()

METRICS: Mapping[str, Metric] = {
    "lines": Metric("1", "counter", "New lines of all logs, in all and of those looked at by level."),
    "unread_lines": Metric("1", "counter", "Lines of those that were counted and not looked at."),
    "binary_lines": Metric("1", "counter", "Lines that are no text."),
    "skipped_bytes": Metric("B", "counter", "Left out, and not counted as lines, as a log grew too fast."),
    "templates": Metric("1", "gauge", "Templates that the lines have come to."),
    "facts": Metric("1", "counter", "Lines that tell a known fact, by resource and what became of it."),
}

EVENTS: Mapping[str, str] = {
    "server_fact": "The server has said that a resource is at its end: `resource`, `what`, `count` lines.",
    "log_template": "Lines that are alike: `count` until now, the first `over_s` before; the newest holds.",
    "log_rotated": "A log was moved away or cut short, and begun anew.",
    "note": "A log that cannot be read, and why.",
}

MOST_LINES = 300
"""Lines looked at in a reading, at most, of all logs of a component."""

LOOK_EVERY_NS = 10_000_000_000
"""Time between two looks for logs that were opened in the meantime."""

JOURNAL_EVERY_NS = 5_000_000_000
"""Time between two questions to the journal: each takes some 10 ms of a core."""

_TROUBLE = (b"rror", b"ERR", b"FATAL", b"CRIT", b"xcept", b"imeout", b"WARN", b"oo many", b"xhausted")
_COUNTED_LEVELS = frozenset({"fatal", "error", "warning"})


@dataclass(slots=True)
class Counts:
    """Counts that become metrics."""

    lines: int = 0
    unread: int = 0
    binary: int = 0
    skipped: int = 0
    levels: dict[str, int] = field(default_factory=dict)
    facts: dict[str, float] = field(default_factory=dict)


class ServerLogReader:
    """Reader of the logs of a component, in the thread of its Aside."""

    def __init__(self, component: Component, logs: Logs) -> None:
        """Open the logs. Raises OSError if none of them may be read."""
        self._component = component
        self._followers: dict[tuple[int, int], Follower] = {}
        self._telling = Telling(Templates(masked_text))
        self._counts = Counts()
        self._noted: set[str] = set()
        self._events: list[Event] = []
        self._last_ns = time.monotonic_ns()
        self._looked_ns = self._asked_ns = self._last_ns
        failure = self._take_in(logs)
        self._journal = self._journal_of(component, logs)
        if not self._followers and self._journal is None:
            raise failure or OSError(errno.ENOENT, ERRORS.none_readable)

    def _take_in(self, logs: Logs) -> OSError | None:
        """Follow the logs that are not followed yet. Return why one could not be followed, else None."""
        failure = None
        paths = {follower.path: inode for inode, follower in self._followers.items()}
        followed = {follower.inode for follower in self._followers.values()}
        for inode, held in logs.held.items():
            if inode in followed:
                continue
            before = paths.get(held.path) if held.is_inside else None
            try:
                self._followers[inode] = held.followed(from_start=before is not None)
            except OSError as error:
                failure = error
                self._note(ERRORS.log_not_read(str(held.path), str(error.strerror)))
                continue
            if before is not None:
                self._followers.pop(before).close()
        for sentence in logs.unseen:
            self._note(sentence)
        return failure

    def _journal_of(self, component: Component, logs: Logs) -> Journal | None:
        unit = unit_of(component.pid) if logs.prints_to_socket and component.pid is not None else None
        if unit is None:
            return None
        try:
            return Journal(unit)
        except OSError as error:
            self._note(ERRORS.journal_not_read(unit, str(error.strerror)))
            return None

    def _note(self, sentence: str) -> None:
        if sentence not in self._noted:
            self._noted.add(sentence)
            text = f"{self._component.name}: {sentence}"
            self._events.append(Event(self._last_ns, "note", "server_log", text, {"code": "probe.no-right"}))

    def read(self, t_ns: int) -> Reading:
        """Take a reading."""
        self._look(t_ns)
        return Reading(self._samples(t_ns), [*self._take_events(), *self._telling.due(self._last_ns)])

    def _look(self, t_ns: int) -> None:
        self._last_ns = t_ns
        if t_ns - self._looked_ns >= LOOK_EVERY_NS:
            self._looked_ns = t_ns
            self._take_in(logs_of(self._component))
        lines_left = MOST_LINES
        sources: list[Follower | Journal] = list(self._followers.values())
        if self._journal is not None and t_ns - self._asked_ns >= JOURNAL_EVERY_NS:
            self._asked_ns = t_ns
            sources.append(self._journal)
        for n, source in enumerate(sources):
            try:
                gained = source.gained()
            except OSError as error:
                self._lose(source, error)
                continue
            # On a busy machine a reading takes a while: no line is dated before it was written.
            self._last_ns = time.monotonic_ns()
            # A log that floods leaves their part to the logs behind it.
            lines_left -= self._count(
                gained, source.path.name, lines_left // (len(sources) - n) if lines_left > 0 else 0
            )
            if gained.is_begun_anew:
                text = event_words(SENTENCES.log_begun_anew, source.path.name)
                self._events.append(Event.of(t_ns, "log_rotated", "server_log", text, {}))

    def _lose(self, source: Follower | Journal, error: OSError) -> None:
        self._note(ERRORS.no_longer_read(str(source.path), str(error.strerror)))
        if source is self._journal:
            self._journal = None
            return
        source.close()
        self._followers = {
            inode: follower for inode, follower in self._followers.items() if follower is not source
        }

    def _count(self, gained: Gained, name: str, most: int) -> int:
        """Take in the lines that a log has gained. Return how many lines were looked at."""
        counts = self._counts
        looked_at = chosen(gained.lines, most)
        counts.lines += len(gained.lines) + gained.unread_lines
        counts.unread += len(gained.lines) - len(looked_at) + gained.unread_lines
        counts.skipped += gained.skipped_bytes
        for raw, times in looked_at:
            line = parse(raw)
            if line.kind == "binary":
                counts.binary += 1
                continue
            if line.kind == "request":
                continue
            fact = self._telling.add(line, name, self._last_ns, times)
            if line.level in _COUNTED_LEVELS:
                counts.levels[line.level] = counts.levels.get(line.level, 0) + 1
            if fact is not None:
                subject = f"{fact.message.resource}:{fact.message.what}"
                counts.facts[subject] = counts.facts.get(subject, 0.0) + times
        return len(looked_at)

    def _samples(self, t_ns: int) -> list[Sample]:
        counts = self._counts
        values = {
            ("lines", ""): counts.lines,
            ("unread_lines", ""): counts.unread,
            ("binary_lines", ""): counts.binary,
            ("skipped_bytes", ""): counts.skipped,
            ("templates", ""): len(self._telling.templates.all),
            **{("lines", f"level:{level}"): count for level, count in counts.levels.items()},
            **{("facts", subject): count for subject, count in counts.facts.items()},
        }
        return [
            Sample(t_ns, "server_log", metric, subject, float(value))
            for (metric, subject), value in values.items()
        ]

    def _take_events(self) -> list[Event]:
        happened, self._events = self._events, []
        return happened

    def close(self) -> None:
        """Take in the last lines, and close the logs."""
        self._journal, journal = None, self._journal
        # Lines since the last reading are dated now: a load shorter than a period has no others.
        with suppress(OSError):
            self._look(time.monotonic_ns())
            if journal is not None:
                self._count(journal.gained(), journal.path.name, MOST_LINES)
        for follower in self._followers.values():
            follower.close()
        self._followers = {}

    def rest(self) -> list[Event]:
        """Return all events that are still due; after `close`."""
        return [*self._take_events(), *self._telling.due(self._last_ns, is_end=True)]


def chosen(lines: list[bytes], most: int) -> list[tuple[bytes, float]]:
    """Return some of the lines, in order, and how many lines each stands for.

    These are those on trouble, then evenly of the rest; of too many on trouble evenly of these.
    """
    if len(lines) <= most:
        return [(line, 1.0) for line in lines]
    trouble = {n for n, line in enumerate(lines) if any(word in line for word in _TROUBLE)}
    others = [n for n in range(len(lines)) if n not in trouble]
    troubled = _evenly(sorted(trouble), most)
    remaining = _evenly(others, most - len(troubled))
    times = {n: len(trouble) / len(troubled) for n in troubled}
    times |= {n: len(others) / len(remaining) for n in remaining}
    return [(lines[n], times[n]) for n in sorted(times)]


def _evenly(numbers: list[int], most: int) -> list[int]:
    if len(numbers) <= most:
        return numbers
    return [numbers[n * len(numbers) // most] for n in range(most)]


class ServerLogWatch(Aside):
    """Session of a component: as Aside, and at its end with all events that were still due."""

    def __init__(self, reader: ServerLogReader) -> None:
        self._reader = reader
        super().__init__(reader.read, reader.close)

    def detach(self) -> None:
        """Take in the last lines, and close the logs."""
        super().detach()
        if self._thread.is_alive():  # it waits for a journal, and still uses its figures
            return
        reading, _ = self._take()
        self._events += [*reading.events, *self._reader.rest()]


def fits(component: Component) -> bool:
    """Return whether a component is a program whose process or log is known."""
    is_program = component.kind not in (HOST, PROXY)
    return is_program and (component.pid is not None or component.log is not None)


def attach(options: Options, component: Component, place: Place) -> Session:
    """Attach the probe. Raises Unavailable where there is no log, or none that may be read."""
    del options, place
    logs = logs_of(component)
    try:
        reader = ServerLogReader(component, logs)
    except OSError as error:
        why = "; ".join(dict.fromkeys([*logs.unseen, str(error.strerror)]))
        if not logs.held:
            raise Unavailable.of(ERRORS.no_log_seen(component.name, why), code="probe.not-that") from None
        path = next(iter(logs.held.values())).path
        wording = ERRORS.log_unreadable(str(path), component.name, str(error.strerror))
        raise Unavailable.of(wording, code="probe.no-right") from None
    return ServerLogWatch(reader)
