"""JTL as CSV: what JMeter writes, and its report generator reads.

## What is written

A row for every request that ended in the measured part.
No row is a request of its own: a recording counts requests by interval, and has no single ones.
Each row is made of such a count, to show the right distribution at the right second:
`elapsed` is the middle of a step of 0.23 %, in whole milliseconds as JTL wants them, and `timeStamp` is
such that
the requests of one step end evenly apart over their interval.
`threadName` says so in every row: `histogram 1-N`, another N in each.

`label` is the route, `responseCode` and `responseMessage` are our outcome (`ok`, `http_4xx`, `timeout`
…), as
the status of a single answer is not recorded. `success` is true for `ok`.
`elapsed` counts from when a request was due; of an imported run from when it was sent.

## Who reads it

JMeter (`jmeter -g FILE -o FOLDER`), Jenkins' performance plugin, Taurus, `loadrig import`.

## What is missing

Requests that were due and never sent; `bytes`, `sentBytes`, `Latency` (time to the first byte),
`Connect` and
numbers of threads are 0, as they are not known of each request. Below a millisecond JTL knows no times.
"""

import csv
import io
from typing import BinaryIO

from loadrig.base.clock import MS
from loadrig.exporters._trial import ExportedTrial
from loadrig.importers._jtl import COLUMNS
from loadrig.language.choice import texts_of
from loadrig.language.en.exporters import ExportersTexts

TITLE = texts_of(ExportersTexts).jtl
FILE = "results.jtl"

THREAD = "histogram"
"""Name of the group of threads, which says that no row is a single request."""


def write(trial: ExportedTrial, out: BinaryIO) -> None:
    """Write the header and a row for each counted request."""
    requests = trial.counted()
    text = io.TextIOWrapper(out, encoding="utf-8", newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    number = 0
    for counted in requests:
        outcome, elapsed = counted.outcome, round(counted.took_ns / MS)
        is_good = outcome == "ok"
        rest = ("text", str(is_good).lower(), "" if is_good else outcome, 0, 0, 0, 0, "", 0, 0, 0)
        for start_ns in counted.starts_ns():
            number += 1
            # A thread of its own for each: of one thread, rows within another's time would be its parts.
            thread = f"{THREAD} 1-{number}"
            table.writerow((start_ns // MS, elapsed, counted.route, outcome, outcome, thread, *rest))
    text.flush()
    text.detach()
