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

from typing import BinaryIO

from loadrig.base.line_protocol import protocol_line
from loadrig.exporters._rows import series_rows
from loadrig.exporters._trial import ExportedTrial
from loadrig.language.choice import texts_of
from loadrig.language.en.exporters import ExportersTexts

TITLE = texts_of(ExportersTexts).influx
FILE = "series.line"


def write(trial: ExportedTrial, out: BinaryIO) -> None:
    """Write a line for every reading."""
    for row in series_rows(trial):
        tags = {"plan": trial.name, "component": row.component, "subject": row.subject}
        out.write(protocol_line(row.probe, tags, {row.metric: row.value}, row.t_ns).encode())
