"""Checks of the files that a plan names: feeds, bodies, protos, certificates, replay times."""

import csv
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from loadrig.base import members, user_files
from loadrig.base.error_words import ErrorWords
from loadrig.base.errors import Problem, Span
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.plan_feeds import PlanCheckFeedsErrors
from loadrig.plan.arrivals import CONNECTIONS_SATURATE, Replay, Sessions
from loadrig.plan.draft import Draft
from loadrig.plan.model import Feed, TrialRules, Workload
from loadrig.plan.node import Scalar, at, listed
from loadrig.plan.replayed import MissingColumn, WrittenArrival, scenario_places, written_arrivals

ERRORS = texts_of(PlanCheckFeedsErrors)

SHOWN = 80
"""Number of characters of a line that are shown: a file without line ends is one line."""


def check_files(draft: Draft) -> None:
    """Check that files exist, can be read, and hold what the plan says they hold."""
    work = draft.workload
    for path, node in draft.requests():
        body = at(node, "body_file")
        if isinstance(body, Scalar):
            _readable(draft, body.text, body.span, "body_file" if path else "", user_files.MOST_BODY_BYTES)
    for node in listed(draft.node("workload", "protos")):
        if isinstance(node, Scalar):
            _readable(draft, node.text, node.span, "protos")
    if work is None:
        return
    if work.tls.ca is not None:
        _readable(draft, work.tls.ca, draft.place("workload", "tls", "ca"), "tls.ca")
    if isinstance(work.arrivals, Replay) and draft.is_clean("workload", "replay"):
        _check_times(draft, work.arrivals)
    for name, feed in work.feeds.items():
        if draft.is_clean("workload", "feeds", name):
            _check_feed(draft, name, feed)


def hole_names_of(name: str, feed: Feed, folder: Path) -> set[str]:
    """Return the names of the holes that a feed fills: its name, or name.column for a table's columns."""
    if feed.csv is None or feed.column is not None:
        return {name}
    columns = _columns(folder / feed.csv)
    return {f"{name}.{column}" for column in columns} if columns is not None else {f"{name}.*"}


def _columns(path: Path) -> list[str] | None:
    """Return the columns of a CSV file; None if it cannot be read."""
    try:
        with user_files.open_text(path, user_files.MOST_LIST_BYTES, "utf-8-sig", newline="") as file:
            return next(csv.reader(file), [])
    except (OSError, ValueError, csv.Error):
        return None


def _readable(
    draft: Draft, name: str, where: Span, subject: str, most_bytes: int = user_files.MOST_TEXT_BYTES
) -> Path | None:
    """Return the path of a file; None after a problem. subject: what the user calls the file."""
    path = draft.folder / name
    try:
        with user_files.open_bytes(path, most_bytes):
            return path
    except OSError as error:
        reason = _decapitalised(error.strerror or str(error))
        folder = path.parent
        close = members.nearest(path.name, _files(folder)) if folder.is_dir() else None
        draft.reader.reject(
            ERRORS.unreadable_file(
                subject,
                name,
                reason,
                looked_for_at=str(path) if str(path) != name else "",
                close=str(Path(name).with_name(close)) if close else None,
            ),
            code="plan.no-such-file",
            where=where,
        )
        return None


def _decapitalised(text: str) -> str:
    return text[:1].lower() + text[1:]


def _files(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.is_file()]


def _check_feed(draft: Draft, name: str, feed: Feed) -> None:
    where = draft.place("workload", "feeds", name)
    if feed.random and (len(feed.random) != 2 or feed.random[0] > feed.random[1]):
        draft.reader.reject(
            ERRORS.not_two_bounds(name, str(list(feed.random))),
            code="plan.bounds",
            where=draft.place("workload", "feeds", name, "random"),
        )
        return
    count = _count(draft, name, feed, where)
    if count is None:
        return
    if not count:
        draft.reader.reject(ERRORS.empty_feed(name), code="plan.feed-empty", where=where)
    elif feed.order == "unique":
        _check_unique(draft, name, count)


def _count(draft: Draft, name: str, feed: Feed, where: Span) -> int | None:
    """Return how many values a feed has; None where it has no end or could not be read."""
    if feed.values:
        return len(feed.values)
    if feed.random:
        return feed.random[1] - feed.random[0] + 1
    file = feed.csv if feed.csv is not None else feed.lines
    if file is None:
        return None if feed.counter is not None else 0
    path = _readable(draft, file, where, ERRORS.feed(name), user_files.MOST_LIST_BYTES)
    if path is None:
        return None
    try:
        if feed.lines is not None:
            text = user_files.read_text(path, user_files.MOST_LIST_BYTES)
            return sum(1 for line in text.splitlines() if line)
        with user_files.open_text(path, user_files.MOST_LIST_BYTES, "utf-8-sig", newline="") as opened:
            rows = csv.reader(opened)
            columns = next(rows, [])
            count = 0
            for row in rows:
                count += bool(row)
                if row and len(row) < len(columns):
                    draft.reader.reject(
                        ERRORS.short_row(name, len(row), len(columns), f"{file}:{rows.line_num}"),
                        code="plan.feed-column",
                        where=where,
                    )
                    return None
    except (UnicodeDecodeError, csv.Error) as error:
        draft.reader.reject(ERRORS.not_text(name, file, str(error)), code="plan.no-such-file", where=where)
        return None
    if feed.column is not None and feed.column not in columns:
        close = members.nearest(feed.column, columns)
        draft.reader.reject(
            ERRORS.unknown_column(name, feed.column, ", ".join(columns), close),
            code="plan.feed-column",
            where=draft.place("workload", "feeds", name, "column"),
        )
        return None
    return count


def _check_unique(draft: Draft, name: str, count: int) -> None:
    work = draft.workload
    if work is None:
        return
    needed = _users_at_most(work, draft.trial)
    if count < needed and draft.is_clean("workload", "users"):
        draft.reader.reject(
            ERRORS.too_few_values(name, count, int(needed)),
            code="plan.feed-too-short",
            where=draft.place("workload", "feeds", name, "order"),
        )


def _users_at_most(work: Workload, trial: TrialRules) -> float:
    """Return how many users the generator reckons with: of sessions, each of them a user, those expected."""
    arrivals = work.arrivals
    if arrivals.is_unpaced:
        most = work.connections.most
        return CONNECTIONS_SATURATE if most is None else max(1, most // work.connections_at_once)
    if not isinstance(arrivals, Sessions):
        return arrivals.most_identities
    end_s = arrivals.length_s
    if end_s is None:
        end_s = trial.warm_up.at_most + trial.measure.at_most
    return math.floor(_area(arrivals.line, end_s))


def _area(line: Sequence[Sequence[float]], end_s: float) -> float:
    """Return the area under a line of times and levels, from 0 to an end; its last level holds."""
    area, (at_s, level) = 0.0, (0.0, line[0][1])
    for next_s, next_level in [*line, [math.inf, line[-1][1]]]:
        until_s = min(next_s, end_s)
        if until_s > at_s:
            share = (until_s - at_s) / (next_s - at_s) if math.isfinite(next_s) else 0.0
            area += (until_s - at_s) * (level + (next_level - level) * share / 2)
        at_s, level = next_s, next_level
    return area


def _check_times(draft: Draft, replay: Replay) -> None:
    where = draft.place("workload", "replay")
    path = _readable(draft, replay.times, where, ERRORS.replay_times, user_files.MOST_LIST_BYTES)
    if path is None:
        return
    try:
        problem = _wrong_arrival(draft, replay, written_arrivals(path, is_table=replay.is_table))
    except MissingColumn as error:
        problem = ERRORS.no_column(replay.times, error.column)
    except (UnicodeDecodeError, csv.Error) as error:
        problem = ERRORS.no_list(replay.times, str(error))
    if problem is not None:
        draft.note(_times(problem, where))


def _wrong_arrival(draft: Draft, replay: Replay, arrivals: Iterable[WrittenArrival]) -> ErrorWords | None:
    """Return what is wrong with the first arrival that is wrong; None of a list that can be replayed."""
    places = scenario_places(draft.workload.scenarios) if draft.workload else {}
    # A request that could not be read is no request of the plan's yet.
    is_whole = all(draft.is_clean("workload", key) for key in ("requests", "steps", "scenarios"))
    before = -1.0
    for arrival in arrivals:
        place, shown = f"{replay.times}:{arrival.line}", repr(arrival.time[:SHOWN])
        try:
            time = float(arrival.time)
        except ValueError:
            time = float("nan")
        if not before <= time < float("inf") or time < 0:
            if time >= 0:
                return ERRORS.time_before_last(place, shown, f"{before:g}")
            return ERRORS.not_a_time(place, shown)
        if is_whole and arrival.scenario is not None and arrival.scenario not in places:
            name = arrival.scenario[:SHOWN]
            return ERRORS.no_such_scenario(place, repr(name), members.nearest(name, [*places]))
        before = time
    return ERRORS.no_times(replay.times) if before < 0 else None


def _times(wording: ErrorWords, where: Span) -> Problem:
    return Problem.of(wording, code="plan.replay-times", where=where)
