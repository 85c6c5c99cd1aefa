"""Changes that are made while load runs: each is prepared once, then made and taken back again and again."""

from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from dataclasses import dataclass

from loadrig.base.errors import VoidError
from loadrig.base.series import Event
from loadrig.base.unavailable import Unavailable
from loadrig.interventions import Lever, Setter, Step
from loadrig.proving.document import InterventionBand
from loadrig.proving.outcome import NS
from loadrig.trial.spec import Stage

OUT_OF_TIME = "prove.budget"
"""Code of a lever that was skipped for want of time."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A lever that could not be pulled, and why."""

    lever: Lever
    why: str
    mend: str
    code: str


class Changes:
    """Changes of one trial, numbered from 1; steps and bands say what they are and when they were in force.

    number: number of the trial. clock: returns the time in nanoseconds, as frames have it.
    """

    def __init__(self, number: int, clock: Callable[[], int]) -> None:
        self._number, self._clock, self._stack = number, clock, ExitStack()
        self._setters: list[Setter] = []
        self._made: tuple[int, int] | None = None  # the change in force, and since when in ns
        self.steps: list[Step] = []
        self.bands: list[InterventionBand] = []

    def prepare(self, steps: Iterable[Step], stage: Stage) -> list[Skipped]:
        """Prepare changes of a trial that runs; return those for which that failed."""
        self._stage, skipped = stage, []
        for step in steps:
            try:
                self._setters.append(self._stack.enter_context(step.held()))
            except (Unavailable, OSError) as error:
                skipped.append(_failed(step.lever, error))
                continue
            self.steps.append(step)
        return skipped

    def make(self, change: int) -> Skipped | None:
        """Make a change; return why it could not be made, else None."""
        try:
            self._setters[change - 1](True)
        except (Unavailable, VoidError, OSError) as error:
            return _failed(self.steps[change - 1].lever, error)
        self._made = change, self._clock()
        self._event(change, is_changed=True)
        return None

    def take_back(self) -> None:
        """Take back the change that is in force, if any."""
        if self._made is None:
            return
        (change, since_ns), self._made = self._made, None
        # A change that cannot be undone here is undone by its lease when the context is left.
        with suppress(Unavailable, VoidError, OSError):
            self._setters[change - 1](False)
        self._event(change, is_changed=False)
        from_s, to_s = ((at_ns - self._stage.start_ns) / NS for at_ns in (since_ns, self._clock()))
        title = self.steps[change - 1].title
        self.bands.append(InterventionBand(self._number, round(from_s, 3), round(to_s, 3), title, change - 1))

    def close(self) -> None:
        """Undo everything."""
        self.take_back()
        self._stack.close()

    def _event(self, change: int, *, is_changed: bool) -> None:
        step = self.steps[change - 1]
        facts = {"experiment": change - 1, "is_changed": is_changed}
        self._stage.event(Event(self._clock(), "intervention", "", step.title, facts, step.lever.component))


def _failed(lever: Lever, error: Unavailable | VoidError | OSError) -> Skipped:
    if isinstance(error, Unavailable):
        return Skipped(lever, error.reason, error.mend, error.code)
    if isinstance(error, VoidError):
        problem = error.problems[0]
        return Skipped(lever, problem.what, problem.mend, problem.code)
    return Skipped(lever, f"it could not be changed: {error}", "run as root, or see doctor", "prove.no-right")
