"""Results of a soak and of a spike, as read from a study's result, and in words."""

from collections.abc import Mapping
from typing import Any

from loadrig.base.documents import typed
from loadrig.judgement.soak.document import (
    Bounds,
    GrowthDocument,
    SoakDocument,
    SoakSummary,
    SpikeDocument,
    SpikeSummary,
)
from loadrig.language import labels
from loadrig.language.choice import texts_of
from loadrig.language.en.report.studies import ReportSoakTexts
from loadrig.language.labels import label
from loadrig.recording.reader import Recording
from loadrig.report import numbers
from loadrig.report.model import Cell, Number, VerdictWords, verdict_cell
from loadrig.report.run import Run, Study

TEXTS = texts_of(ReportSoakTexts)

GROWTH: Mapping[str, VerdictWords] = {
    "leaks": ("✗", label("leaks"), "bad"),
    "fills": ("◒", TEXTS.fills_something, "warn"),
    "made": ("◒", TEXTS.few_rises, "plain"),
    "little": ("✓", TEXTS.too_little_matter, "good"),
    "level": ("✓", TEXTS.does_not_grow, "good"),
    "unsure": ("?", TEXTS.not_to_be, "quiet"),
}
"""Symbol, words and tone of what a level does."""

LAPSES: Mapping[bool | None, Cell] = {
    True: Cell(TEXTS.in_all, "good"),
    False: verdict_cell(("✗", "missed", "bad")),
    None: Cell(TEXTS.unsure, "quiet"),
}
"""Verdicts on a goal over stretches, by whether it was met."""


def soak_in(run: Run) -> SoakSummary | None:
    """Return the answer of a soak: a study's own, or one made now of a trial cut short.

    None where there was none, or where the trial is void.
    """
    if run.study is not None:
        return soak_of(run.study)
    if (recording := _cut_short(run, "soak")) is None:
        return None
    # Imported here, as few pages need it: only those of a soak that was cut short.
    from loadrig.soaking.result import document

    return document(recording)


def spike_in(run: Run) -> SpikeSummary | None:
    """Return the answer of a spike: a study's own, or one made now of a trial cut short.

    None where there was none, or where the trial is void.
    """
    if run.study is not None:
        return spike_of(run.study)
    if (recording := _cut_short(run, "spike")) is None:
        return None
    from loadrig.soaking.spike_result import document

    return document(recording)


def soak_of(study: Study) -> SoakSummary | None:
    """Return the soak of a study's result; None where it has none."""
    answer = study.document.soak
    if not answer:
        return None
    return _soak(answer, "result.json: soak")


def _soak(answer: Mapping[str, Any], where: str) -> SoakSummary:
    return typed(SoakDocument if "growth" in answer else SoakSummary, answer, where)


def soaks_of(study: Study) -> list[tuple[str, SoakSummary]]:
    """Return the settings that were soaked, and the answer of each; an empty list where one alone was."""
    answers = [_soak(answer, "result.json: soaks") for answer in study.document.soaks or ()]
    return [(study.document.setting(answer.setting_id).label, answer) for answer in answers]


def spike_of(study: Study) -> SpikeSummary | None:
    """Return the spike of a study's result; None where it has none."""
    answer = study.document.spike
    if not answer:
        return None
    return typed(SpikeDocument if answer.get("course") else SpikeSummary, answer, "result.json: spike")


def _cut_short(run: Run, name: str) -> Recording | None:
    """Return the recording of a trial that was to find a soak or a spike (`name`); None of any other."""
    if not run.views or run.trial.validity.verdict == "void":
        return None
    recording = run.views[0].recording
    return recording if recording.manifest.find == name else None


def sentences(answer: SoakSummary) -> list[str]:
    """Return the soak's headline and its gravest sentences."""
    return [answer.headline, *(f"{_capital(text)}." for text in answer.sentences)]


def spike_sentence(spike: SpikeSummary) -> str:
    """Return what a spike did, in sentences."""
    return _capital(spike.text)


def ended(answer: SoakDocument) -> str:
    """Return why a soak was over, in a sentence."""
    return f"{_capital(answer.ended)}." if answer.ended else ""


def each_request(row: GrowthDocument) -> str:
    """Return the growth with every request and its interval: "1.1 kB (1 – 1.2)"."""
    return _amount(row.a_request, row.unit) if row.a_request is not None else "–"


def _amount(slope: Bounds, unit: str) -> str:
    value, span = numbers.amount(slope.value, unit), between(slope, unit)
    return f"{value} ({span})" if span else value


def size(row: GrowthDocument) -> str:
    """Return how fast a level grows: "1.1 kB (1 – 1.2) a request", "80 MB (70 – 90) an hour".

    It is told by what the growth follows: requests or time.
    """
    if row.follows != "time" or row.an_hour is None or row.an_hour.value is None:
        return labels.each_request(each_request(row))
    return TEXTS.an_hour(_amount(row.an_hour, row.unit))


def large(answer: SoakSummary | None) -> list[Number]:
    """Return the figures to be read first: those of the most urgent leak, and when its limit is reached."""
    growth = answer.growth if isinstance(answer, SoakDocument) else ()
    row = next((level for level in growth if level.is_leak), None)
    if row is None:
        return []
    is_hourly = size(row).endswith(" an hour")
    slope = row.an_hour if is_hourly else row.a_request
    if slope is None:
        return []
    what = TEXTS.what_of(row.what, row.component, TEXTS.each_hour if is_hourly else label("a request"))
    shown = [Number(numbers.amount(slope.value, row.unit), what, between(slope, row.unit), "bad")]
    if reached(row) != "–" and row.limit is not None:
        soon, _, span = reached(row).partition(" (")
        shown.append(Number(soon, TEXTS.until(row.limit.text), span.rstrip(")"), "bad"))
    return shown


def between(slope: Bounds, unit: str) -> str:
    """Return the interval of a slope, without the unit; "" where there is none."""
    return numbers.known_span(slope.value, slope.low, slope.high, unit)


def reached(row: GrowthDocument) -> str:
    """Return when a level's limit is reached at the load there was: "5 h (4 h – 6 h)"."""
    coming = row.reached_in_s
    if coming is None or coming.value is None:
        return "–"
    if coming.low is None or coming.high is None:
        return numbers.amount(coming.value, "s")
    return f"{lasting(coming.value)} ({lasting(coming.low)} – {lasting(coming.high)})"


def lasting(seconds: float) -> str:
    """Return a duration for a reader, from two days on in days."""
    if seconds < 2 * 86_400:
        return numbers.amount(round(seconds) if seconds >= 10 else seconds, "s")
    days = seconds / 86_400
    return TEXTS.days(f"{days:,.0f}") if days >= 10 else TEXTS.days(f"{days:.1f}")


def _capital(text: str) -> str:
    """Return the text with a capital, unless its first word is a name with figures, such as p95."""
    first = text.split(" ")[0]
    return text if any(c.isdigit() for c in first) else numbers.capital(text)
