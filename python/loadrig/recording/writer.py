"""Writer of a trial's folder while the trial runs. A kill at any instant leaves a readable folder."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, Any, Self

from loadrig.base import known_secrets, private
from loadrig.base.component import SERVER
from loadrig.base.errors import PlanError, VoidError
from loadrig.base.series import Event, Sample
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.recording import RecordingWriterErrors
from loadrig.recording import events, hlog, manifest, series_store
from loadrig.recording.files import Appender, making
from loadrig.recording.layout import TrialFolder

if TYPE_CHECKING:
    from loadrig.recording.frame_document import LiveFrameDocument

ERRORS = texts_of(RecordingWriterErrors)

FLUSH_NS = 500_000_000
"""Time after the last batch, in nanoseconds, from which on the next samples or frame make a batch. Both come
once a second: with a whole second in between, samples that come a moment early would wait for the next beat,
and a kill before it lose two."""


class TrialWriter:
    """Writer of a trial's folder, from its making to its seal.

    Made by the trial's runner, used as a context manager. May be called from several threads: frames come
    from the trial's thread, samples from the observer's. Content that a killed rig left in the folder is set
    aside under another name. After a failure to write, nothing more is written, and every further call raises
    the same error: no thread goes on as if all were well.
    """

    def __init__(self, folder: TrialFolder, facts: Mapping[str, Any]) -> None:
        """Make the folder. folder: its path; facts: fields of the manifest, as plain data.

        Raises PlanError `recording.already-sealed` if there is a whole recording already, VoidError
        if the folder cannot be written.
        """
        if folder.is_sealed:
            raise PlanError.of(ERRORS.already_sealed(str(folder.path)), code="recording.already-sealed")
        if folder.manifest.exists() or folder.frames.exists():
            folder.set_aside()
        with making(folder.path):
            private.make_folder(folder.path)
        self._folder = folder
        self._lock = threading.RLock()
        self._failure: VoidError | None = None
        self._is_closed = False
        self._is_manifest_behind = False
        self._hearers: tuple[Callable[[Sequence[Sample], str], None], ...] = ()
        self._manifest = manifest.begun(facts)
        self._origin_ns = int(self._manifest["monotonic_ns"])
        self._flushed_ns = time.monotonic_ns()
        with ExitStack() as opened:
            self._frames, self._latency, self._events = (
                opened.enter_context(closing(Appender(path)))
                for path in (folder.frames, folder.latency, folder.events)
            )
            self._series = series_store.SeriesStream(folder.series_stream)
            opened.callback(self._series.abandon)
            self._latency.append(hlog.header(int(self._manifest["wall_ns"])))
            # The manifest is written last: a folder with a manifest has all its files.
            manifest.write(folder, self._manifest)
            self._opened = opened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the files. A folder that was not sealed by then stays unsealed."""
        with self._lock:
            if not self._is_closed:
                self._close(in_order=self._failure is None)

    def frame(self, frame: "LiveFrameDocument") -> None:
        """Keep one frame of the generator. Raises VoidError if it cannot be written."""
        # Not at the top: the load need not wait for msgspec.
        from loadrig.recording import frame_document

        start_ns = frame.t_ns - self._origin_ns
        text = "".join(
            hlog.line(tag, start_ns, frame.len_ns, encoded) for tag, encoded in frame.histograms.items()
        )
        counters = known_secrets.hidden_in(frame_document.counters(frame))
        with self._writing():
            self._latency.append(text.encode())
            # A frame is written after its histograms, so that a frame in the file has all of them; see the
            # reader.
            self._frames.append(json.dumps(counters, ensure_ascii=False).encode() + b"\n")
            self._flush_if_due()

    def samples(self, samples: Sequence[Sample], component: str = SERVER) -> None:
        """Keep what probes have read of a component; on the disk within a second. Raises VoidError."""
        with self._writing():
            self._series.add(samples, component)
            self._flush_if_due()
        for hear in self._hearers:
            hear(samples, component)

    def listen(self, hear: Callable[[Sequence[Sample], str], None]) -> None:
        """Call a function with all samples from now on, with their component, in the thread that brings them.

        May be called several times: all functions are called.
        """
        self._hearers = (*self._hearers, hear)

    def event(self, event: Event) -> None:
        """Keep something that happened. Raises VoidError if it cannot be written."""
        with self._writing():
            self._events.append(events.line(event))

    def manifest_update(self, **facts: Any) -> None:
        """Add facts to the manifest, or replace them whole. Raises VoidError."""
        with self._writing():
            self._manifest.update(facts)
            self._write_manifest()

    def manifest_note(self, **facts: Any) -> None:
        """Add facts to the manifest as manifest_update does, but write them later.

        They are on the disk with the next update, or at the end. For facts that come one after the other
        shortly before the load: each writing waits for the disk.
        """
        with self._writing():
            self._manifest.update(facts)
            self._is_manifest_behind = True

    def seal(self) -> None:
        """Complete the folder: a long one thinned, series as Parquet, all read-only, SEALED last.

        May be called twice. Raises VoidError if that cannot be written, or what could not be written before;
        then the folder stays as it is, readable and unsealed.
        """
        with self._lock:
            if self._folder.is_sealed:
                return
            # Not at the top: these imports are needed once the load is over, and the load need not wait for
            # them.
            from loadrig.recording import logs, sealing, thinning

            with self._writing():
                self._close(in_order=True)
                logs.without_secrets(self._folder)
                thinning.thin(self._folder, manifest.read(self._folder))
                series_store.compact(self._folder.series_stream, self._folder.series)
                sealing.seal(self._folder)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Let one thread write at a time, not after the end, and not after a failure."""
        with self._lock:
            if self._failure is not None:
                raise self._failure
            if self._is_closed:
                raise RuntimeError(f"{self._folder.path}: nothing writes to a recording after its end")
            try:
                yield
            except VoidError as failure:
                self._failure = failure
                raise

    def _flush_if_due(self) -> None:
        now = time.monotonic_ns()
        if now - self._flushed_ns >= FLUSH_NS:
            self._series.flush()
            self._flushed_ns = now

    def _close(self, *, in_order: bool) -> None:
        self._is_closed = True
        with self._opened:
            if in_order:
                if self._is_manifest_behind:
                    self._write_manifest()
                self._series.close()

    def _write_manifest(self) -> None:
        self._is_manifest_behind = False
        manifest.write(self._folder, self._manifest)
