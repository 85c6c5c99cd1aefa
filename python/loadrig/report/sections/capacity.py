"""The capacity: how it was found, level by level, and what a closed load says of contention."""

from loadrig.language.choice import texts_of
from loadrig.language.en.report.sections import CapacitySectionTexts
from loadrig.language.labels import label
from loadrig.report import capacity, numbers
from loadrig.report.figures import capacity_curve
from loadrig.report.model import Facts, Paragraph, Section, present
from loadrig.report.run import Run
from loadrig.stats.usl import Between, Usl
from loadrig.study.capacity.document import CapacityDocument

TEXTS = texts_of(CapacitySectionTexts)

ORDER = 11
TITLE = "Capacity"


def build(run: Run) -> Section | None:
    """Return the curve with every level, its figures, and its warnings; None without a search."""
    search = None if run.study is None else run.study.document.capacity
    if run.study is None or search is None:
        return None
    goals = run.study.document.setting(search.setting_id).goals
    curve = capacity_curve.draw(search, [goal.text for goal in goals])
    facts = Facts(tuple(_facts(search)))
    notes = (Paragraph(f"{label('Note')}: {text}.", size="note") for text in search.warnings)
    levels = numbers.plural(len(search.probes), "level")
    return Section(
        "capacity",
        TITLE,
        (curve, facts, *notes),
        lead=TEXTS.lead(levels, numbers.amount(search.seconds, "s")),
        terminal=tuple(present(facts, curve.table)),
    )


def _facts(search: CapacityDocument) -> list[tuple[str, str]]:
    rows = [
        (TEXTS.surely_met, capacity.shown(search, search.at_least) if search.at_least else TEXTS.no_level),
        (TEXTS.surely_missed, capacity.shown(search, search.at_most) if search.at_most else TEXTS.no_level),
    ]
    if search.saturation is not None:
        value, span = search.saturation.value, search.saturation.interval
        rows.append(
            (TEXTS.most_answers, f"{numbers.amount(value, '1/s')} ({numbers.span(value, *span, '1/s')})")
        )
    if search.knee is not None:
        at = capacity.shown(search, search.knee.at)
        rows.append(("knee", TEXTS.with_a_response(at, numbers.amount(search.knee.response_s, "s"))))
    if search.usl is not None:
        rows += _law(search.usl)
    return rows


def _law(usl: Usl) -> list[tuple[str, str]]:
    """Return rows of the universal scalability law: what users cost each other."""
    rows = [
        (TEXTS.contention_usl, _between(usl.sigma, "1")), (TEXTS.coherency_usl, _between(usl.kappa, "1")),
    ]  # fmt: skip
    if usl.is_retrograde and usl.peak is not None:
        rows.append((TEXTS.most_at, TEXTS.more_users_get(numbers.amount(usl.peak.value, "users"))))
    return rows


def _between(estimate: Between, unit: str) -> str:
    span = numbers.span(estimate.value, estimate.low, estimate.high, unit)
    return f"{numbers.amount(estimate.value, unit)} ({span})"
