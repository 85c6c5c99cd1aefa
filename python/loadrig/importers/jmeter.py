"""Results of Apache JMeter: JTL files, as CSV or XML.

## What is read

CSV by the names of its header, in any order, with commas, semicolons, tabs or bars between; without a header
the seventeen columns that JMeter writes by default.
`timeStamp`, `elapsed` and one of `success` and `responseCode` are needed; `label`, `threadName`, `bytes` and
`allThreads` are used where they are there.
XML (`testResults`), as a stream; a document type or an entity in it is refused.

## Routes

The label.

## What its times count

`elapsed`: from just before the request was sent to the last byte of the answer, with the making of a
connection (`Connect`).
`timeStamp` is when a sample began; where the samples of a thread only fit one after the other if it is when
they ended (`sampleresult.timestamp.start=false`), it is read so, and the run says so.

## Sub-samples and transactions

Rows of redirects and embedded resources (`moved-0`, `moved-1`) are part of the sample that they belong to,
and are left out.
So are rows of transaction controllers whose requests have rows of their own; where they have none, each
transaction counts as one request, and the run says so.

## Outcomes

Good is what JMeter calls a success; without that column a status below 400.
A failure with a good status is check_failed (an assertion); one without a status is told by the text of its
error: timeout, connect_refused, reset and so on, else failed.

Source: `CSVSaveService` and `SampleSaveConfiguration` of apache/jmeter.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from loadrig.base.errors import PlanError
from loadrig.importers import _jtl_xml
from loadrig.importers._jtl import COLUMNS, Record, reads_ends, request_samples
from loadrig.importers._rows import CsvRow, rows
from loadrig.importers._sample import RequestSample, RunFacts
from loadrig.importers._source import ResultsFile
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.importers import ImportersJmeterErrors
from loadrig.language.en.importers import ImportersTexts

TEXTS, ERRORS = texts_of(ImportersTexts), texts_of(ImportersJmeterErrors)

TOOL = "JMeter"
FILES = ERRORS.files
TIMES = ERRORS.times

_DELIMITERS = ",;\t|"
_HEADLESS = re.compile(rb"\d{13},\d+,[^,\n]*,")
_PEEKED = 2_000
"""Number of rows by which it is decided whether timeStamp is the start or the end of a sample."""


def recognises(head: bytes) -> bool:
    """Return whether a header's names, the root of the XML, or a row in the default order is JMeter's."""
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    line = text.partition(b"\n")[0]
    if text.startswith(b"<"):
        return b"<testResults" in head
    if b"timeStamp" in line and b"elapsed" in line:
        return True
    return _HEADLESS.match(line) is not None and line.count(b",") >= len(COLUMNS) - 1


def samples(source: ResultsFile, remarks: RunFacts) -> Iterator[RequestSample]:
    """Yield every request, in the file's order."""
    head = ResultsFile.head_of(source.path)
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        records = _jtl_xml.records(source)
    else:
        records = _csv_records(source)
    first = []
    for record in records:
        first.append(record)
        if len(first) == _PEEKED:
            break
    is_end = reads_ends(first)
    if is_end:
        remarks.note(TEXTS.ends_of_samples(source.path.name))
    yield from request_samples(chain(first, records), remarks, is_end=is_end)


def _csv_records(source: ResultsFile) -> Iterator[Record]:
    lines = source.text_lines()
    header = next(lines, "").lstrip("\ufeff")
    lines.close()
    names: Sequence[str] | None = None
    for row in rows(
        source, _dialect(next((delimiter for delimiter in _DELIMITERS if delimiter in header), ","))
    ):
        if names is None:
            names = _names(source, row.fields)
            if names is not COLUMNS:
                continue
        if row.fields[0].lstrip("\ufeff") == "timeStamp" or (
            names is not COLUMNS and row.fields == list(names)
        ):
            continue  # JMeter appends to a file that is there, header and all
        record = _record(source, row, names)
        if record is not None:
            yield record


def _dialect(delimiter: str) -> type[csv.Dialect]:
    return type("JtlDialect", (csv.excel,), {"delimiter": delimiter})


def _names(source: ResultsFile, fields: Sequence[str]) -> Sequence[str]:
    names = [field.strip().lstrip("\ufeff") for field in fields]
    if names and names[0].isdecimal():
        return COLUMNS
    missing = [name for name in ("timeStamp", "elapsed") if name not in names]
    if "success" not in names and "responseCode" not in names:
        missing.append("success")
    if missing:
        properties = ", ".join(f"jmeter.save.saveservice.{_property(name)}" for name in missing)
        wording = ERRORS.missing_columns(
            source.path.name, ERRORS.and_no_column.join(missing), ", ".join(names[:20]), properties
        )
        raise PlanError.of(wording, code="import.missing-column")
    return names


def _property(name: str) -> str:
    return {"timeStamp": "timestamp_format=ms", "elapsed": "time=true", "success": "successful=true"}[name]


def _record(source: ResultsFile, row: CsvRow, names: Sequence[str]) -> Record | None:
    """Return the record of a row; None where the row is torn."""
    cells = dict(zip(names, row.fields, strict=False))
    # The last cell may be cut, and a number that lost its last digits looks whole.
    if row.is_last_and_open and (len(row.fields) < len(names) or names[-1] in _USED):
        source.was_torn = True
        return None
    try:
        if (lost := _DECIDING & {*names[len(row.fields) :]}) and len(row.fields) < len(names):
            raise KeyError(min(lost))
        return _parsed(cells)
    except (ValueError, KeyError) as error:
        what = ERRORS.lacking(str(error)) if isinstance(error, KeyError) else str(error)
        mend = ERRORS.save_milliseconds if "timeStamp" in what else ""
        raise source.bad(what, mend, line=row.line, text=",".join(row.fields)) from error


_DECIDING = frozenset(("timeStamp", "elapsed", "success", "responseCode"))
"""Columns without which a row does not say when a request was or how it ended."""

_USED = frozenset(("timeStamp", "elapsed", "success", "responseCode", "bytes", "allThreads"))


def _parsed(cells: Mapping[str, str]) -> Record:
    return Record.of_texts(
        cells["timeStamp"], cells["elapsed"], cells.get("label", ""), cells.get("responseCode", ""),
        cells.get("responseMessage", ""), cells.get("threadName", ""), cells.get("success", ""),
        cells.get("failureMessage", ""), cells.get("bytes", ""), cells.get("allThreads", ""),
    )  # fmt: skip
