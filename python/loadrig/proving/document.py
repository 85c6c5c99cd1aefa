"""What a proof says, as proof.json. Its fields are told in docs/reference/proof.md."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from loadrig.proving.judge import Said
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
    said: Iterable[Said],
    fix: Mapping[str, Any] | None,
    findings: Sequence[Mapping[str, Any]],
    cleared: Sequence[Mapping[str, Any]],
    diagnosis: Mapping[str, Any],
    failed: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The document. failed: how the server failed while it was loaded for the proof."""
    told = list(said)
    titles = [one.title for one in results]
    return {
        "schema": SCHEMA,
        **({"headline": failed["sentence"], "target_failed": dict(failed)} if failed else {}),
        "of_trial": of_trial,
        "budget_s": budget_s,
        "took_s": round(took_s, 1),
        "ended": ended,
        "sentence": diagnosis.get("sentence", ""),
        "experiments": [_experiment(one, told) for one in results],
        "skipped": [
            {
                "lever": asdict(one.lever), "title": title_of(one), "why": one.why, "mend": one.mend,
                "code": one.code,
            }
            for one in dict.fromkeys(skipped)
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


def title_of(one: Skipped) -> str:
    """What would have been changed, for people."""
    lever = one.lever
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


def _experiment(one: Result, said: Sequence[Said]) -> dict[str, Any]:
    elasticity = None
    if one.elasticity is not None:
        told = one.elasticity
        elasticity = {"value": told.value, "low": told.low, "high": told.high}
    return {
        "lever": asdict(one.lever),
        "title": one.title,
        "kind": one.kind,
        "measure": one.measure,
        "unit": UNITS[one.measure],
        "ratio": one.ratio,
        "elasticity": elasticity,
        "gain": one.gain.to_json(),
        "is_at_least": one.is_at_least,
        "standing": one.standing,
        "blocks": one.blocks,
        "unchanged": one.unchanged,
        "changed": one.changed,
        "proves": [list(each.suspect.key) for each in said if one in each.own],
        "refutes": [
            list(each.suspect.key)
            for each in said
            if one in (*each.stayed, *each.survived) and each.is_cleared
        ],
        "says": one.says,
        "cost": one.cost,
        "trial": one.trial,
        "slots": [part.to_json() for part in one.parts],
    }
