"""What limits the server: a card for each finding, the limits of every tier, and what was cleared."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from loadrig.report import numbers
from loadrig.report.figures import ceilings, dips, leak
from loadrig.report.model import Block, Card, Cell, Column, Facts, Figure, Paragraph, Point, Section, Table
from loadrig.report.run import Json, Run, TrialView
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
    result = run.trial if run.study is None else run.result
    diagnosis = result.get("diagnosis")
    if not diagnosis or not run.views:
        return None
    # The base is shown: its limit is what the settings of a study are tried for.
    view = next((view for view in run.views if view.group == "base"), run.views[0])
    findings = list(result.get("findings") or ())
    # Without a card the diagnosis needs a sentence here, unless the verdict begins with that sentence.
    is_told = bool(findings) or diagnosis["sentence"] == result.get("headline")
    blocks: list[Block] = [] if is_told else [Paragraph(str(diagnosis["sentence"]), size="lead")]
    shown: set[str] = set()
    for finding in findings[:MOST_CARDS]:
        # A chart that fits several findings is shown once, with the first of them.
        figures = [figure for figure in _figures(finding, view) if figure.id not in shown]
        shown |= {figure.id for figure in figures}
        blocks.append(_card(finding, view, figures, is_first=finding is findings[0]))
    if not findings and diagnosis["decides"]:
        blocks.append(Facts(tuple(("would decide", text) for text in diagnosis["decides"])))
    blocks += _limits(view, diagnosis["ceilings"])
    if diagnosis.get("cards"):
        blocks.append(_arithmetic(diagnosis["cards"]))
    if diagnosis["cleared"]:
        blocks.append(_cleared(diagnosis["cleared"], folded=not everything))
    if diagnosis["unseen"]:
        blocks.append(_unseen(diagnosis["unseen"], folded=bool(findings) and not everything))
    return Section("findings", TITLE, tuple(blocks))


def titled(finding: Json) -> str:
    """Return a finding in a few words: "the CPU is used up (server)"."""
    return f"{finding['title']} ({finding['component']})"


def _card(finding: Json, view: TrialView, figures: Sequence[Figure], *, is_first: bool) -> Card:
    time = view.timeline
    return Card(
        title=str(finding["title"]),
        component=str(finding["component"]),
        standing=finding["verdict"],
        effect=str(finding["effect"]),
        mend=str(finding["mend"]),
        decides=str(finding["decides"]),
        points=tuple(_point(evidence, time) for evidence in _experiment_first(finding)),
        against=tuple(_point(evidence, time) for evidence in finding["against"]),
        # Only the first card says why it is that cause and no other.
        rivals=tuple(_rival(rival) for rival in finding["rivals"]) if is_first else (),
        missing=tuple(str(text) for text in finding["missing"]),
        symptoms=tuple(titled(symptom) for symptom in finding["symptoms"]),
        cause=str(finding["cause"]),
        is_good=finding["cause"] == "healthy",
        figures=tuple(figures),
    )


def _experiment_first(finding: Json) -> list[Json]:
    """Return the evidence; an experiment first where the cause is named, as it says most."""
    is_named = finding["verdict"] == "named"
    return sorted(
        finding["evidence"], key=lambda evidence: is_named and evidence["source"]["kind"] != "experiment"
    )


def _figures(finding: Json, view: TrialView) -> list[Figure]:
    """Return the charts that show this cause: what a leak comes to, or what the dips go with."""
    if view.case is None:
        return []
    drawn: list[Figure | None] = []
    if finding["cause"] == "leak":
        drawn.append(leak.draw(view.id, view.case, view.timeline))
    elif finding["cause"] in MAKES_DIPS:
        drawn += [
            dips.draw(view.id, view.case, view.timeline),
            dips.lanes(view.id, view.case),
            dips.folded(view.id, view.case),
        ]
    return [replace(figure, view=view.id) for figure in drawn if figure is not None]


def _point(evidence: Json, time: Timeline) -> Point:
    source: Mapping[str, Any] = evidence["source"]
    kind = source["kind"]
    if kind == "series":
        suffix = f" of {source['subject']}" if source["subject"] not in ("", "tree") else ""
        return Point(
            evidence["text"], f"{source['series']}{suffix}, {source['component']}", _course(source, time)
        )
    if kind == "formula":
        return Point(evidence["text"], "" if source["formula"] == evidence["text"] else source["formula"])
    if kind == "events":
        return Point(
            evidence["text"],
            f"{numbers.plural(source['count'], 'event')} {source['event']}, {source['component']}",
        )
    if kind == "profile":
        return Point(evidence["text"], f"profile {source['file']}, {source['component']}")
    if kind == "experiment":
        return Point(evidence["text"], str(source.get("command") or ""))
    return Point(evidence["text"], f"the generator: {source['field']}")


def _course(source: Json, time: Timeline) -> tuple[float | None, ...]:
    for series in time.observed:
        name = f"{series.probe}.{series.metric}"
        if (series.component, name, series.subject) == (
            source["component"],
            source["series"],
            source["subject"],
        ):
            values = series.band.mean
            step = max(1, -(-len(values) // COURSE))
            return tuple(_mean(values[i : i + step]) for i in range(0, len(values), step))
    return ()


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _rival(rival: Json) -> Point:
    return Point(str(rival["why"]), f"{rival['cause']} ({rival['component']})")


def _limits(view: TrialView, limits: Sequence[Json]) -> list[Block]:
    if not limits or view.case is None:
        return []
    drawn = ceilings.draw(view.id, view.case, limits)
    # The chart above the table has the same title, so the table has no caption.
    return [ceilings.table(limits)] if drawn is None else [drawn, ceilings.table(limits, caption="")]


def _arithmetic(cards: Sequence[Json]) -> Table:
    rows = tuple(
        (Cell(f"{card['title']}, {card['component']}"), Cell(card["formula"]), Cell(card["says"]))
        for card in cards
    )
    heads = (Column("what", "left"), Column("with the numbers of this run", "left"), Column("so", "left"))
    return Table(heads, rows, caption=f"Arithmetic: {len(rows)}", folded=True)


def _cleared(cleared: Sequence[Json], *, folded: bool) -> Table:
    rows = tuple((Cell(cause["cause"]), Cell(cause["component"]), Cell(cause["why"])) for cause in cleared)
    heads = (Column("cause", "left"), Column("component", "left"), Column("why not", "left"))
    caption = f"Looked into, and cleared: {len(rows)}"
    return Table(heads, rows, caption=caption, folded=folded)


def _unseen(unseen: Sequence[Json], *, folded: bool) -> Table:
    rows = tuple((Cell(gap["component"]), Cell(gap["what"]), Cell(gap["why"])) for gap in unseen)
    heads = (Column("tier", "left"), Column("what", "left"), Column("why", "left"))
    return Table(heads, rows, caption="What could not be seen", folded=folded)
