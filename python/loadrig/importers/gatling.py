"""The simulation.log of Gatling, text or binary.

## What is read

The text form of Gatling up to 3.12 and the binary form of later ones, told apart by the first byte.
Of its records those of requests; the beginnings and ends of users say how many there were.

## Routes

The groups and the name of a request: `checkout / pay`.

## What its times count

From when the request was handed to Gatling's HTTP client to the last byte of the answer.
Waiting for a connection and making one is in it.
Times are whole milliseconds.

## Outcomes

Good is what Gatling calls OK.
A check of the status that failed names the status: http_4xx, http_5xx and so on; any other check is
check_failed.
Of a request without an answer the text of its error tells: timeout, connect_refused, closed and so on, else
failed.
Sizes of answers and the statuses of good ones are not in the log.
Groups are left out, as their requests have records of their own.

Source: `LogFileDataWriter` of gatling/gatling.
"""

import re
from collections import Counter
from collections.abc import Iterator

from loadrig.base.clock import MS
from loadrig.importers._gatling import ERROR, GROUP, USER, BinaryLog, LogRecord, text_records
from loadrig.importers._outcomes import outcome_of_status, outcome_of_text
from loadrig.importers._sample import RequestSample, RunFacts
from loadrig.importers._source import ResultsFile
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.importers import ImportersGatlingErrors
from loadrig.language.en.importers import ImportersTexts

TEXTS, ERRORS = texts_of(ImportersTexts), texts_of(ImportersGatlingErrors)

TOOL = "Gatling"
FILES = ERRORS.files
TIMES = ERRORS.times

_BINARY = re.compile(rb"\x00\x00\x00\x00[\x05-\x20]\d+\.\d+\.[\w.-]+\x00", re.DOTALL)
_TEXT = re.compile(rb"(ASSERTION\t\S|RUN\t[^\t\n]*\t[^\t\n]*\t\d{13}\t)")
_STATUS = re.compile(r"status\..*found (\d{3})$")
_CHECK = re.compile(r"\.find\b|\bfound |\bpreparation crashed\b|\bextraction crashed\b")


def recognises(head: bytes) -> bool:
    """Return whether the file begins with a record of a run, or of an assertion, which stands before it."""
    return _BINARY.match(head) is not None or _TEXT.match(head) is not None


def samples(source: ResultsFile, remarks: RunFacts) -> Iterator[RequestSample]:
    """Yield every request, in the file's order."""
    is_binary = source.head_of(source.path).startswith(b"\x00")
    records = BinaryLog(source).records() if is_binary else text_records(source)
    left_out: Counter[str] = Counter()
    users = 0
    for record in records:
        if record.kind == USER:
            users = max(0, users + (1 if record.is_good else -1))
            second = record.end_ms // 1000
            remarks.users[second] = max(remarks.users.get(second, 0), users)
        elif record.kind == GROUP:
            left_out[TEXTS.groups_of_requests] += 1
        elif record.kind == ERROR:
            left_out[TEXTS.errors_of_scripts] += 1
        elif record.end_ms < record.start_ms:
            # Gatling's own reader takes these for messages that came without being asked for.
            left_out[TEXTS.unasked_messages] += 1
        else:
            yield _sample(record)
    remarks.left_out += left_out


def _sample(record: LogRecord) -> RequestSample:
    outcome, status = _outcome(record)
    took_ns = (record.end_ms - record.start_ms) * MS
    return RequestSample(record.start_ms * MS, took_ns, record.name or "requests", outcome, status)


def _outcome(record: LogRecord) -> tuple[str, int]:
    if record.is_good:
        return "ok", 0
    if match := _STATUS.search(record.message):
        status = int(match[1])
        return outcome_of_status(status), status
    if _CHECK.search(record.message):
        return "check_failed", 0
    return outcome_of_text(record.message), 0
