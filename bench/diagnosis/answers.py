"""Answers to a case, beside its labels; and those of a proof, read from its proof.json.

A proof that found nothing to prove leaves no file: then what watching said is its answer, at no cost.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.diagnosis.baselines import HEALTHY
from bench.diagnosis.injections import ANY, Label

Said = Mapping[str, Any]
"""A finding as in a trial's result."""

OF_NOBODY = frozenset({HEALTHY, "generator_limited"})
"""Causes that accuse no server."""

NAMED = "named"


@dataclass(frozen=True)
class Proved:
    """The answer after a proof. said, place, second_place, is_part_right: as of a Judged.

    ended: as in proof.json, or how the program failed. took_s: of the proof. fix: the mend that was tried, as
    in proof.json. tried: titles of the experiments with how they stand.
    """

    findings: tuple[Said, ...]
    place: int | None
    second_place: int | None
    is_part_right: bool
    ended: str
    took_s: float
    fix: Mapping[str, Any] | None = None
    tried: tuple[str, ...] = ()

    @property
    def is_named(self) -> bool:
        """Whether an experiment moved the right cause, which is the first."""
        return self.place == 1 and self.findings[0]["verdict"] == NAMED

    def to_json(self) -> dict[str, Any]:
        """As a part of a row of the results."""
        return {
            "place": self.place, "second_place": self.second_place, "part": self.is_part_right,
            "is_named": self.is_named, "said": shown(self.findings),
            "accused": [finding["cause"] for finding in accused(self.findings)],
            "suspected": [finding["cause"] for finding in suspected(self.findings)],
            "abstained": is_abstention(self.findings),
            "ended": self.ended, "took_s": self.took_s, "tried": list(self.tried),
            "fix": self.fix and {
                "title": self.fix["title"], "gain": self.fix["gain"]["value"],
                "predicted": self.fix["predicted"], "is_verified": self.fix["is_verified"],
            },
        }  # fmt: skip


def proved(
    run: Path,
    facts: Mapping[str, Any],
    watched: Sequence[Said],
    labels: Sequence[Label],
    second: Label | None,
    names: Mapping[str, str],
) -> Proved | None:
    """Return what the proof of a run said; None where none was asked for.

    run: its folder. facts: of facts.json. watched: what watching said. names: what the map calls each part.
    """
    if "proof" not in facts:
        return None
    path = run / "proof" / "proof.json"
    document: dict[str, Any] = {
        "findings": list(watched), "took_s": 0.0, "fix": None, "experiments": [],
        "ended": "nothing_to_prove",
    }  # fmt: skip
    if path.exists():
        document = json.loads(path.read_text(encoding="utf-8"))
    elif facts["proof"]["code"]:
        errors = str(facts["proof"]["errors"]).strip()
        document |= {"ended": f"failed: {errors[-300:]}", "took_s": facts["proof"]["took_s"]}
    findings = tuple(document["findings"])
    place, is_part_right = placed(findings, labels, names)
    return Proved(
        findings, place, placed(findings, (second,), names)[0] if second else None, is_part_right,
        document["ended"], document["took_s"], document["fix"],
        tuple(f"{experiment['title']}: {experiment['standing']}" for experiment in document["experiments"]),
    )  # fmt: skip


def placed(
    findings: Sequence[Said], labels: Sequence[Label], names: Mapping[str, str]
) -> tuple[int | None, bool]:
    """Place of the first finding with a right cause, from 1, and whether its component is right too.

    names: what the map calls each part.
    """
    for place, finding in enumerate(findings, start=1):
        for label in labels:
            if finding["cause"] == label.cause:
                parts = {names.get(part, part) for part in label.parts}
                return place, ANY in parts or finding["component"] in parts
    return None, False


def accused(findings: Sequence[Said]) -> list[Said]:
    """Findings that accuse the server and are more than possible."""
    return [finding for finding in suspected(findings) if finding["verdict"] != "possible"]


def suspected(findings: Sequence[Said]) -> list[Said]:
    """Findings that accuse the server, however weakly."""
    return [finding for finding in findings if finding["cause"] not in OF_NOBODY]


def is_abstention(findings: Sequence[Said]) -> bool:
    """Return whether no cause is named, nor that it is healthy."""
    return not suspected(findings) and all(finding["cause"] != HEALTHY for finding in findings)


def shown(findings: Sequence[Said]) -> list[dict[str, Any]]:
    """Return the first findings, as a part of a row of the results."""
    return [
        {key: finding[key] for key in ("cause", "component", "verdict", "weight")} for finding in findings[:5]
    ]
