"""Checks of the files that a plan names: feeds, bodies, protos, certificates, replay times."""

import csv
import math
from pathlib import Path

from loadrig.base import members, user_files
from loadrig.base.errors import Problem, Span
from loadrig.plan.arrivals import Replay
from loadrig.plan.draft import Draft
from loadrig.plan.model import Feed
from loadrig.plan.node import Scalar, at, listed

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
    draft: Draft, name: str, where: Span, what: str, most_bytes: int = user_files.MOST_TEXT_BYTES
) -> Path | None:
    path = draft.folder / name
    try:
        with user_files.open_bytes(path, most_bytes):
            return path
    except OSError as error:
        reason = _decapitalised(error.strerror or str(error))
        folder = path.parent
        close = members.nearest(path.name, _files(folder)) if folder.is_dir() else None
        mend = "give a path that counts from the plan's folder"
        if close:
            mend = f"write {Path(name).with_name(close)}"
        draft.reader.problem(
            what=f"{what} cannot be read: {name}: {reason}",
            where=where,
            why=f"looked for at {path}" if str(path) != name else "",
            mend=mend,
            code="plan.no-such-file",
        )
        return None


def _decapitalised(text: str) -> str:
    return text[:1].lower() + text[1:]


def _files(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.is_file()]


def _check_feed(draft: Draft, name: str, feed: Feed) -> None:
    where = draft.place("workload", "feeds", name)
    if feed.random and (len(feed.random) != 2 or feed.random[0] > feed.random[1]):
        draft.note(
            _bounds(f"random of {name}", list(feed.random), draft.place("workload", "feeds", name, "random"))
        )
        return
    count = _count(draft, name, feed, where)
    if count is None:
        return
    if not count:
        draft.reader.problem(
            what=f"the feed {name} is empty",
            where=where,
            mend="give it at least one value",
            code="plan.feed-empty",
        )
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
    path = _readable(draft, file, where, f"the feed {name}", user_files.MOST_LIST_BYTES)
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
                    draft.note(_short_row(name, f"{file}:{rows.line_num}", len(row), columns, where))
                    return None
    except (UnicodeDecodeError, csv.Error) as error:
        draft.note(_not_text(name, file, where, str(error)))
        return None
    if feed.column is not None and feed.column not in columns:
        draft.note(_no_column(draft, name, feed.column, columns))
        return None
    return count


def _no_column(draft: Draft, name: str, column: str, columns: list[str]) -> Problem:
    close = members.nearest(column, columns)
    return Problem(
        what=f"the table of {name} has no column {column}",
        where=draft.place("workload", "feeds", name, "column"),
        why=f"its first line names {', '.join(columns)}" if columns else "the file is empty",
        mend=f"write column: {close}" if close else "name one of its columns",
        code="plan.feed-column",
    )


def _short_row(name: str, place: str, cells: int, columns: list[str], where: Span) -> Problem:
    return Problem(
        what=f"the table of {name} has a line with {cells} of {len(columns)} columns: {place}",
        where=where,
        mend="give the line a value for each column, if only an empty one",
        code="plan.feed-column",
    )


def _not_text(name: str, file: str, where: Span, why: str) -> Problem:
    return Problem(
        what=f"the feed {name} cannot be read: {file} is not UTF-8 text",
        where=where,
        why=why,
        mend="save it as UTF-8",
        code="plan.no-such-file",
    )


def _check_unique(draft: Draft, name: str, count: int) -> None:
    work = draft.workload
    if work is None:
        return
    needed = work.arrivals.most_identities
    if count < needed < math.inf and draft.is_clean("workload", "users"):
        draft.reader.problem(
            what=f"the feed {name} has {count:,} values for {needed:,} users, each of whom keeps its own",
            where=draft.place("workload", "feeds", name, "order"),
            mend=f"give it {needed:,} values, or write order: sequential",
            code="plan.feed-too-short",
        )


def _bounds(what: str, values: list[int], where: Span) -> Problem:
    return Problem(
        what=f"{what} is {values}; it takes two bounds, the lower one first",
        where=where,
        mend="write two bounds such as [1, 100]",
        code="plan.bounds",
    )


def _check_times(draft: Draft, replay: Replay) -> None:
    where = draft.place("workload", "replay")
    path = _readable(draft, replay.times, where, "the times of replay", user_files.MOST_LIST_BYTES)
    if path is None:
        return
    before, number = -1.0, 0
    for number, line in enumerate(_lines_of(path), start=1):
        if not line.strip():
            continue
        try:
            time = float(line)
        except ValueError:
            time = float("nan")
        if not before <= time < float("inf") or time < 0:
            wrong = "is not a time in seconds" if not time >= 0 else f"is before the {before:g} above it"
            draft.note(_times(f"{replay.times}:{number}: {line.strip()[:SHOWN]!r} {wrong}", where))
            return
        before = time
    if before < 0:
        draft.note(_times(f"{replay.times} has no times in it", where))


def _lines_of(path: Path) -> list[str]:
    content = user_files.read_bytes(path, user_files.MOST_LIST_BYTES)
    return content.decode("utf-8", "replace").split("\n")


def _times(what: str, where: Span) -> Problem:
    return Problem(
        what=what,
        where=where,
        mend="write one time a line, in seconds from the first, none earlier than the one above",
        code="plan.replay-times",
    )
