"""Types of a line of frames.jsonl, and of a frame as the generator sends it.

The first frame comes when the load has begun, so this is imported then and not before (decision 0030); what a
command works with is `frame.Frame`.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec.structs import replace

from loadrig.base.documents import ABSENT, Absent, Document, Says, plain
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.recording import RecordingFrameDocumentErrors
from loadrig.recording import lines
from loadrig.recording.frame import OWN_KINDS, ROUTE_KINDS, FailedRequest, ThreadUse
from loadrig.recording.hlog import ENGINE, Tag
from loadrig.recording.manifest import broken

ERRORS = texts_of(RecordingFrameDocumentErrors)

Word = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
"""Number that a machine integer holds, as a frame in memory has them; see `frame.Frame.of`."""


class EndedRequests(Document, frozen=True, kw_only=True):
    """Requests of one route that ended in the interval with one outcome."""

    route: Annotated[str, Says("name of the route")]
    route_class: Annotated[str, Says("`service` or `login`")] = msgspec.field(name="class")
    outcome: Annotated[str, Says("how they ended")]
    count: Annotated[int, Says("number of them")]
    bytes: Annotated[Word, Says("bytes of the bodies of their answers; left out where unknown")] = 0


class FrameDocument(Document, frozen=True, kw_only=True):
    """Counters of the generator in an interval.

    A key that an older recording lacks counts as 0; in a recording of another tool's results a key that is
    left out is unknown.
    """

    n: Annotated[int, Says("number of the frame, from 0")]
    t_ns: Annotated[int, Says("beginning of the interval, in nanoseconds of the monotonic clock")]
    len_ns: Annotated[int, Says("its length in nanoseconds")]
    due: Annotated[int, Says("requests that were due")] = 0
    sent: Annotated[int, Says("requests that were sent")]
    answered: Annotated[int, Says("requests that were answered")]
    failed: Annotated[int, Says("requests that were not answered")]
    unsent: Annotated[int, Says("requests that were not sent")] = 0
    in_flight: Annotated[int, Says("requests in flight at the end, with those that are queued")]
    queued: Annotated[int, Says("requests that waited for a connection at the end")] = 0
    users: Annotated[int, Says("users at the end")] = 0
    sessions: Annotated[int, Says("sessions at the end")] = 0
    planned: Annotated[float, Says("level of the load that was asked for at the end")] = 0.0
    in_flight_s: Annotated[float, Says("requests in flight over the interval, in request-seconds")]
    bytes_in: Annotated[int, Says("bytes received")] = 0
    bytes_out: Annotated[int, Says("bytes sent")] = 0
    opened: Annotated[int, Says("connections that were opened")] = 0
    reused: Annotated[int, Says("requests on a connection that had carried others")] = 0
    open: Annotated[int, Says("open connections at the end")] = 0
    backoffs: Annotated[int, Says("pauses after a refused connection")] = 0
    capped: Annotated[int, Says("arrivals that found no free connection")] = 0
    stream_resets: Annotated[int, Says("HTTP/2: frames by which the server reset a stream")] = 0
    goaways: Annotated[int, Says("HTTP/2: frames by which the server took no more on a connection")] = 0
    unsent_why: Annotated[Mapping[str, int] | None, Says("requests that were not sent, by the reason")] = None
    routes: Annotated[tuple[EndedRequests, ...], Says("requests that ended, by route and outcome")]
    status: Annotated[Mapping[str, int], Says("answers by HTTP status code")]
    threads: Annotated[tuple[ThreadUse, ...], Says("CPU time of each thread of the generator")] = ()
    process_cpu_ns: Annotated[int, Says("CPU time of the generator, in nanoseconds")] = 0
    rss_bytes: Annotated[Word, Says("its memory at the end, in bytes")] = 0
    fds: Annotated[int, Says("its open descriptors at the end")] = 0
    fds_limit: Annotated[int, Says("most descriptors that it may have")] = 0
    ports: Annotated[int, Says("local ports in use at the end")] = 0
    ports_range: Annotated[int, Says("number of local ports that there are")] = 0
    gaps_ns: Annotated[Sequence[Word], Says("a sample of the gaps between sends, in nanoseconds")] = ()
    logins: Annotated[int, Says("tokens that were fetched")] = 0
    logins_again: Annotated[int, Says("of these, after expiry or a refusal")] = 0
    from_cache: Annotated[int, Says("steps that users' caches answered, for which no request was made")] = 0
    examples: Annotated[tuple[FailedRequest, ...], Says("some requests that failed")] = ()


class TimedRequests(EndedRequests, frozen=True, kw_only=True):
    """Requests of one route and outcome with their times, as encoded histograms."""

    response: str | Absent | None = ABSENT
    service: str | Absent | None = ABSENT

    @property
    def times(self) -> dict[str, str]:
        """Histograms that are not empty, by their kinds."""
        texts = zip(ROUTE_KINDS, (self.response, self.service), strict=True)
        return {kind: text for kind, text in texts if text}


class LiveFrameDocument(FrameDocument, frozen=True, kw_only=True):
    """Frame as the generator sends it, with its histograms. They are kept in a file of their own."""

    routes: tuple[TimedRequests, ...]
    lag: str | Absent | None = ABSENT
    wait: str | Absent | None = ABSENT
    connect: str | Absent | None = ABSENT
    session: str | Absent | None = ABSENT

    @property
    def own_times(self) -> dict[str, str]:
        """Histograms of the generator as a whole that are not empty, by their kinds."""
        texts = zip(OWN_KINDS, (self.lag, self.wait, self.connect, self.session), strict=True)
        return {kind: text for kind, text in texts if text}

    @property
    def histograms(self) -> dict[Tag, str]:
        """All histograms that are not empty."""
        texts = {
            Tag(row.route, row.outcome, kind): text for row in self.routes for kind, text in row.times.items()
        }
        return texts | {Tag(ENGINE, "", kind): text for kind, text in self.own_times.items()}


class ImportedRequests(TimedRequests, frozen=True, kw_only=True, omit_defaults=True):
    """Requests in another tool's results, which may tell no sizes."""


class ImportedFrameDocument(LiveFrameDocument, frozen=True, kw_only=True, omit_defaults=True):
    """Frame made of another tool's results. What these leave out is left out of its line."""

    routes: tuple[ImportedRequests, ...]


decoded = msgspec.json.Decoder(FrameDocument).decode
"""Return a line of frames.jsonl. Raises msgspec.DecodeError."""


def each(path: Path) -> Iterator[FrameDocument]:
    """Yield the lines of frames.jsonl, or of frames.jsonl.gz. Raises PlanError `recording.broken`."""
    for number, line in enumerate(lines.whole(path), 1):
        try:
            document = decoded(line)
        except (ValueError, RecursionError) as error:
            raise broken(path, ERRORS.line_no_frame(number, str(error))) from error
        yield document


def live(message: Mapping[str, Any]) -> LiveFrameDocument:
    """Return a frame as the generator sends it. Raises msgspec.ValidationError."""
    return msgspec.convert(message, LiveFrameDocument)


def imported(row: Mapping[str, Any]) -> ImportedFrameDocument:
    """Return a frame that was made of another tool's results. Raises msgspec.ValidationError."""
    return msgspec.convert(row, ImportedFrameDocument)


def counters(frame: LiveFrameDocument) -> Mapping[str, Any]:
    """Return a frame as its line of frames.jsonl is written: without its histograms."""
    routes = tuple(replace(row, response=ABSENT, service=ABSENT) for row in frame.routes)
    line: Mapping[str, Any] = plain(
        replace(frame, routes=routes, lag=ABSENT, wait=ABSENT, connect=ABSENT, session=ABSENT)
    )
    return line
