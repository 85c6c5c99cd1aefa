"""The document of a proof, proof.json. Its fields are described in docs/reference/proof.md."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from loadrig.proving.judge import Conclusion
from loadrig.proving.live import LiveProof, Skipped
from loadrig.proving.outcome import UNITS
from loadrig.proving.results import Result

SCHEMA = "loadrig.proof/1"


def to_json(
    *,
    of_trial: int,
    budget_s: float,
    took_s: float,
    ended: str,
    results: Sequence[Result],
    skipped: Sequence[Skipped],
    live: LiveProof | None,
    conclusions: Sequence[Conclusion],
    fix: Mapping[str, Any] | None,
    findings: Sequence[Mapping[str, Any]],
    cleared: Sequence[Mapping[str, Any]],
    diagnosis: Mapping[str, Any],
    failed: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the document of a proof.

    failed: how the server failed while it was loaded for the proof.
    """
    titles = [result.title for result in results]
    return {
        "schema": SCHEMA,
        **({"headline": failed["sentence"], "target_failed": dict(failed)} if failed else {}),
        "of_trial": of_trial,
        "budget_s": budget_s,
        "took_s": round(took_s, 1),
        "ended": ended,
        "sentence": diagnosis.get("sentence", ""),
        "experiments": [_experiment(result, conclusions) for result in results],
        "skipped": [
            {
                "lever": asdict(skip.lever), "title": title_of(skip), "why": skip.why, "mend": skip.mend,
                "code": skip.code,
            }
            for skip in dict.fromkeys(skipped)
        ],
        "bands": [
            {
                "trial": live.number if live else 0, "from_s": round(band.from_s, 3),
                "to_s": round(band.to_s, 3), "title": band.title, "experiment": titles.index(band.title),
            }
            for band in (live.bands if live is not None else ())
            if band.title in titles
        ],
        "fix": fix,
        "findings": list(findings),
        "cleared": list(cleared),
        "diagnosis": dict(diagnosis),
    }  # fmt: skip


def title_of(skip: Skipped) -> str:
    """Return what a skipped lever would have changed, in words."""
    lever = skip.lever
    match lever.change:
        case "cpu":
            return f"CPU of {lever.component}"
        case "cores":
            return "the cores that the busy components share"
        case "delay":
            return f"delay in front of {lever.component}"
        case "knob":
            return f"{lever.what.replace('_', ' ')}, {lever.towards}"
    return lever.what.replace("_", " ") or "the proof"


def _experiment(result: Result, conclusions: Sequence[Conclusion]) -> dict[str, Any]:
    elasticity = None
    if result.elasticity is not None:
        estimate = result.elasticity
        elasticity = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
    return {
        "lever": asdict(result.lever),
        "title": result.title,
        "kind": result.kind,
        "measure": result.measure,
        "unit": UNITS[result.measure],
        "ratio": result.ratio,
        "elasticity": elasticity,
        "gain": result.gain.to_json(),
        "is_at_least": result.is_at_least,
        "standing": result.standing,
        "blocks": result.blocks,
        "unchanged": result.unchanged,
        "changed": result.changed,
        "proves": [list(conclusion.suspect.key) for conclusion in conclusions if result in conclusion.own],
        "refutes": [
            list(conclusion.suspect.key)
            for conclusion in conclusions
            if result in (*conclusion.stayed, *conclusion.survived) and conclusion.is_cleared
        ],
        "says": result.says,
        "cost": result.cost,
        "trial": result.trial,
        "slots": [part.to_json() for part in result.parts],
    }
