"""The server's access log: requests by route and status, bytes, and the time that the server says it took.

## What it reads

New lines of the access logs, from their ends on; logs that are rotated or cut short are followed. By
default those are gunicorn's `--access-logfile`, and every file that the server's processes hold open whose
name speaks of an access log, as nginx's and Tomcat's do; else `path`. Read are the common and the combined
format of all servers, nginx's `$request_time` and `$upstream_response_time` behind them, JSON lines with
usual names, and any format that `format` gives in the notation of nginx, gunicorn, Apache or Tomcat
(gunicorn's `--access-logformat` is read from its command line). A duration that is a whole number is counted
only where its unit is known: by the format, by `time_unit`, or by Tomcat's version, whose %D is in ms up to
9 and in µs from 10.

A route is a method and a path in which numbers, UUIDs and all that looks like a token are `*`, without what
is behind the `?`. The busiest are told apart, the rest is `others`. Nothing else of a line is kept:
no address, no user, no agent.

## How to read it

These are the server's own figures of all its clients, the generator among them. `time_s` per request far
below the latency that the generator sees means that requests wait before the server takes them up.
`upstream_s` near `time_s` puts the time into what stands behind nginx.
`unread_lines` counts lines of another form: the errors in a log that holds both, or a `format` that is wrong.

## Cost

0.05 ms of one core for a sample without new lines, and 4 to 6 µs a line: 6 ms at 1,000 requests a second.
Of a log that grows by more than 4 MiB between two samples the oldest part is left out: `skipped_bytes`.
Measured on Linux 6.18, Python 3.11.
"""

import errno
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from loadrig.base import processes
from loadrig.base.component import SERVER, Component
from loadrig.base.effects import ServerEffect
from loadrig.base.series import Event, Metric, Sample
from loadrig.base.shape import option
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_logs import ProbesAccessLogErrors
from loadrig.language.events import SENTENCES, event_words
from loadrig.probes._access_lines import Entry, TimeUnit, lines_of, route
from loadrig.probes._aside import Aside, Reading
from loadrig.probes._counting import OTHERS, SubjectValues, Tops
from loadrig.probes._held_files import reachable
from loadrig.probes._session import Lost, Place, Session, Unavailable
from loadrig.probes._tail import Tail

ERRORS = texts_of(ProbesAccessLogErrors)

EFFECTS: tuple[ServerEffect, ...] = ()

METRICS: Mapping[str, Metric] = {
    "requests": Metric("1", "counter", "Requests in the log, in all and by route."),
    "answers": Metric("1", "counter", "Answers by class of status (`5xx`), and those with 401 and 429."),
    "sent_bytes": Metric("B", "counter", "Bytes of answers."),
    "time_s": Metric("s", "counter", "Time that the server says they took, in all and by route."),
    "timed": Metric("1", "counter", "Requests of which the log tells a time."),
    "upstream_s": Metric("s", "counter", "Time of that spent in servers behind this one."),
    "unread_lines": Metric("1", "counter", "Lines in a form that is not understood."),
    "skipped_bytes": Metric("B", "counter", "Left out because the log grew too fast."),
}

EVENTS: Mapping[str, str] = {"log_rotated": "The access log was moved away or cut short, and begun anew."}

KINDS = ("gunicorn", "nginx", "tomcat", "apache", "httpd")
MOST_LOGS = 8
MOST_ROUTES = 2000
"""Routes that are counted apart inside, at most.

Beyond this number the paths are no routes any more, and all others count as a single route.
"""

_APART = ("401", "429")
_NAME = re.compile(r"access.*(?:log|txt)|access$")


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the probe: which log, and how it is written."""

    path: str | None = option(
        "The access log, relative to the plan's folder; left out, it is looked for.", default=None
    )
    format: str = option(
        "auto, or how a line is written, in the notation of nginx, gunicorn, Apache or Tomcat.",
        default="auto", example="'%h %l %u %t \"%r\" %s %b %D'",
    )  # fmt: skip
    time_unit: Literal["auto", "s", "ms", "us"] = option(
        "Unit of durations that are whole numbers; auto counts those whose format tells it.", default="auto"
    )
    routes: int = option("So many routes are told apart; the rest is others.", default=20, low=1, high=100)


class Sums:
    """Sums over all lines that were read."""

    def __init__(self, parse: Callable[[str], Entry | None], routes: int) -> None:
        self._parse = parse
        self._totals: dict[tuple[str, str], float] = {}
        self._routes: dict[str, dict[str, float]] = {}
        self._tops = Tops("requests", most=routes, per_look=routes)
        self._tops.begin_anew()

    def add(self, lines: list[str]) -> None:
        """Add the counts of some lines."""
        totals = self._totals
        for line in lines:
            entry = self._parse(line)
            if entry is None:
                _add(totals, "unread_lines", "", 1)
                continue
            request, status, size, spent, behind = entry
            _add(totals, "requests", "", 1)
            _add(totals, "answers", f"{status[0]}xx", 1)
            if status in _APART:
                _add(totals, "answers", status, 1)
            _add(totals, "sent_bytes", "", size)
            costs = self._costs(route(request))
            costs["requests"] += 1
            if spent is not None:
                _add(totals, "time_s", "", spent)
                _add(totals, "timed", "", 1)
                costs["time_s"] += spent
            if behind is not None:
                _add(totals, "upstream_s", "", behind)

    def _costs(self, name: str) -> dict[str, float]:
        subject = f"route:{name}"
        if subject not in self._routes and len(self._routes) >= MOST_ROUTES:
            subject = OTHERS
        return self._routes.setdefault(subject, {"requests": 0.0, "time_s": 0.0})

    def counts(self) -> SubjectValues:
        """Return the counts so far, by metric and subject."""
        by_route = self._tops.add({name: dict(costs) for name, costs in self._routes.items()})
        has_times = ("timed", "") in self._totals
        shown = {key: value for key, value in by_route.items() if has_times or key[0] != "time_s"}
        start: SubjectValues = {("requests", ""): 0.0, ("unread_lines", ""): 0.0}
        return start | self._totals | shown


def _add(totals: dict[tuple[str, str], float], metric: str, subject: str, value: float) -> None:
    totals[metric, subject] = totals.get((metric, subject), 0.0) + value


class AccessLogReader:
    """Reader of the logs of a server, in the thread of its Aside."""

    def __init__(self, paths: list[Path], sums: Sums) -> None:
        self._tails = [Tail(path) for path in paths]
        for tail in self._tails:
            if tail.refused:
                raise OSError(errno.EINVAL, tail.refused, str(tail.path))
        self._sums = sums
        self._identities = [_identity(path) for path in paths]

    def read(self, t_ns: int) -> Reading:
        """Take a reading."""
        reading = Reading()
        for n, tail in enumerate(self._tails):
            try:
                self._sums.add(tail.lines())
            except OSError as error:
                wording = ERRORS.log_unreadable(str(tail.path), str(error.strerror))
                raise Lost.of(wording, code="probe.not-readable") from None
            before, self._identities[n] = self._identities[n], _identity(tail.path) or self._identities[n]
            now = self._identities[n]
            if before and now and (now[0] != before[0] or now[1] < before[1]):
                is_moved = now[0] != before[0]
                sentence = SENTENCES.access_log_moved if is_moved else SENTENCES.access_log_cut
                text = event_words(sentence, tail.path.name)
                reading.events.append(Event.of(t_ns, "log_rotated", "access_log", text, {}))
        values = self._sums.counts()
        values["skipped_bytes", ""] = float(sum(tail.skipped for tail in self._tails))
        reading.samples = [
            Sample(t_ns, "access_log", metric, subject, value) for (metric, subject), value in values.items()
        ]
        return reading

    def close(self) -> None:
        """Close the logs."""
        for tail in self._tails:
            tail.close()


def _identity(path: Path) -> tuple[int, int] | None:
    """Return inode and size of a file; None where it cannot be read."""
    try:
        now = os.stat(path)
    except OSError:
        return None
    return now.st_ino, now.st_size


def argument(argv: tuple[str, ...], name: str) -> str | None:
    """Return the value of an option of a command line, written `--name VALUE` or `--name=VALUE`."""
    for n, word in enumerate(argv):
        if word == name and n + 1 < len(argv):
            return argv[n + 1]
        if word.startswith(f"{name}="):
            return word.partition("=")[2]
    return None


def logs_of(component: Component) -> list[Path]:
    """Return the access logs of a server: the one on its command line, and those that its processes hold."""
    log_option = argument(component.argv, "--access-logfile")
    open_paths = _open_files(component.pid)
    paths = [path for path in open_paths if _NAME.search(path.name)]
    if log_option == "-":
        output = component.log or (reachable(component.pid, "1") if component.pid is not None else None)
        paths += [output] if output is not None else []
    elif log_option is not None:
        inside = [path for path in open_paths if path.name == Path(log_option).name]
        paths = inside or [
            Path(f"/proc/{component.pid}/cwd", log_option) if component.pid else Path(log_option),
            *paths,
        ]
    return list(dict.fromkeys(paths))[:MOST_LOGS]


def tomcat_unit(component: Component) -> TimeUnit:
    """Return the unit of Tomcat's %D, where its version is known by itself or by its folder; else "auto".

    Source: Apache Tomcat 9 and 10, Access Log Valve, "Time taken to process the request".
    """
    version = re.match(r"(\d+)", component.program_version) or re.search(
        r"-Dcatalina\.(?:home|base)=\S*?tomcat-?(\d+)", " ".join(component.argv)
    )
    return "auto" if version is None else "ms" if int(version[1]) < 10 else "us"


def _open_files(pid: int | None) -> list[Path]:
    """Return the regular files that a server's processes hold open, by paths that this process can reach."""
    paths: dict[Path, None] = {}
    for process in processes.tree(pid, processes.table()) if pid is not None else ():
        try:
            numbers = os.listdir(f"/proc/{process}/fd")
        except OSError:  # gone in the meantime, or another user's
            continue
        for number in numbers:
            path = reachable(process, number)
            if path is not None:
                paths[path] = None
    return list(paths)


def fits(component: Component) -> bool:
    """Return whether a component is the server under load, or known to write such a log."""
    return component.name == SERVER or component.kind in KINDS


def attach(options: Options, component: Component, place: Place) -> Session:
    """Attach the probe. Raises Unavailable where there is no log to read, or its format has no status."""
    if options.path is not None:
        # The path is for the server alone: all other components have logs of their own.
        paths = [place.base / options.path] if component.name == SERVER else []
    else:
        paths = logs_of(component)
    if not paths:
        raise Unavailable.of(ERRORS.no_log(component.name), code="probe.not-that")
    form = options.format
    if form == "auto" and component.kind == "gunicorn":
        form = argument(component.argv, "--access-logformat") or form
    unit: TimeUnit = options.time_unit
    try:
        if component.kind == "tomcat" and unit == "auto":
            unit = tomcat_unit(component)
            if unit == "auto" and "%D" in form:
                raise ValueError(ERRORS.unit_unknown)
        sums = Sums(lines_of(form, unit), options.routes)
        reader = AccessLogReader(paths, sums)
    except ValueError as error:
        raise Unavailable.of(ERRORS.wrong_options(str(error)), code="probe.not-that") from None
    except OSError as error:
        wording = ERRORS.log_unreadable(str(paths[0]), str(error.strerror))
        raise Unavailable.of(wording, code="probe.no-right") from None
    return Aside(reader.read, reader.close)
