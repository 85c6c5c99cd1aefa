"""The generator's process: started, made ready, begun, listened to, stopped.

One JSON message a line both ways. The process stops by itself when our end of its standard input
closes, so a killed rig leaves no generator behind.

The interpreter of that process is started bare (-I -S: no site packages, no user's settings): it runs
one file, which imports one module, and is there in half the time.
"""

import dataclasses
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from loadrig.base import known_secrets
from loadrig.base.errors import PlanError, VoidError
from loadrig.base.masks import mask_but_holes, masked_text
from loadrig.base.refused import starting
from loadrig.base.talks import BrokenTalk, Message, ProcessTalk
from loadrig.engine.refusals import Refusal, wording_of
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.engine import EngineProcessErrors

if TYPE_CHECKING:  # no first request waits for msgspec (decision 0030)
    from loadrig.recording.frame_document import LiveFrameDocument
    from loadrig.recording.manifest_document import GeneratorEnd

ERRORS = texts_of(EngineProcessErrors)

READY_WITHIN_S = 20.0
"""Longest wait until the generator is ready, in seconds: reading a feed of a million lines takes about a
second, so twenty mean that something hangs."""

SILENT_FOR_S = 10.0
"""Longest delay of a frame beyond its own interval, in seconds: a longer one means that the generator
hangs."""

LEAD_NS = 5_000_000
"""Time between an order and its instant, in nanoseconds: long enough that the message has been read, which
takes less than a millisecond; where the machine is so busy that it takes more, the first lags show it."""

PROGRAM = (sys.executable, "-I", "-S", str(Path(__file__).with_name("__main__.py")))
"""File that the process runs; with `--null-server` it is the server that does nothing."""


@dataclass(frozen=True, slots=True)
class GeneratorReady:
    """Word of the generator that the start is awaited. pid: its process; start_ns: its clock then.

    warnings: sentences on what it could not do as it was told.
    """

    pid: int
    threads: int
    start_ns: int
    warnings: tuple[str, ...]


class Generator:
    """Run of the generator. Made by a trial; used as a context manager, once.

    The process is started before its config is known, so that it comes up while the server does.
    log: file in which the process writes messages to a person.
    """

    def __init__(self, log: Path) -> None:
        self._log = log
        self._patience_s = READY_WITHIN_S
        self._talk: ProcessTalk | None = None
        self.end: GeneratorEnd | None = None

    def __enter__(self) -> Self:
        with starting("generator"):
            self._talk = ProcessTalk(PROGRAM, self._log)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process if it has not ended, and wait for it. May be called twice."""
        if self._talk is not None:
            self._talk.close()

    @property
    def pid(self) -> int:
        """Process id of the generator."""
        return self._talking().pid

    @property
    def pids(self) -> tuple[int, ...]:
        """Processes of this machine that make the load."""
        return (self.pid,)

    @property
    def hosts(self) -> tuple[str, ...]:
        """Addresses of other machines that make the load."""
        return ()

    @property
    def lead_ns(self) -> int:
        """Time that an order needs before its instant, in nanoseconds."""
        return LEAD_NS

    @property
    def loss(self) -> str:
        """Loss of a part of the load; a generator alone loses none without an error."""
        return ""

    def facts(self) -> dict[str, Any]:
        """Return what a recording keeps of it beside its frames."""
        return {}

    def prepare(self, config: Message) -> GeneratorReady:
        """Send the config and wait until the generator is ready; return what it says of itself.

        config: from compile_config, with its secrets in place (engine.secrets.told).
        Raises PlanError where the generator refuses the config, VoidError where it cannot work.
        """
        self._patience_s = float(config["frame_s"]) + SILENT_FOR_S
        self._send(config)
        message = self._read(READY_WITHIN_S)
        if message is None:
            raise self._broken(ERRORS.ended_too_early)
        ready = readiness(message)
        if ready is None:
            raise self._broken(ERRORS.not_ready(str(message)[:200]))
        return ready

    def begin(self, at_ns: int) -> None:
        """Let arrivals start at an instant of the monotonic clock."""
        self._send({"start_at_ns": at_ns})

    def level(self, to: float, at_ns: int) -> None:
        """Give the load another level from this instant on: users, or arrivals a second.

        at_ns: instant of the monotonic clock, not before the instant of an earlier level. A list of times has
        no level.
        """
        # The generator may have ended by itself in the same instant; its end message is in the pipe then.
        with suppress(VoidError):
            self._send({"level": {"to": to, "at_ns": at_ns}})

    def renew(self, why: str) -> None:
        """Let the load go on over new connections: idle ones are closed now, busy ones with their answer.

        WebSockets stay, as what is said on them is one conversation.
        """
        # The generator may have ended by itself in the same instant; its end message is in the pipe then.
        with suppress(VoidError):
            self._send({"renew": why})

    def stop(self, why: str) -> None:
        """Ask for the end: no new requests, those in flight are waited for. Frames go on until then."""
        # The generator may have ended by itself in the same instant; its end message is in the pipe then.
        with suppress(VoidError):
            self._send({"stop": why})

    def next_frame(self, meanwhile: Callable[[], None] | None = None) -> "LiveFrameDocument | None":
        """Return the next frame; None when the generator has ended, and then `end` is set.

        meanwhile: called a few times a second as long as no frame comes.
        Raises VoidError when the generator dies or falls silent; frames until then were given.
        """
        while True:
            message = self._read(self._patience_s, meanwhile)
            if message is None:
                raise self._broken(ERRORS.died_midway)
            match message:
                case {"end": end}:
                    self.end = ending(end)
                    return None
                case {"frame": frame}:
                    return cleaned(frame)

    def _talking(self) -> ProcessTalk:
        assert self._talk is not None, "it is used as a context manager"
        return self._talk

    def _send(self, message: Message) -> None:
        try:
            self._talking().send(message)
        except BrokenTalk as how:
            raise self._broken(str(how)) from how

    def _read(self, patience_s: float, meanwhile: Callable[[], None] | None = None) -> Message | None:
        try:
            return self._talking().read(patience_s, meanwhile)
        except BrokenTalk as how:
            raise self._broken(str(how)) from None

    def _broken(self, how: str) -> VoidError:
        last_words = self._talking().last_words()
        return VoidError.of(ERRORS.broken(how), code="engine.broken", detail=last_words)


def readiness(message: Message) -> GeneratorReady | None:
    """Return the word that the start is awaited; None for another message.

    Raises PlanError where the message refuses the config.
    """
    match message:
        case {"refused": refused}:
            refusal = Refusal(**refused)
            raise PlanError.of(wording_of(refusal), code=refusal.code)
        case {"ready": {"pid": pid, "threads": threads, "start_ns": start_ns, "warnings": warnings}}:
            return GeneratorReady(pid, threads, start_ns, tuple(warnings))
    return None


def ending(message: Message) -> "GeneratorEnd":
    """Return the last message of a generator. Raises PlanError `recording.broken` where it is none."""
    from loadrig.base.documents import typed
    from loadrig.recording.manifest_document import GeneratorEnd

    return typed(GeneratorEnd, message, "the generator")


def cleaned(message: Message) -> "LiveFrameDocument":
    """Return a frame with the secrets in its examples masked.

    A server's answer to a bad request may repeat a secret that it was sent, or that it gave out. Raises
    msgspec.ValidationError where it is no frame.
    """
    from msgspec.structs import replace

    from loadrig.recording import frame_document

    frame = frame_document.live(message)
    examples = tuple(
        dataclasses.replace(
            example,
            detail=without_secrets(example.detail),
            headers=tuple(map(without_secrets, example.headers)),
        )
        for example in frame.examples
    )
    return replace(frame, examples=examples)


def without_secrets(text: str) -> str:
    """Return what a server has said without the secrets that are known or that have a form."""
    return masked_text(known_secrets.hidden(text), mask_but_holes)
