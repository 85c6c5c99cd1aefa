"""Whether a trial is long enough to show what its knobs do: the arithmetic of their time constants.

A window must hold three rounds of whatever a knob acts on (workers that are replaced after so many requests),
or reach its end once (ports that are used up). A shorter one shows how it began, and a setting that looks
free of cost has only not yet paid.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loadrig.base.setting import Setting, Value, show_value
from loadrig.base.units import show_duration, show_number
from loadrig.catalogue.entry import Entry
from loadrig.catalogue.look_up import entries
from loadrig.language.choice import texts_of
from loadrig.language.en.study import StudyFidelityTexts
from loadrig.plan.model import Plan
from loadrig.study.trials import DoneTrial

TEXTS = texts_of(StudyFidelityTexts)


@dataclass(frozen=True, slots=True)
class Short:
    """Value of a knob whose effect a window does not show.

    needs_s: a window that would; rate: requests a second.
    """

    knob: str
    value: Value
    setting: Setting
    formula: str
    rate: float
    cycles: int
    needs_s: float
    window_s: float

    @property
    def text(self) -> str:
        """Return the arithmetic in a sentence."""
        window, needs = show_duration(self.window_s), show_duration(round(self.needs_s))
        once = show_duration(_short(self.needs_s / self.cycles))
        times = TEXTS.times_in(str(self.cycles), needs) if self.cycles > 1 else ""
        beside = ", ".join(
            f"{name} {show_value(value)}"
            for name, value in self.setting.items()
            if name != self.knob and name in self.formula
        )
        return TEXTS.load_do_not(
            window,
            self.knob,
            show_value(self.value),
            show_number(self.rate),
            once,
            times,
            self.formula,
            TEXTS.with_text(beside) if beside else "",
            needs,
        )


def catalogue_entries(plan: Plan) -> Mapping[str, Entry]:
    """Return what the catalogue knows of the plan's knobs."""
    return entries(plan.target.member, [knob.name for knob in plan.knobs])


def too_short(
    catalogue: Mapping[str, Entry], setting: Setting, rate: float, window_s: float
) -> tuple[Short, ...]:
    """Return the knobs of a setting whose effect a window of so many seconds does not show at this rate."""
    shorts = []
    for name, value in setting.items():
        time = catalogue[name].time if name in catalogue else None
        seconds = time.seconds(value, setting, rate) if time is not None else None
        if time is None or seconds is None or seconds * time.cycles <= window_s:
            continue
        shorts.append(
            Short(name, value, setting, time.formula, rate, time.cycles, seconds * time.cycles, window_s)
        )
    return tuple(shorts)


def warnings(plan: Plan, trials: Sequence[DoneTrial], window_s: float) -> tuple[str, ...]:
    """Return a sentence for each varied knob of which trials do not show the effect: the value shown least.

    window_s: of the longest trials, for those decide.

    """
    catalogue = catalogue_entries(plan)
    varied = {knob.name for knob in plan.knobs if len({*knob.values, knob.base}) > 1}
    worst: dict[str, Short] = {}
    for trial in trials:
        rate = trial.measures.get("throughput")
        if not trial.is_usable or rate is None or rate.value <= 0:
            continue
        for short in too_short(catalogue, trial.setting, rate.value, window_s):
            if short.knob in varied and (
                short.knob not in worst or short.needs_s > worst[short.knob].needs_s
            ):
                worst[short.knob] = short
    return tuple(short.text for short in worst.values())


def foreseen(plan: Plan, rate: float, window_s: float) -> tuple[str, ...]:
    """Return sentences as `warnings` does, before any trial has run.

    They are for each value of each knob, all else at its base, at this rate.

    """
    from loadrig.study.space import one_at_a_time

    catalogue = catalogue_entries(plan)
    worst: dict[str, Short] = {}
    for setting in one_at_a_time(plan.knobs):
        for short in too_short(catalogue, setting, rate, window_s):
            if short.knob not in worst or short.needs_s > worst[short.knob].needs_s:
                worst[short.knob] = short
    return tuple(short.text for short in worst.values())


def _short(seconds: float) -> float:
    return round(seconds) if seconds >= 10 else round(seconds, 1)
