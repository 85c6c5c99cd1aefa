"""Feeds read from their files into the lists that the generator draws from."""

import csv
from pathlib import Path

from loadrig.base.user_files import MOST_LIST_BYTES, open_text, read_text
from loadrig.engine.config import CompiledFeed
from loadrig.plan.model import Feed


def read_feed(name: str, feed: Feed, folder: Path) -> list[CompiledFeed]:
    """Return the generator's feeds of one feed of the plan: several where a CSV file gives a row at once.

    folder: folder that relative paths are relative to. The plan's checks have seen that the files exist and
    have the columns; OSError means that they went away since.
    """
    if feed.csv is not None:
        with open_text(folder / feed.csv, MOST_LIST_BYTES, "utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            if feed.column is not None:
                values = [row[feed.column] for row in reader]
                return [CompiledFeed(order=feed.order, name=name, values=values)]
            rows = list(reader)
        columns = list(rows[0]) if rows else []
        return [
            CompiledFeed(
                order=feed.order, name=f"{name}.{column}", row_of=name, values=[row[column] for row in rows]
            )
            for column in columns
        ]
    if feed.lines is not None:
        text = read_text(folder / feed.lines, MOST_LIST_BYTES)
        lines = [line for line in text.splitlines() if line]
        return [CompiledFeed(order=feed.order, name=name, values=lines)]
    if feed.counter is not None:
        return [CompiledFeed(order=feed.order, name=name, counter=feed.counter)]
    if feed.random:
        return [CompiledFeed(order=feed.order, name=name, random=feed.random)]
    return [CompiledFeed(order=feed.order, name=name, values=feed.values)]


def read_times(path: Path, speed: float) -> list[float]:
    """Return due times of a replay in seconds from the first one, sped up; blank lines are skipped."""
    times = [float(line) for line in read_text(path, MOST_LIST_BYTES).split("\n") if line.strip()]
    return [(time - times[0]) / speed for time in times]
