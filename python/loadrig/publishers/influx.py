"""InfluxDB line protocol, over HTTP or into a file: a line a second.

## What is told

The measurement `loadrig` with the tag `plan`: `due_per_second`, `good_per_second`, `failed_per_second`,
`in_flight`, `users`, `response_seconds_0.5`, `_0.95` and `_0.99`; `loadrig_tier` with the tag `component`:
`cores` and `memory_bytes`; and `loadrig_requests` with the tag `outcome`: `total`, the requests of the trial
so far, also those of a last second that the load did not fill. Instants are in nanoseconds.

## Who receives it

InfluxDB, VictoriaMetrics, QuestDB, Telegraf, by a POST to a URL that is sent as it is written:
`--to 'influx=http://127.0.0.1:8086/api/v2/write?org=us&bucket=load&precision=ns'`, with the token that
the environment has in `INFLUX_TOKEN`. A place that is no URL is a file, to whose end lines are added.

## What is missing

Seconds that were told while the receiver was gone: they are not sent again.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from loadrig.base.line_protocol import protocol_line
from loadrig.language.choice import texts_of
from loadrig.language.en.publishers import PublishersTexts
from loadrig.publishers._news import LiveNews, figures
from loadrig.publishers._post import is_url, post

TEXTS = texts_of(PublishersTexts)

TITLE = TEXTS.influx
PLACE = "URL|FILE"

TOKEN = "INFLUX_TOKEN"
"""Variable of the environment with the token, so that it stands on no command line. Source: influx's own."""


class LineWriter:
    """Writer of lines, to a URL or to the end of a file."""

    def __init__(self, plan: str, place: str) -> None:
        self._plan, self._place = plan, place

    def take(self, news: LiveNews) -> None:
        """Write what is new. Raises OSError where it cannot be written."""
        lines = []
        for second in news.seconds:
            fields = {
                "_".join((figure.name, *figure.labels.values())): figure.value for figure in figures(second)
            }
            lines.append(protocol_line("loadrig", {"plan": self._plan}, fields, int(second.t_s * 1e9)))
        if news.has_sums:
            at_ns = int(news.counted_to_s * 1e9)
            for figure in news.tiers():
                tags = {"plan": self._plan, **figure.labels}
                lines.append(protocol_line("loadrig_tier", tags, {figure.name: figure.value}, at_ns))
            for outcome, count in news.ended.items():
                tags = {"plan": self._plan, "outcome": outcome}
                lines.append(protocol_line("loadrig_requests", tags, {"total": count}, at_ns))
        content = "".join(lines).encode()
        if content:
            self._write(content)

    def _write(self, content: bytes) -> None:
        if not is_url(self._place):
            with Path(self._place).open("ab") as file:
                file.write(content)
            return
        token = os.environ.get(TOKEN)
        headers = {"Content-Type": "text/plain; charset=utf-8"}
        if token:
            headers["Authorization"] = f"Token {token}"
        post(self._place, content, headers)


def check(place: str) -> None:
    """Raise ValueError for a place that is neither a URL nor a file."""
    if not place or "\0" in place:
        raise ValueError(TEXTS.no_file_or_url(place))


@contextlib.contextmanager
def begin(place: str, plan: str) -> Iterator[LineWriter]:
    """Note the place. Raises ValueError for none, OSError for a file that cannot be had."""
    check(place)
    if not is_url(place):
        Path(place).open("ab").close()
    yield LineWriter(plan, place)
