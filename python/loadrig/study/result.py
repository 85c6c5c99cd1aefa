"""A study's result as a document: schema loadrig.study/2, the input of the report and of other programs."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from loadrig import __version__
from loadrig.base.setting import Value
from loadrig.plan.model import Plan
from loadrig.recording.documents import STUDY
from loadrig.stats.compare import Effect
from loadrig.stats.verdict import Scale, Verdict
from loadrig.study.answer import Comparison, JudgedSetting, Judgement, KnobEffect, Question
from loadrig.study.trials import DoneTrial


def document(
    plan: Plan,
    question: Question,
    judgement: Judgement,
    trials: tuple[DoneTrial, ...],
    *,
    created: str,
    machine: Mapping[str, Any],
    is_finished: bool,
) -> dict[str, Any]:
    """Return the whole result as a document, every number finite or null.

    An effect is the ratio b/a; of a measure that is a share it is the difference b - a (`scale`).
    """
    by = question.by
    block_s = _block_seconds(trials)
    return {
        "schema": STUDY,
        "loadrig": __version__,
        "name": plan.name,
        "kind": plan.study.strategy,
        "created": created,
        "seconds": sum(trial.seconds for trial in trials),
        "finished": is_finished,
        "question": {
            "by": by.name,
            "unit": by.unit,
            "better": by.better,
            "equal_within": by.equal_within,
            "scale": by.scale,
        },
        "noise": _noise(judgement, by.scale),
        "settings": [_setting(judged) for judged in judgement.settings],
        "comparisons": [
            _comparison(comparison, by.name, by.scale, block_s) for comparison in judgement.comparisons
        ],
        "knob_effects": [_knob_effect(effect, by.scale) for effect in judgement.knob_effects],
        "recommended": _recommended(judgement),
        "capacity": None,
        "findings": [],
        "machine": dict(machine),
        "validity": _validity(trials),
        "warnings": list(judgement.warnings),
    }


def _noise(judgement: Judgement, scale: Scale) -> dict[str, Any]:
    noise = judgement.noise
    return {
        "pairs": noise.pairs,
        "sd_log": noise.sd if scale == "ratio" else None,
        "relative": None if noise.sd is None else math.expm1(noise.sd) if scale == "ratio" else noise.sd,
        "false_alarms": noise.false_alarms,
        "text": noise.text,
    }


def _setting(judged: JudgedSetting) -> dict[str, Any]:
    return {
        "id": judged.number,
        "setting": dict(judged.setting),
        "label": judged.label,
        "is_base": judged.number == 0,
        "trials": [
            {
                "index": trial.index,
                "block": trial.block,
                "folder": trial.folder,
                "validity": trial.verdict,
                "reasons": list(trial.reasons),
                "seconds": trial.seconds,
                "values": {name: estimate.value for name, estimate in trial.measures.items()},
            }
            for trial in judged.trials
        ],
        "measures": {name: asdict(estimate) for name, estimate in judged.measures.items()},
        "feasible": judged.is_feasible,
        "goals": [{"text": goal.text, "met": goal.is_met, "value": goal.value} for goal in judged.goals],
        "standing": judged.standing,
    }


def _comparison(comparison: Comparison, measure: str, scale: Scale, block_s: float) -> dict[str, Any]:
    shown = _effect(comparison.effect, scale)
    return {
        "between": [comparison.a, comparison.b],
        "measure": measure,
        **shown,
        "scale": scale,
        "verdict": _word(comparison.verdict),
        "blocks": comparison.effect.n if comparison.effect else 0,
        "p": comparison.p,
        "to_decide": _to_decide(comparison.verdict, comparison.effect, block_s),
        "note": comparison.note,
        "kind": comparison.kind,
    }


def _knob_effect(effect: KnobEffect, scale: Scale) -> dict[str, Any]:
    base: Value = effect.base
    return {
        "knob": effect.knob,
        "from": base,
        "to": effect.value,
        **_effect(effect.effect, scale),
        "verdict": effect.verdict.word,
        "pairs": effect.pairs,
    }


def _effect(effect: Effect | None, scale: Scale) -> dict[str, Any]:
    if effect is None:
        return {"effect": None, "interval": None, "confidence": 0.95}
    numbers = (effect.centre, effect.low, effect.high)
    if scale == "ratio":
        # Where the noise is known from one pair, bounds may pass the largest float.
        numbers = tuple(math.exp(min(number, 700.0)) for number in numbers)  # type: ignore[assignment]
    return {
        "effect": numbers[0],
        "interval": [numbers[1], numbers[2]],
        "confidence": effect.confidence,
    }


def _word(verdict: Verdict | None) -> str:
    return "undecided" if verdict is None else verdict.word


def _to_decide(verdict: Verdict | None, effect: Effect | None, block_s: float) -> dict[str, Any] | None:
    """Return how many more blocks would decide, and how long they take; None where nobody knows."""
    if verdict is None or effect is None or verdict.blocks_to_decide is None:
        return None
    blocks = max(1, verdict.blocks_to_decide - effect.n)
    return {"blocks": blocks, "seconds": round(blocks * block_s, 1)}


def _recommended(judgement: Judgement) -> dict[str, Any] | None:
    recommended = judgement.recommended
    if recommended is None:
        return None
    return {
        "setting_id": recommended.number,
        "setting": dict(judgement.settings[recommended.number].setting),
        "why": recommended.why,
        "indistinguishable": list(recommended.indistinguishable),
    }


def _validity(trials: tuple[DoneTrial, ...]) -> dict[str, int]:
    counts = Counter(trial.verdict for trial in trials)
    counted = {name: counts[name] for name in ("valid", "disturbed", "void")}
    return counted | ({"failed": counts["failed"]} if counts["failed"] else {})


def _block_seconds(trials: tuple[DoneTrial, ...]) -> float:
    """Return how long a whole block takes, in seconds: that of the longest so far."""
    seconds: Counter[int] = Counter()
    for trial in trials:
        seconds[trial.block] += round(trial.seconds)
    return float(max(seconds.values(), default=0))
