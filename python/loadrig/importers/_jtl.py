"""Meaning of a row of JMeter, in CSV or XML: its outcome, whether it is a part, and its instant."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from loadrig.base.clock import MS
from loadrig.importers._outcomes import outcome_of_status, outcome_of_text
from loadrig.importers._sample import RequestSample, RunFacts
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.importers import ImportersJmeterErrors
from loadrig.language.en.importers import ImportersTexts

TEXTS, ERRORS = texts_of(ImportersTexts), texts_of(ImportersJmeterErrors)

COLUMNS = (
    "timeStamp", "elapsed", "label", "responseCode", "responseMessage", "threadName", "dataType", "success",
    "failureMessage", "bytes", "sentBytes", "grpThreads", "allThreads", "URL", "Latency", "IdleTime",
    "Connect",
)  # fmt: skip
"""Columns of JMeter 5, in its order, as a file without a header has them.

Source: `jmeter.save.saveservice` of its `jmeter.properties`.
"""

_TRANSACTION = re.compile(r"Number of samples in transaction : (\d+)")
_MOST_THREADS = 100_000
_MOST_LABELS = 10_000
_LONGEST = 2_000
"""Letters of a label or of a thread's name that are kept at most: a row may have megabytes of each."""


class Record(NamedTuple):
    """Row of JMeter. stamp_ms: its timeStamp. in_transaction: number of requests in a transaction, else -1.

    is_part: XML says that the row lies within another sample.
    """

    stamp_ms: int
    elapsed_ms: int
    label: str
    thread: str
    outcome: str
    status: int
    bytes: int
    users: int
    in_transaction: int
    is_part: bool = False

    @classmethod
    def of_texts(
        cls, stamp: str, elapsed: str, label: str, code: str, message: str, thread: str, success: str,
        failure: str, received: str, users: str, *, is_part: bool = False,
    ) -> "Record":  # fmt: skip
        """Return the record of a row of texts, as CSV and XML both have them. Raise ValueError."""
        if not stamp.isdecimal():
            raise ValueError(ERRORS.no_stamp(repr(stamp[:40])))
        if not elapsed.isdecimal():
            raise ValueError(ERRORS.no_elapsed(repr(elapsed[:40])))
        status = int(code) if code.isdecimal() and len(code) == 3 else 0
        match = _TRANSACTION.match(message)
        return cls(
            int(stamp), int(elapsed), label[:_LONGEST] or "requests", thread[-_LONGEST:],
            _outcome(success, status, f"{code} {message} {failure}"), status,
            # For a request without an answer JMeter counts the bytes of its own error text.
            int(received) if received.isdecimal() and status else (0 if received else -1),
            int(users) if users.isdecimal() else -1,
            -1 if match is None else int(match[1]),
            is_part,
        )  # fmt: skip


def _outcome(success: str, status: int, text: str) -> str:
    if success:
        if success.lower() not in ("true", "false"):
            raise ValueError(ERRORS.no_success(repr(success[:40])))
        is_good = success.lower() == "true"
    else:
        is_good = 0 < status < 400
    if is_good:
        return "ok"
    if status:
        return outcome_of_status(status)
    return "check_failed" if _TRANSACTION.search(text) else outcome_of_text(text)


def reads_ends(records: Sequence[Record]) -> bool:
    """Return whether the stamps are the ends of the samples, by how the samples of each thread follow on."""
    as_start = as_end = 0
    last: dict[str, tuple[int, int]] = {}
    for record in _whole(records):
        if record.in_transaction >= 0 or not record.thread:
            continue
        before = last.get(record.thread)
        if before is not None:
            as_start += record.stamp_ms < before[0] + before[1]
            as_end += record.stamp_ms - record.elapsed_ms < before[0]
        last[record.thread] = (record.stamp_ms, record.elapsed_ms)
    return as_start > 10 * as_end and as_start >= 3


def _whole(records: Iterable[Record]) -> Iterator[Record]:
    """Yield the records whose label does not make them a part of the record before."""
    last: dict[str, str] = {}
    for record in records:
        whole = last.get(record.thread)
        if record.is_part or (whole is not None and _is_numbered(record.label, whole)):
            continue
        last[record.thread] = record.label
        yield record


def _is_numbered(label: str, whole: str) -> bool:
    return label.startswith(f"{whole}-") and label[len(whole) + 1 :].replace("-", "").isdecimal()


def request_samples(records: Iterable[Record], remarks: RunFacts, *, is_end: bool) -> Iterator[RequestSample]:
    """Yield the records that are requests. Put what is left out, and the users by second, into `remarks`."""
    last: dict[str, tuple[int, int, str]] = {}
    left_out: Counter[str] = Counter()
    expected = 0
    for record in records:
        start_ms = record.stamp_ms - (record.elapsed_ms if is_end else 0)
        end_ms = start_ms + record.elapsed_ms
        is_transaction = record.in_transaction >= 0
        if not is_transaction:
            if record.is_part or _is_part(record, start_ms, end_ms, last.get(record.thread)):
                left_out[TEXTS.parts_of_samples] += 1
                continue
            if record.thread:
                if len(last) >= _MOST_THREADS:
                    last.clear()
                last[record.thread] = (start_ms, end_ms, record.label)
        if record.users >= 0:
            second = end_ms // 1000
            remarks.users[second] = max(remarks.users.get(second, 0), record.users)
        if is_transaction and (
            record.label in remarks.requests_in or len(remarks.requests_in) < _MOST_LABELS
        ):
            remarks.requests_in[record.label] += record.in_transaction
        expected += record.outcome == "ok" and record.status >= 400
        yield RequestSample(
            start_ms * MS, record.elapsed_ms * MS, record.label, record.outcome, record.status, record.bytes,
            is_transaction,
        )  # fmt: skip
    remarks.left_out += left_out
    if expected:
        remarks.note(TEXTS.expected_failures(f"{expected:,}"))


def _is_part(record: Record, start_ms: int, end_ms: int, whole: tuple[int, int, str] | None) -> bool:
    """Return whether a row lies within the row before of its thread: a thread does one thing at a time."""
    if whole is None or not record.thread:
        return False
    first_ms, last_ms, label = whole
    is_within = first_ms <= start_ms and end_ms <= last_ms
    return is_within and (start_ms < last_ms or _is_numbered(record.label, label))
