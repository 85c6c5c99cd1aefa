"""InfluxDB line protocol: every series of a trial, with times in nanoseconds.

## What is written

The rows of [CSV](#csv): the measurement is the probe, the tags are `component`, `subject` (where there
is one)
and `plan`, and the only field is the metric.
`load,plan=shop,component=generator,subject=search|ok ended=193 1764336000000000000`

## Who reads it

InfluxDB 1 to 3 (`influx write -f FILE`, `POST /api/v2/write`), Telegraf, VictoriaMetrics, QuestDB.

## What is missing

Units and kinds, for which the protocol has no place; readings that are no numbers are left out.
"""

import math
from typing import BinaryIO

from loadrig.exporters._rows import series_rows
from loadrig.exporters._trial import ExportedTrial
from loadrig.language.choice import texts_of
from loadrig.language.en.exporters import ExportersTexts

TITLE = texts_of(ExportersTexts).influx
FILE = "series.line"

_IN_A_NAME = str.maketrans({",": "\\,", " ": "\\ ", "\n": "\\ ", "\r": "\\ "})
_IN_A_TAG = _IN_A_NAME | str.maketrans({"=": "\\="})


def write(trial: ExportedTrial, out: BinaryIO) -> None:
    """Write a line for every reading."""
    plan = _tag("plan", trial.name)
    for row in series_rows(trial):
        if math.isfinite(row.value):
            tags = f"{plan}{_tag('component', row.component)}{_tag('subject', row.subject)}"
            name, field = row.probe.translate(_IN_A_NAME), row.metric.translate(_IN_A_TAG)
            out.write(f"{name}{tags} {field}={float(row.value)!r} {row.t_ns}\n".encode())


def _tag(key: str, value: str) -> str:
    """Return a tag with its comma; "" without a value, as the protocol has no empty ones.

    A backslash at the end would take the sign after it away, so a space follows it.
    """
    if not value:
        return ""
    end = "\\ " if value.endswith("\\") else ""
    return f",{key}={value.translate(_IN_A_TAG)}{end}"
