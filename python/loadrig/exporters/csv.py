r"""Every series of a trial as CSV (RFC 4180, with a header): a long table, a reading a row.

## What is written

| column | meaning |
| --- | --- |
| `t_ns` | instant, in nanoseconds since 1970 (UTC); of the generator's rows the end of the interval |
| `component` | tier that it was read of: `generator`, `host`, `server`, `redis` … |
| `probe`, `metric` | who read it, and what: see the [probes](probes.md); `load` is the generator itself |
| `subject` | part of the component, empty for the whole; of `ended` and of times `ROUTE\|OUTCOME` |
| `value`, `unit` | the reading, and its unit; `1` for a count |
| `kind` | `gauge` is a level or a count of one interval, `counter` only grows |

Metrics of the probe `load`: `interval_s`, `sent`, `answered`, `failed`, `in_flight`, `due`, `unsent`,
`users`,
`bytes_in`, `bytes_out` and `opened` of each interval; `ended` by route and outcome; and `response_p50_s`,
`response_p90_s`, `response_p99_s` and `response_max_s` (`service_…` of an imported run) by route and
outcome.
A route without a name is all routes together, in long trials.

The warm-up and the drain are in it.

## Who reads it

Spreadsheets, pandas, DuckDB (`SELECT * FROM 'series.csv'`).

## What is missing

Quantiles of several intervals cannot be worked out of those of each: take the format `hlog` for that.
"""

import csv
import io
from typing import BinaryIO

from loadrig.exporters._rows import SeriesRow, series_rows
from loadrig.exporters._trial import ExportedTrial
from loadrig.language.choice import texts_of
from loadrig.language.en.exporters import ExportersTexts

TITLE = texts_of(ExportersTexts).csv
FILE = "series.csv"


def write(trial: ExportedTrial, out: BinaryIO) -> None:
    """Write the header and every row."""
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=False)
    table = csv.writer(text)
    table.writerow(SeriesRow._fields)
    table.writerows(series_rows(trial))
    text.flush()
    text.detach()
