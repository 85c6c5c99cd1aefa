"""Chart of what was changed when, and what came of it: slots of an experiment over the time of its trial."""

from collections.abc import Sequence
from typing import Any

from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.interventions import InterventionTexts
from loadrig.proving.document import ProofSlot
from loadrig.report import numbers, proof_words, words
from loadrig.report.model import Cell, Figure, Table
from loadrig.report.proof import ShownExperiment, ShownProof, bands_of
from loadrig.report.tables import left, right, table_of

TEXTS = texts_of(InterventionTexts)

MOST_ROWS = 200


def draw(proof: ShownProof) -> list[Figure]:
    """Return a chart for each trial in which something was changed under load, and for each measure in it."""
    groups: dict[tuple[int, str, str], list[ShownExperiment]] = {}
    for experiment in proof.experiments:
        if experiment.is_live and experiment.slots:
            groups.setdefault((experiment.trial, experiment.measure, experiment.shown_unit), []).append(
                experiment
            )
    several = len({trial for trial, _, _ in groups}) > 1
    return [
        _drawn(proof, number, experiments, where=TEXTS.in_trial(trial) if several else "")
        for number, ((trial, _, _), experiments) in enumerate(groups.items(), 1)
    ]


def _drawn(proof: ShownProof, number: int, experiments: Sequence[ShownExperiment], *, where: str) -> Figure:
    base = _unchanged(experiments)
    ends = [slot.from_s + slot.length_s for slot in base]
    lanes = []
    for experiment in experiments:
        slots = [slot for slot in experiment.slots if slot.is_changed]
        bands = [band for band in bands_of(proof, experiment) if band.trial == experiment.trial]
        ends += [slot.from_s + slot.length_s for slot in slots] + [band.to_s for band in bands]
        lanes.append(
            {
                **_lane(experiment),
                "slots": [_placed(slot) for slot in slots],
                "bands": [[round(band.from_s, 3), round(band.to_s, 3), band.title] for band in bands],
            }
        )
    measure, unit = words.measure(experiments[0].measure), experiments[0].shown_unit
    middle = next(
        (experiment.unchanged for experiment in experiments if experiment.unchanged is not None), None
    )
    data = {
        "measure": measure,
        "unit": unit,
        "end": round(max(ends), 3),
        "unchanged": {
            "text": numbers.amount(middle, unit),
            "median": numbers.rounded(middle),
            "slots": [_placed(slot) for slot in base],
        },
        "lanes": lanes,
    }
    about = TEXTS.about(measure, where, experiments[0].better)
    return Figure(
        f"interventions-{number}", "slots", TEXTS.title, about, data,
        _table(experiments, base),
    )  # fmt: skip


def _lane(experiment: ShownExperiment) -> dict[str, Any]:
    symbol, word, tone = proof_words.standing(experiment)
    text = f"{numbers.amount(experiment.changed, experiment.shown_unit)}, {proof_words.figure(experiment)}"
    return {"label": experiment.label, "text": text, "standing": f"{symbol} {word}", "tone": tone}


def _placed(slot: ProofSlot) -> list[float | None]:
    return [round(slot.from_s, 3), round(slot.length_s, 3), numbers.rounded(slot.outcome)]


def _unchanged(experiments: Sequence[ShownExperiment]) -> list[ProofSlot]:
    """Return slots in which nothing was changed; experiments of one trial share them."""
    by_start = {
        slot.from_s: slot for experiment in experiments for slot in experiment.slots if not slot.is_changed
    }
    return [by_start[from_s] for from_s in sorted(by_start)]


def _table(experiments: Sequence[ShownExperiment], base: Sequence[ProofSlot]) -> Table:
    rows = [(TEXTS.nothing, experiments[0].shown_unit, slot) for slot in base]
    rows += [
        (experiment.title, experiment.shown_unit, slot)
        for experiment in experiments
        for slot in experiment.slots
        if slot.is_changed
    ]
    rows.sort(key=lambda row: row[2].from_s)
    more = len(rows) - MOST_ROWS
    return table_of(
        rows[:MOST_ROWS],
        right(TEXTS.start, lambda row: numbers.amount(row[2].from_s, "s")),
        right(TEXTS.length, lambda row: numbers.amount(row[2].length_s, "s")),
        right(TEXTS.block, lambda row: f"{row[2].block + 1}"),
        left(TEXTS.changed, lambda row: Cell(row[0], "quiet" if row[0] == TEXTS.nothing else "plain")),
        right(words.measure(experiments[0].measure), lambda row: numbers.amount(row[2].outcome, row[1])),
        caption=TEXTS.caption,
        notes=(TEXTS.more_rows(f"{more:,}"),) if more > 0 else (),
        folded=True,
    )
