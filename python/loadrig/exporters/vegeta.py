"""Results of vegeta as JSON lines: what `vegeta encode --to json` writes, and every vegeta command reads.

## What is written

A line for every request that ended in the measured part.
No line is a request of its own: a recording counts requests by interval, and has no single ones.
Each line is made of such a count: `latency` is the middle of a step of 0.23 %, and `timestamp` is such
that the
requests of one step end evenly apart over their interval.
`attack` says so in every line: `PLAN (of loadrig's histograms)`.

`url` is the route's name. `code` is 200 for `ok`, and the hundred of its class for `http_3xx`,
`http_4xx` and
`http_5xx`; for every other outcome it is 0, with the outcome in `error`, so that vegeta counts it as
failed.
An `http_3xx` is a failure here and a success for vegeta.
`latency` counts from when a request was due; of an imported run from when it was sent.

## Who reads it

`vegeta report`, `vegeta plot`, `vegeta encode`, jaggr, `loadrig import`.

## What is missing

Requests that were due and never sent; bytes, headers, bodies and methods, which are 0 or empty.
"""

import json
from datetime import UTC, datetime
from typing import BinaryIO

from loadrig.base.clock import NS
from loadrig.exporters._trial import ExportedTrial
from loadrig.language.choice import texts_of
from loadrig.language.en.exporters import ExportersTexts

TITLE = texts_of(ExportersTexts).vegeta
FILE = "results.json"

CODES = {"ok": 200, "http_3xx": 300, "http_4xx": 400, "http_5xx": 500}
"""Status of the outcomes that tell its class; the exact one is not recorded for a request."""


def write(trial: ExportedTrial, out: BinaryIO) -> None:
    """Write a line for each counted request."""
    attack = json.dumps(f"{trial.name} (of loadrig's histograms)")
    number = 0
    for counted in trial.counted():
        code = CODES.get(counted.outcome, 0)
        error = json.dumps("" if counted.outcome == "ok" else counted.outcome)
        rest = (
            f'"latency":{counted.took_ns},"bytes_out":0,"bytes_in":0,"error":{error},"body":null,'
            f'"method":"","url":{json.dumps(counted.route)},"headers":null}}\n'
        )
        for start_ns in counted.starts_ns():
            head = f'{{"attack":{attack},"seq":{number},"code":{code},"timestamp":"{instant(start_ns)}",'
            out.write((head + rest).encode())
            number += 1


def instant(wall_ns: int) -> str:
    """Return nanoseconds since 1970 as RFC 3339 with all their digits, in UTC."""
    seconds, rest = divmod(wall_ns, NS)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:09d}Z"
