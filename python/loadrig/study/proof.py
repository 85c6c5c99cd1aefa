"""What a study's own settings prove: a cause of the base that another setting took away, with the gain.

A trial alone never names a cause. A study changes a knob in blocks and measures what moves: where the
throughput became better and a cause that limited the base no longer stands, that setting was the
experiment. Where a setting changed nothing, that is said of the cause too.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from loadrig.base.setting import show_setting
from loadrig.base.units import show_number, show_share
from loadrig.study.document import SettingDocument, SettingsCompared, StudyDocument

Json = Mapping[str, Any]
Accused = tuple[str, str]

PROOF_BANS = 3.0
"""Weight of an experiment, in bans: a verdict at 95 % after correction for many, and the signs gone with
it."""


def findings(
    study: StudyDocument, trials: Mapping[int, Sequence[Json]], command: str
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return findings and diagnosis of a whole study, as in its result.

    study: its result so far (settings, comparisons). trials: results of the trials that are not void, by
    the setting's id. command: what repeats the experiment.
    The base's findings are those that stand in most of its trials.
    """
    base_trials = trials.get(study.base.id, ()) if study.base else ()
    if not base_trials:
        return [], {}
    standing = _most(base_trials)
    typical = max(
        base_trials,
        key=lambda trial: sum(_key(finding) in standing for finding in trial.get("findings") or ()),
    )
    kept = [dict(finding) for finding in typical.get("findings") or () if _key(finding) in standing]
    tried = [
        (setting, comparison)
        for comparison in study.comparisons
        if comparison.kind == "with_base" and comparison.effect is not None
        for setting in study.settings
        if setting.id == comparison.between[1] and trials.get(setting.id)
    ]
    for finding in kept:
        _prove(finding, tried, trials, command)
    kept.sort(key=lambda finding: (finding["verdict"] != "named", -finding["weight"]))
    diagnosis = dict(typical.get("diagnosis") or {})
    if kept and kept[0]["verdict"] == "named":
        first = kept[0]
        diagnosis["sentence"] = (
            f"{first['title'][:1].upper()}{first['title'][1:]} ({first['component']}): {first['effect']}."
        )
    return kept, diagnosis


def _most(trials: Sequence[Json]) -> set[Accused]:
    """Return what is accused, as a root, in more than half of the trials."""
    counts = Counter(_key(finding) for trial in trials for finding in trial.get("findings") or ())
    return {key for key, count in counts.items() if 2 * count > len(trials)}


def _key(finding: Json) -> Accused:
    return str(finding["cause"]), str(finding["component"])


def _anywhere(trials: Iterable[Json]) -> list[set[Accused]]:
    """Return what stands in each trial, symptoms too."""
    return [
        {
            _key(part)
            for finding in trial.get("findings") or ()
            for part in (finding, *finding.get("symptoms", ()))
        }
        for trial in trials
    ]


def _prove(
    finding: dict[str, Any],
    tried: Iterable[tuple[SettingDocument, SettingsCompared]],
    trials: Mapping[int, Sequence[Json]],
    command: str,
) -> None:
    """Add to a finding what each other setting did to it."""
    if finding["cause"] in ("healthy", "generator_limited"):
        return
    evidence, against = list(finding["evidence"]), list(finding["against"])
    for setting, comparison in tried:
        here = _anywhere(trials[setting.id])
        still = sum(_key(finding) in seen for seen in here)
        source = {"kind": "experiment", "command": command}
        outcome = f"with {show_setting(setting.setting)} {_change(comparison)}"
        if comparison.verdict == "better" and 2 * still < len(here):
            finding["verdict"] = "named"
            evidence.insert(
                0, {"text": f"{outcome}, and its signs were gone", "weight": PROOF_BANS, "source": source}
            )
            finding["weight"] = round(finding["weight"] + PROOF_BANS, 2)
        elif comparison.verdict == "better":
            against.append({"text": f"{outcome}, though its signs stayed", "weight": 0.5, "source": source})
    finding["evidence"], finding["against"] = evidence, against


def _change(comparison: SettingsCompared) -> str:
    assert comparison.effect is not None  # only comparisons with an effect were tried
    assert comparison.interval is not None
    measure, effect = comparison.measure.replace("_", " "), comparison.effect
    low, high = comparison.interval
    if comparison.scale == "ratio":
        return f"{measure} changed by {effect - 1:+.0%} (95 % {low - 1:+.0%} to {high - 1:+.0%})"
    return f"{measure} changed by {show_share(effect)} ({show_number(low)} to {show_number(high)})"
