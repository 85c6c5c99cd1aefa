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
"""Causes that are told by what the dips go with."""

COURSE = 60
"""Points of a small chart: as many as can be told apart on its width."""


def build(run: Run, *, everything: bool = False) -> Section | None:
    """The findings of the trial that is shown first, or of the study; None where there is no diagnosis.

    everything: with every cause that was cleared, also in a terminal.
    """
    found = run.trial if run.study is None else run.result
    diagnosis = found.get("diagnosis")
    if not diagnosis or not run.views:
        return None
    # What limits a study's base is what its settings are to mend.
    view = next((each for each in run.views if each.group == "base"), run.views[0])
    findings = list(found.get("findings") or ())
    # The first card says it; without one a sentence must, unless the verdict begins with it.
    is_told = bool(findings) or diagnosis["sentence"] == found.get("headline")
    blocks: list[Block] = [] if is_told else [Paragraph(str(diagnosis["sentence"]), size="lead")]
    shown: set[str] = set()
    for one in findings[:MOST_CARDS]:
        # A chart stands with the first finding that it speaks of.
        figures = [figure for figure in _figures(one, view) if figure.id not in shown]
        shown |= {figure.id for figure in figures}
        blocks.append(_card(one, view, figures, is_first=one is findings[0]))
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
    """A finding in a few words: "the CPU is used up (server)"."""
    return f"{finding['title']} ({finding['component']})"


def _card(one: Json, view: TrialView, figures: Sequence[Figure], *, is_first: bool) -> Card:
    time = view.timeline
    return Card(
        title=str(one["title"]),
        component=str(one["component"]),
        standing=one["verdict"],
        effect=str(one["effect"]),
        mend=str(one["mend"]),
        decides=str(one["decides"]),
        points=tuple(_point(evidence, time) for evidence in _told_first(one)),
        against=tuple(_point(evidence, time) for evidence in one["against"]),
        # The first card answers for all: why it and nothing else.
        rivals=tuple(_rival(rival) for rival in one["rivals"]) if is_first else (),
        missing=tuple(str(text) for text in one["missing"]),
        symptoms=tuple(titled(symptom) for symptom in one["symptoms"]),
        cause=str(one["cause"]),
        is_good=one["cause"] == "healthy",
        figures=tuple(figures),
    )


def _told_first(one: Json) -> list[Json]:
    """The evidence; of what is named the experiment first, as nothing that was only seen says as much."""
    is_named = one["verdict"] == "named"
    return sorted(one["evidence"], key=lambda each: is_named and each["source"]["kind"] != "experiment")


def _figures(one: Json, view: TrialView) -> list[Figure]:
    """Charts that show this cause: what a leak comes to, or what the dips go with."""
    if view.case is None:
        return []
    drawn: list[Figure | None] = []
    if one["cause"] == "leak":
        drawn.append(leak.draw(view.id, view.case, view.timeline))
    elif one["cause"] in MAKES_DIPS:
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
        of = f" of {source['subject']}" if source["subject"] not in ("", "tree") else ""
        return Point(
            evidence["text"], f"{source['series']}{of}, {source['component']}", _course(source, time)
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
    for each in time.observed:
        name = f"{each.probe}.{each.metric}"
        if (each.component, name, each.subject) == (source["component"], source["series"], source["subject"]):
            values = each.band.mean
            step = max(1, -(-len(values) // COURSE))
            return tuple(_mean(values[i : i + step]) for i in range(0, len(values), step))
    return ()


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _rival(rival: Json) -> Point:
    return Point(str(rival["why"]), f"{rival['cause']} ({rival['component']})")


def _limits(view: TrialView, found: Sequence[Json]) -> list[Block]:
    if not found or view.case is None:
        return []
    drawn = ceilings.draw(view.id, view.case, found)
    # Under the chart, whose title is the same, it needs none of its own.
    return [ceilings.table(found)] if drawn is None else [drawn, ceilings.table(found, caption="")]


def _arithmetic(cards: Sequence[Json]) -> Table:
    rows = tuple(
        (Cell(f"{card['title']}, {card['component']}"), Cell(card["formula"]), Cell(card["says"]))
        for card in cards
    )
    heads = (Column("what", "left"), Column("with the numbers of this run", "left"), Column("so", "left"))
    return Table(heads, rows, caption=f"Arithmetic: {len(rows)}", folded=True)


def _cleared(cleared: Sequence[Json], *, folded: bool) -> Table:
    rows = tuple((Cell(one["cause"]), Cell(one["component"]), Cell(one["why"])) for one in cleared)
    heads = (Column("cause", "left"), Column("component", "left"), Column("why not", "left"))
    caption = f"Looked into, and cleared: {len(rows)}"
    return Table(heads, rows, caption=caption, folded=folded)


def _unseen(unseen: Sequence[Json], *, folded: bool) -> Table:
    rows = tuple((Cell(one["component"]), Cell(one["what"]), Cell(one["why"])) for one in unseen)
    heads = (Column("tier", "left"), Column("what", "left"), Column("why", "left"))
    return Table(heads, rows, caption="What could not be seen", folded=folded)
