"""What a tuning found as a document: `tuning` in a study's result, and the recommendation that it gives.

The judge of studies knows every trial, and so also those by which settings were chosen: luck among them.
What is recommended, and how it compares with the base, is therefore told by the confirming blocks alone.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from loadrig.base.setting import show_setting
from loadrig.stats.compare import Effect
from loadrig.study.space import key
from loadrig.study.tuning.answer import Rival, TuneAnswer
from loadrig.study.tuning.ground import Ground
from loadrig.study.tuning.map import drawn_map
from loadrig.study.tuning.stages import Tuning

NOTE = "from the confirming blocks alone"


def laid_over(document: dict[str, Any], tuning: Tuning, *, second: str | None) -> dict[str, Any]:
    """Return a study's result with `tuning`, its recommendation and the comparison of that with the base."""
    answer, ground = tuning.answer(), tuning.ground
    numbers = {key(setting["setting"]): setting["id"] for setting in document["settings"]}
    result = {**document, "tuning": _tuning(tuning, answer, second)}
    result["recommended"] = _recommended(document, answer, numbers)
    against = answer.against_default
    if answer.setting is not None and against is not None and against.effect is not None:
        between = [numbers[key(ground.base)], numbers[key(answer.setting)]]
        confirmed = {
            "between": between,
            "measure": document["question"]["by"],
            **_rival(ground, against),
            "confidence": against.effect.confidence,
            "scale": document["question"]["scale"],
            "to_decide": None,
            "note": NOTE,
            "kind": "with_base",
        }
        confirmed.pop("setting")
        result["comparisons"] = [
            confirmed
            if comparison["kind"] == "with_base" and comparison["between"] == between
            else comparison
            for comparison in document["comparisons"]
        ]
    return result


def _recommended(
    document: dict[str, Any], answer: TuneAnswer, numbers: dict[str, int]
) -> dict[str, Any] | None:
    if answer.setting is None:
        return None
    number = numbers[key(answer.setting)]
    equal = [
        setting["id"]
        for setting in document["settings"]
        if setting["standing"] in ("best", "indistinguishable") and setting["id"] != number
    ]
    return {
        "setting_id": number,
        "setting": dict(answer.setting),
        "why": answer.reason,
        "indistinguishable": equal,
    }


def _tuning(tuning: Tuning, answer: TuneAnswer, second: str | None) -> dict[str, Any]:
    ground = tuning.ground
    seconds: Counter[str] = Counter()
    for trial in tuning.trials:
        seconds[ground.stage_of(trial.block)] += round(trial.seconds)
    trials = Counter(step.stage for step in answer.path)
    sizes = ground.sizes
    return {
        "why": answer.why,
        "reason": answer.reason,
        "setting": None if answer.setting is None else dict(answer.setting),
        "default": dict(answer.default),
        "against_default": None if answer.against_default is None else _rival(ground, answer.against_default),
        "against_runner_up": None
        if answer.against_runner_up is None
        else _rival(ground, answer.against_runner_up),
        "inert": [
            {
                "knob": knob.knob,
                "between": list(knob.values),
                "effect": _value(ground, knob.effect),
                "interval": [_value(ground, knob.low), _value(ground, knob.high)],
                "confidence": 0.9,
            }
            for knob in answer.inert
        ],
        "has_interactions": answer.has_interactions,
        "second": second,
        "front": [dict(setting) for setting in answer.front],
        "nearest": None
        if answer.nearest is None
        else {
            "setting": dict(answer.nearest.setting),
            "misses": [{"goal": goal, "value": value} for goal, value in answer.nearest.misses.items()],
        },
        "unstable": [dict(setting) for setting in answer.unstable],
        "space": {
            "settings": len(ground.space.settings),
            "knobs": [
                {
                    "name": axis.knob.name,
                    "values": list(dict.fromkeys((*axis.knob.values, axis.knob.base))),
                    "is_ordered": axis.is_ordered,
                }
                for axis in ground.space.axes
            ],
        },
        "stages": [
            {
                "name": name,
                "trials": trials[name],
                "seconds": seconds[name],
                "measured_s": sizes.seconds(name),
            }
            for name in ground.first
            if trials[name]
        ],
        "path": [
            {
                "index": step.index, "block": step.block, "stage": step.stage, "setting": dict(step.setting),
                "value": step.value, "meets": step.meets,
            }
            for step in answer.path
        ],
        "map": drawn_map(tuning, answer.setting),
        "seconds": sum(trial.seconds for trial in tuning.trials),
        "text": sentence(answer),
    }  # fmt: skip


def _rival(ground: Ground, rival: Rival) -> dict[str, Any]:
    """Return a rival in the figure's own direction: recommended over rival, of shares the difference."""
    effect = rival.effect
    row: dict[str, Any] = {
        "setting": dict(rival.setting),
        "effect": None,
        "interval": None,
        "verdict": "undecided" if rival.verdict is None else rival.verdict.word,
        "blocks": 0,
        "p": None,
    }
    if effect is not None:
        low, high = _turned(ground, effect)
        row |= {
            "effect": _value(ground, effect.centre),
            "interval": [low, high],
            "blocks": effect.n,
            "p": effect.p,
        }
    return row


def _turned(ground: Ground, effect: Effect) -> tuple[float, float]:
    ends = [_value(ground, effect.low), _value(ground, effect.high)]
    return min(ends), max(ends)


def _value(ground: Ground, better_by: float) -> float:
    """Return a gain on the tuning's scale as a ratio of the figure, of shares as a difference."""
    objective = ground.objective
    signed = better_by if objective.better == "higher" else -better_by
    return signed if objective.is_share else math.exp(min(signed, 700.0))


def sentence(answer: TuneAnswer) -> str:
    """Return how the tuning ended, in a sentence."""
    match answer.why:
        case "confirmed":
            return f"{answer.reason[:1].upper()}{answer.reason[1:]}."
        case "going on":
            return "The tuning was stopped before its end: nothing is confirmed yet."
        case "nothing works":
            return "The server worked with no setting that was tried."
    nearest = answer.nearest
    if nearest is None or not nearest.misses:
        return "No setting that was tried is sure to meet the goals."
    missed = _listed(list(nearest.misses))
    near = show_setting(nearest.setting)
    return f"No setting that was tried meets the goals; the nearest is {near}, which misses {missed}."


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
