"""Tables of what a run has come to so far: settings of a study, blocks of a proof."""

from collections.abc import Iterable, Sequence
from statistics import fmean, median

from loadrig.following.document import BlockRow, BlocksDocument, OverDocument, TriedSetting
from loadrig.recording.proof_blocks import BlockOutcome

COUNTING = frozenset({"valid", "disturbed"})
"""Validities of the trials whose figures say something of their setting."""


def settings_of(over: Iterable[OverDocument]) -> tuple[TriedSetting, ...]:
    """Return the settings of trials that are over, in the order of their first trials."""
    by_setting: dict[str, list[OverDocument]] = {}
    for trial in over:
        by_setting.setdefault(trial.setting, []).append(trial)
    return tuple(_setting(setting, trials) for setting, trials in by_setting.items())


def _setting(setting: str, trials: Sequence[OverDocument]) -> TriedSetting:
    counting = [trial for trial in trials if trial.validity in COUNTING]
    return TriedSetting(
        setting=setting,
        is_base=any(trial.is_base for trial in trials),
        trials=tuple(trials),
        ok_rps=_median(trial.ok_rps for trial in counting),
        p99_s=_median(trial.p99_s for trial in counting),
    )


def blocks_of(outcomes: Sequence[BlockOutcome]) -> tuple[BlocksDocument, ...]:
    """Return the blocks of a proof: a table for each trial with changes under load, one for all others."""
    by_table: dict[int, list[BlockOutcome]] = {}
    for outcome in outcomes:
        by_table.setdefault(outcome.trial if outcome.is_live else 0, []).append(outcome)
    return tuple(_table(trial, own) for trial, own in by_table.items())


def _table(trial: int, outcomes: Sequence[BlockOutcome]) -> BlocksDocument:
    titles = tuple(dict.fromkeys(["", *(outcome.title for outcome in outcomes)]))
    values: dict[tuple[int, str], list[float]] = {}
    for outcome in outcomes:  # the unchanged server may come twice in a block
        values.setdefault((outcome.block, outcome.title), []).append(outcome.value)
    means = {place: fmean(own) for place, own in values.items()}
    blocks = sorted({block for block, _ in means})
    return BlocksDocument(
        trial=trial,
        measure=outcomes[0].measure,
        unit=outcomes[0].unit,
        titles=titles,
        rows=tuple(
            BlockRow(block=block + 1, values=tuple(means.get((block, title)) for title in titles))
            for block in blocks
        ),
        medians=tuple(_median(means.get((block, title)) for block in blocks) for title in titles),
    )


def _median(values: Iterable[float | None]) -> float | None:
    known_values = [value for value in values if value is not None]
    return median(known_values) if known_values else None
