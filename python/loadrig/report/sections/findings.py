"""Section on what limits the server: a card for each finding, the limits of all tiers, what was cleared."""

from collections.abc import Sequence
from dataclasses import replace

from loadrig.judgement.cards import ArithmeticCard
from loadrig.judgement.document import ClearedDocument, EvidenceDocument, FindingDocument
from loadrig.judgement.evidence import (
    EventSource,
    ExperimentSource,
    FormulaSource,
    LoadSource,
    ProfileSource,
    SeriesSource,
)
from loadrig.judgement.facts.case import Unseen
from loadrig.judgement.limits.ceilings import Ceiling
from loadrig.language.choice import texts_of
from loadrig.language.en.report.sections import FindingsSectionTexts
from loadrig.report import numbers
from loadrig.report.figures import ceilings, dips, leak
from loadrig.report.model import Block, Card, Facts, Figure, Paragraph, Point, Section, Table, present
from loadrig.report.run import Run, TrialView
from loadrig.report.tables import left, table_of
from loadrig.report.timeline import Timeline

TEXTS = texts_of(FindingsSectionTexts)

ORDER = 16
TITLE = TEXTS.title

MOST_CARDS = 5
MAKES_DIPS = frozenset({"workload_artefact", "gc_pressure", "restarts_in_step", "noisy_neighbour"})
"""Causes that are recognised by what the dips go with."""

COURSE = 60
"""Number of points of a small chart: as many as can be told apart on its width."""


def build(run: Run, *, everything: bool = False) -> Section | None:
    """Return the findings of the first trial, or of the study; None without a diagnosis.

    everything: with every cause that was cleared, also in a terminal.
    """
    diagnosis, findings = run.diagnosis, run.findings
    if diagnosis is None or not run.views:
        return None
    # The base is shown: its limit is what the settings of a study are tried for.
    view = run.base_view
    # Without a card the diagnosis needs a sentence here, unless the verdict begins with that sentence.
    is_repeated = bool(findings) or (run.failure is not None and run.failure.sentence == diagnosis.sentence)
    blocks: list[Block] = [] if is_repeated else [Paragraph(diagnosis.sentence, size="lead")]
    shown: set[str] = set()
    for finding in findings[:MOST_CARDS]:
        # A chart that fits several findings is shown once, with the first of them.
        figures = [figure for figure in _figures(finding, view) if figure.id not in shown]
        shown |= {figure.id for figure in figures}
        # Only the first card says why it is that cause and no other.
        rivals = _cleared_rivals(findings) if finding is findings[0] else ()
        blocks.append(_card(finding, view, figures, rivals))
    if not findings and diagnosis.decides:
        blocks.append(Facts(tuple((TEXTS.would_decide, text) for text in diagnosis.decides)))
    is_folded = bool(findings) and not everything
    blocks += _limits(view, diagnosis.ceilings)
    blocks += present(
        _arithmetic(diagnosis.cards) if diagnosis.cards else None,
        _cleared(diagnosis.cleared, folded=not everything) if diagnosis.cleared else None,
        _unseen(diagnosis.unseen, folded=is_folded) if diagnosis.unseen else None,
    )
    return Section("findings", TITLE, tuple(blocks))


def _cleared_rivals(findings: Sequence[FindingDocument]) -> tuple[ClearedDocument, ...]:
    """Return the rivals of the first finding that do not stand themselves, each reason once."""
    standing = {finding.accused for finding in findings}
    by_reason: dict[str, ClearedDocument] = {}
    for rival in findings[0].rivals:
        if rival.accused not in standing:
            by_reason.setdefault(rival.why, rival)
    return tuple(by_reason.values())


def _card(
    finding: FindingDocument, view: TrialView, figures: Sequence[Figure], rivals: Sequence[ClearedDocument]
) -> Card:
    time = view.timeline
    # What the effect says already is no further evidence.
    evidence = [piece for piece in _experiment_first(finding) if piece.text != finding.effect]
    return Card(
        title=finding.title,
        component=finding.component,
        standing=finding.verdict,
        effect=finding.effect,
        mend=finding.mend,
        decides=finding.decides,
        points=tuple(_point(piece, time) for piece in evidence),
        against=tuple(_point(evidence, time) for evidence in finding.against),
        rivals=tuple(Point(rival.why, f"{rival.cause} ({rival.component})") for rival in rivals),
        missing=finding.missing,
        symptoms=tuple(symptom.titled for symptom in finding.symptoms),
        cause=finding.cause,
        is_good=finding.cause == "healthy",
        figures=tuple(figures),
        chance=finding.chance or None,
    )


def _experiment_first(finding: FindingDocument) -> list[EvidenceDocument]:
    """Return the evidence; an experiment first where the cause is named, as it says most."""
    is_named = finding.verdict == "named"
    return sorted(
        finding.evidence, key=lambda evidence: is_named and not isinstance(evidence.source, ExperimentSource)
    )


def _figures(finding: FindingDocument, view: TrialView) -> list[Figure]:
    """Return the charts that show this cause: what a leak comes to, or what the dips go with."""
    if view.case is None:
        return []
    drawn: list[Figure | None] = []
    if finding.cause == "leak":
        drawn.append(leak.draw(view.id, view.case, view.timeline))
    elif finding.cause in MAKES_DIPS:
        drawn += [
            dips.draw(view.id, view.case, view.timeline),
            dips.lanes(view.id, view.case),
            dips.folded(view.id, view.case),
        ]
    return [replace(figure, view=view.id) for figure in drawn if figure is not None]


def _point(evidence: EvidenceDocument, time: Timeline) -> Point:
    match evidence.source:
        case SeriesSource(component, name, subject) as source:
            suffix = TEXTS.subject_of(subject) if subject not in ("", "tree") else ""
            return Point(evidence.text, f"{name}{suffix}, {component}", _course(source, time))
        case FormulaSource(text):
            rests_on = "" if text == evidence.text else text
        case EventSource(component, event, count):
            rests_on = f"{numbers.plural(count, 'event')} {event}, {component}"
        case ProfileSource(component, file):
            rests_on = TEXTS.profile(file, component)
        case ExperimentSource(command):
            rests_on = command
        case LoadSource(field):
            rests_on = TEXTS.the_generator(field)
    return Point(evidence.text, rests_on)


def _course(source: SeriesSource, time: Timeline) -> tuple[float | None, ...]:
    series = time.series(source.component, source.name, source.subject)
    values = () if series is None else series.band.mean
    step = max(1, -(-len(values) // COURSE))
    return tuple(_mean(values[i : i + step]) for i in range(0, len(values), step))


def _mean(values: Sequence[float | None]) -> float | None:
    numbers_read = [value for value in values if value is not None]
    return sum(numbers_read) / len(numbers_read) if numbers_read else None


def _limits(view: TrialView, limits: Sequence[Ceiling]) -> list[Block]:
    if not limits or view.case is None:
        return []
    drawn = ceilings.draw(view.id, view.case, limits)
    # The chart above the table has the same title, so the table has no caption.
    return [ceilings.table(limits)] if drawn is None else [drawn, ceilings.table(limits, caption="")]


def _arithmetic(cards: Sequence[ArithmeticCard]) -> Table:
    return table_of(
        cards,
        left("what", lambda card: f"{card.title}, {card.component}"),
        left(TEXTS.numbers_run, lambda card: card.formula),
        left("so", lambda card: card.says),
        caption=f"Arithmetic: {len(cards)}",
        folded=True,
    )


def _cleared(cleared: Sequence[ClearedDocument], *, folded: bool) -> Table:
    return table_of(
        cleared,
        left("cause", lambda cause: cause.cause),
        left("component", lambda cause: cause.component),
        left(TEXTS.why_not, lambda cause: cause.why),
        caption=TEXTS.caption(str(len(cleared))),
        folded=folded,
    )


def _unseen(unseen: Sequence[Unseen], *, folded: bool) -> Table:
    return table_of(
        unseen,
        left("tier", lambda gap: gap.component),
        left("what", lambda gap: gap.what),
        left("why", lambda gap: gap.why),
        caption=TEXTS.what_could_not,
        folded=folded,
    )
