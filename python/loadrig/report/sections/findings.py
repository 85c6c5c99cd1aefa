"""What limits the server: a card for each finding, the limits of every tier, and what was cleared."""

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
from loadrig.report import numbers
from loadrig.report.figures import ceilings, dips, leak
from loadrig.report.model import (
    Block,
    Card,
    Cell,
    Column,
    Facts,
    Figure,
    Paragraph,
    Point,
    Section,
    Table,
)
from loadrig.report.run import Run, TrialView
from loadrig.report.timeline import Timeline

ORDER = 16
TITLE = "What limits it"

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
    view = next((view for view in run.views if view.group == "base"), run.views[0])
    # Without a card the diagnosis needs a sentence here, unless the verdict begins with that sentence.
    is_told = bool(findings) or (run.failure is not None and run.failure.sentence == diagnosis.sentence)
    blocks: list[Block] = [] if is_told else [Paragraph(diagnosis.sentence, size="lead")]
    shown: set[str] = set()
    for finding in findings[:MOST_CARDS]:
        # A chart that fits several findings is shown once, with the first of them.
        figures = [figure for figure in _figures(finding, view) if figure.id not in shown]
        shown |= {figure.id for figure in figures}
        blocks.append(_card(finding, view, figures, is_first=finding is findings[0]))
    if not findings and diagnosis.decides:
        blocks.append(Facts(tuple(("would decide", text) for text in diagnosis.decides)))
    blocks += _limits(view, diagnosis.ceilings)
    if diagnosis.cards:
        blocks.append(_arithmetic(diagnosis.cards))
    if diagnosis.cleared:
        blocks.append(_cleared(diagnosis.cleared, folded=not everything))
    if diagnosis.unseen:
        blocks.append(_unseen(diagnosis.unseen, folded=bool(findings) and not everything))
    return Section("findings", TITLE, tuple(blocks))


def _card(finding: FindingDocument, view: TrialView, figures: Sequence[Figure], *, is_first: bool) -> Card:
    time = view.timeline
    return Card(
        title=finding.title,
        component=finding.component,
        standing=finding.verdict,
        effect=finding.effect,
        mend=finding.mend,
        decides=finding.decides,
        points=tuple(_point(evidence, time) for evidence in _experiment_first(finding)),
        against=tuple(_point(evidence, time) for evidence in finding.against),
        # Only the first card says why it is that cause and no other.
        rivals=tuple(_rival(rival) for rival in finding.rivals) if is_first else (),
        missing=finding.missing,
        symptoms=tuple(symptom.titled for symptom in finding.symptoms),
        cause=finding.cause,
        is_good=finding.cause == "healthy",
        figures=tuple(figures),
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
            suffix = f" of {subject}" if subject not in ("", "tree") else ""
            return Point(evidence.text, f"{name}{suffix}, {component}", _course(source, time))
        case FormulaSource(text):
            rests_on = "" if text == evidence.text else text
        case EventSource(component, event, count):
            rests_on = f"{numbers.plural(count, 'event')} {event}, {component}"
        case ProfileSource(component, file):
            rests_on = f"profile {file}, {component}"
        case ExperimentSource(command):
            rests_on = command
        case LoadSource(field):
            rests_on = f"the generator: {field}"
    return Point(evidence.text, rests_on)


def _course(source: SeriesSource, time: Timeline) -> tuple[float | None, ...]:
    for series in time.observed:
        name = f"{series.probe}.{series.metric}"
        if (series.component, name, series.subject) == (source.component, source.name, source.subject):
            values = series.band.mean
            step = max(1, -(-len(values) // COURSE))
            return tuple(_mean(values[i : i + step]) for i in range(0, len(values), step))
    return ()


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _rival(rival: ClearedDocument) -> Point:
    return Point(rival.why, f"{rival.cause} ({rival.component})")


def _limits(view: TrialView, limits: Sequence[Ceiling]) -> list[Block]:
    if not limits or view.case is None:
        return []
    drawn = ceilings.draw(view.id, view.case, limits)
    # The chart above the table has the same title, so the table has no caption.
    return [ceilings.table(limits)] if drawn is None else [drawn, ceilings.table(limits, caption="")]


def _arithmetic(cards: Sequence[ArithmeticCard]) -> Table:
    rows = tuple(
        (Cell(f"{card.title}, {card.component}"), Cell(card.formula), Cell(card.says)) for card in cards
    )
    heads = (Column("what", "left"), Column("with the numbers of this run", "left"), Column("so", "left"))
    return Table(heads, rows, caption=f"Arithmetic: {len(rows)}", folded=True)


def _cleared(cleared: Sequence[ClearedDocument], *, folded: bool) -> Table:
    rows = tuple((Cell(cause.cause), Cell(cause.component), Cell(cause.why)) for cause in cleared)
    heads = (Column("cause", "left"), Column("component", "left"), Column("why not", "left"))
    caption = f"Looked into, and cleared: {len(rows)}"
    return Table(heads, rows, caption=caption, folded=folded)


def _unseen(unseen: Sequence[Unseen], *, folded: bool) -> Table:
    rows = tuple((Cell(gap.component), Cell(gap.what), Cell(gap.why)) for gap in unseen)
    heads = (Column("tier", "left"), Column("what", "left"), Column("why", "left"))
    return Table(heads, rows, caption="What could not be seen", folded=folded)
