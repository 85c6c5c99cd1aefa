"""Changes that are made while load runs: each is prepared once, then made and taken back again and again."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, suppress

from loadrig.base.errors import RigError, VoidError
from loadrig.base.series import Event
from loadrig.base.unavailable import Unavailable
from loadrig.interventions import Lever, Setter, Step
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.proving import ProvingChangesErrors
from loadrig.language.en.proving import ProvingChangesTexts
from loadrig.proving.document import InterventionBand, SkippedExperiment
from loadrig.recording.steps import NS
from loadrig.trial.spec import Stage

TEXTS = texts_of(ProvingChangesTexts)
ERRORS = texts_of(ProvingChangesErrors)

OUT_OF_TIME = "prove.budget"
"""Code of a lever that was skipped for want of time."""

TITLES: Mapping[str, str] = {
    "cpu": TEXTS.title_cpu, "cores": TEXTS.title_cores, "precedence": TEXTS.title_precedence,
    "delay": TEXTS.title_delay,
}  # fmt: skip
"""Titles of levers that are pulled while load runs, by the kind of change; {} is the component."""


def skip(lever: Lever, why: str, mend: str, code: str) -> SkippedExperiment:
    """Return a lever as one that could not be pulled, titled by what it would have changed."""
    title = TITLES.get(lever.change, lever.what.replace("_", " ") or TEXTS.the_proof).format(lever.component)
    if lever.change == "knob":
        title = f"{title}, {TEXTS.towards[lever.towards]}"
    return SkippedExperiment(lever=lever, title=title, why=why, mend=mend, code=code)


def skip_for(lever: Lever, error: Unavailable | RigError | OSError) -> SkippedExperiment:
    """Return a lever as one that could not be pulled, for an error."""
    if isinstance(error, Unavailable):
        return skip(lever, error.reason, error.mend, error.code)
    if isinstance(error, RigError):
        problem = error.problems[0]
        return skip(lever, problem.what, problem.mend, problem.code)
    wording = ERRORS.failed_change(str(error))
    return skip(lever, wording.what, wording.mend, "prove.no-right")


class Changes:
    """Changes of one trial, numbered from 1; steps and bands say what they are and when they were in force.

    number: number of the trial. clock: returns the time in nanoseconds, as frames have it.
    """

    def __init__(self, number: int, clock: Callable[[], int]) -> None:
        self._number, self._clock, self._stack = number, clock, ExitStack()
        self._setters: list[Setter] = []
        self._in_force: tuple[int, int] | None = None  # the change in force, and since when in ns
        self.steps: list[Step] = []
        self.bands: list[InterventionBand] = []

    def prepare(self, steps: Iterable[Step], stage: Stage) -> list[SkippedExperiment]:
        """Prepare changes of a trial that runs; return those for which that failed."""
        self._stage, skipped = stage, []
        for step in steps:
            try:
                self._setters.append(self._stack.enter_context(step.held()))
            except (Unavailable, OSError) as error:
                skipped.append(skip_for(step.lever, error))
                continue
            self.steps.append(step)
        return skipped

    def make(self, change: int) -> SkippedExperiment | None:
        """Make a change; return why it could not be made, else None."""
        try:
            self._setters[change - 1](True)
        except (Unavailable, VoidError, OSError) as error:
            return skip_for(self.steps[change - 1].lever, error)
        self._in_force = change, self._clock()
        self._event(change, is_changed=True)
        return None

    def take_back(self) -> None:
        """Take back the change that is in force, if any."""
        if self._in_force is None:
            return
        (change, since_ns), self._in_force = self._in_force, None
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
