"""Small program that runs beside the rig while something is changed, and ends with it.

It is a process of its own, as the rig's threads wait for each other and it must be on time. It reads one JSON
object a line and answers each with a line. When its standard input closes it changes everything back and
ends, so that a rig that is killed leaves no program behind.
"""

import os
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from loadrig.base import leases, processes
from loadrig.base.leased import CHANGE, ProcessFacts
from loadrig.base.talks import BrokenTalk, ProcessTalk
from loadrig.base.unavailable import Unavailable
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.interventions import InterventionsCompanionErrors

ERRORS = texts_of(InterventionsCompanionErrors)

ANSWERS_WITHIN_S = 20.0
"""Longest wait for an answer, in seconds. It comes within milliseconds unless something hangs."""


class Companion:
    """Small program that runs as long as the context lasts. program: its file's name in this room."""

    def __init__(self, program: str, *arguments: str) -> None:
        self._argv = [sys.executable, "-I", "-S", str(Path(__file__).with_name(program)), *arguments]
        self._talk: ProcessTalk | None = None
        self._lease: leases.Lease | None = None

    def __enter__(self) -> Self:
        marker = leases.new_marker()
        facts = ProcessFacts(marker=marker, command=" ".join(self._argv[3:]), of=CHANGE)
        self._lease = leases.take(facts)
        try:
            self._talk = ProcessTalk(self._argv, None, {**os.environ, leases.MARKER: marker})
            self._lease = self._lease.update(
                replace(facts, pid=self._talk.pid, start=processes.start_of(self._talk.pid))
            )
            self._answer()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def tell(self, **facts: Any) -> None:
        """Tell the program what to do, and wait until it is done. Raises Unavailable if it has ended."""
        assert self._talk is not None
        with suppress(BrokenTalk):  # a broken program does not answer either, and that is raised below
            self._talk.send(facts)
        self._answer()

    def _answer(self) -> None:
        assert self._talk is not None
        try:
            answer = self._talk.read(ANSWERS_WITHIN_S)
        except BrokenTalk:
            answer = None
        if answer is None:
            program = Path(self._argv[3]).stem.strip("_")
            raise Unavailable.of(ERRORS.ended_program(program), code="prove.refused")

    def _end(self) -> None:
        if self._talk is not None:
            self._talk.close()
        if self._lease is not None:
            self._lease.end()
