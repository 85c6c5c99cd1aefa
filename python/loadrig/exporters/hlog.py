"""HdrHistogram interval log, format 1.3: the histograms themselves, nothing lost.

## What is written

A line for every interval, route, outcome and kind of times: `Tag=ROUTE|OUTCOME|KIND`, values in
nanoseconds, as
the [recording](recording.md#latencyhlog) holds them; a tag `-|KIND` is of the generator as a whole.
The warm-up and the drain are in it.

## Who reads it

HistogramLogProcessor and HistogramLogAnalyzer (`-tag 'search|ok|response' -outputValueUnitRatio
1000000` for
milliseconds), hdrhistogram in every language.

## What is missing

Of long trials the lines of all routes together, which are the sum of the others: who adds up all lines
counts
nothing twice.
"""

from typing import BinaryIO

from loadrig.exporters._trial import ExportedTrial
from loadrig.language.choice import texts_of
from loadrig.language.en.exporters import ExportersTexts
from loadrig.recording import hlog
from loadrig.recording.thinning import WHOLE

TITLE = texts_of(ExportersTexts).hlog
FILE = "latency.hlog"


def write(trial: ExportedTrial, out: BinaryIO) -> None:
    """Write the header and every whole line. Raise PlanError where another tool told no times."""
    trial.need_times()
    out.write(hlog.header(trial.recording.manifest.wall_ns))
    for tag, start_ns, len_ns, text in hlog.histograms(trial.folder.latency):
        if tag.route != WHOLE:
            out.write(hlog.line(tag, start_ns, len_ns, text).encode())
