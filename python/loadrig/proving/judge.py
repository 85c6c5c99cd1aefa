"""What experiments say of the suspects: proved, cleared with the figure, or left as they were."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from loadrig.base import members
from loadrig.findings.about import about_of, brings_about
from loadrig.findings.proofs import ROOM, why_not
from loadrig.interventions import Lever
from loadrig.proving.results import Result
from loadrig.proving.rivals import Suspect, is_meant, levers_of
from loadrig.proving.signals import goes_on
from loadrig.stats.elasticity import LIMITS

Json = Mapping[str, Any]

PROOF_BANS = 3.0
"""Weight of an experiment whose interval leaves no doubt."""

SHARED_BANS = 1.0
"""Weight of one that shows that the component matters, though not by which cause."""

DOUBT = 1.6
"""Half-widths of the 95 % interval from nothing: one in 600 by chance. Of ten changes of which none helps,
one seems to at 2.5 % in more than a fifth of the proofs."""

ENOUGH_BLOCKS = 3
"""For a change whose answer is not needed any more."""


@dataclass(slots=True)
class Said:
    """What the experiments say of one suspect.

    own: results that prove it; shared: that speak for it with others; stayed: of levers that it needs;
    undecided: of levers whose answer is not sure; is_open: whether an own one is among them. survived:
    results after which what it blames went on though what was wrong was gone.
    """

    suspect: Suspect
    own: list[Result] = field(default_factory=list)
    shared: list[Result] = field(default_factory=list)
    stayed: list[Result] = field(default_factory=list)
    undecided: list[Result] = field(default_factory=list)
    survived: list[Result] = field(default_factory=list)
    is_open: bool = False

    @property
    def is_proved(self) -> bool:
        """Whether a lever of its own moves what is wrong."""
        return bool(self.own)

    @property
    def is_cleared(self) -> bool:
        """Whether a lever that it needs moves nothing, or what it blames goes on, and no own one moves it."""
        return bool(self.stayed or self.survived) and not self.own


def said_of(
    suspect: Suspect, results: Iterable[Result], behind: Sequence[str], untried: Iterable[Lever] = ()
) -> Said:
    """What the results say of a suspect. behind: what the server talks to.

    untried: levers that could have been pulled and were not, as the time was up.
    """
    said = Said(suspect)
    proofs = levers_of(suspect, behind)
    of_change: dict[tuple[str, bool], list[Result]] = {}
    for result in results:
        if result.standing == "limits" and goes_on(result.beside.get(suspect.key, {})):
            said.survived.append(result)
        proof = next((one for lever, one in proofs.items() if is_meant(lever, result.lever)), None)
        if proof is None:
            continue
        if result.standing == "limits":
            is_own = proof.is_own and (suspect.is_standing or proof.is_conviction)
            (said.own if is_own else said.shared).append(result)
        elif result.standing == "cleared":
            if proof.is_needed:
                of_change.setdefault((proof.change, proof.is_own), []).append(result)
        else:
            said.undecided.append(result)
            said.is_open = said.is_open or proof.is_own
    # Any one of several knobs, or ways, would do: it is refuted only where all were tried and none moved it.
    moved = {result.lever.change for result in (*said.own, *said.shared)}
    left = [one.change for one in untried if any(is_meant(lever, one) for lever in proofs)]
    for (change, _), stayed in of_change.items():
        waiting = change in left or any(one.lever.change == change for one in said.undecided)
        if change not in moved and not waiting:
            said.stayed += stayed
    return said


def is_decided(first: Suspect, results: Sequence[Result], behind: Sequence[str]) -> bool:
    """Whether the first suspect is proved, and nothing else that was tried can still be the limit.

    After some blocks also where it can: that is wanted for the report, and no longer for the answer.
    """
    return said_of(first, results, behind).is_proved and all(
        one.blocks >= ENOUGH_BLOCKS or (one.elasticity is not None and one.elasticity.high < LIMITS)
        for one in results
        if one.standing == "unsure" and one.kind == "live"
    )


def updated(
    suspects: Sequence[Suspect],
    findings: Sequence[Json],
    cleared: Sequence[Json],
    diagnosis: Json,
    results: Sequence[Result],
    behind: Sequence[str],
    command: str,
    untried: Sequence[Lever] = (),
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], dict[str, Any]]:
    """Findings, cleared causes and diagnosis with what was proved.

    command: what repeats it. untried: as of said_of.
    A cause whose own lever moves what is wrong is `named`; one whose lever moves nothing is cleared by it.
    """
    said = {one.key: said_of(one, results, behind, untried) for one in suspects}
    source = {"kind": "experiment", "command": command}
    roots: list[dict[str, Any]] = []
    gone: list[dict[str, Any]] = []
    freed: list[dict[str, Any]] = []
    for root in findings:
        told = said.get((root["cause"], root["component"]))
        kept, lost = _symptoms(root, said, source)
        gone += lost
        if told is not None and told.is_cleared:
            gone.append(_cleared(root, told, source))
            freed += kept
            continue
        roots.append({**_with_proof(root, told, source), "symptoms": kept})
    # What a cleared cause explained must explain itself.
    roots += [one for one in freed if (one["cause"], one["component"]) not in _keys(roots)]
    roots = _over_symptoms(_convicted(said.values(), roots, source), roots)
    _name_shared(roots, said)
    roots.sort(key=lambda one: (("named", "likely", "possible").index(one["verdict"]), -one["weight"]))
    named = _keys(roots)
    rest = [one for one in cleared if (one["cause"], one["component"]) not in named]
    every = gone + [_refigured(one, said, source) for one in rest]
    for root in roots:
        root["rivals"] = _rivals(root, roots, every)
    return roots, every, {**diagnosis, "sentence": _sentence(roots, diagnosis), "cleared": every}


def _keys(findings: Iterable[Json]) -> set[tuple[str, str]]:
    return {(part["cause"], part["component"]) for one in findings for part in (one, *one["symptoms"])}


def _symptoms(
    root: Json, said: Mapping[tuple[str, str], Said], source: Json
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Those that stay under their root, and those that an experiment cleared."""
    kept, lost = [], []
    for one in root.get("symptoms", ()):
        told = said.get((one["cause"], one["component"]))
        if told is not None and told.is_cleared:
            lost.append(_cleared(one, told, source))
        else:
            kept.append({"symptoms": [], **one})
    return kept, lost


def _with_proof(root: Json, told: Said | None, source: Json) -> dict[str, Any]:
    found = dict(root)
    if told is None:
        return found
    shown = [(one, PROOF_BANS) for one in told.own] + [(one, SHARED_BANS) for one in told.shared]
    found["evidence"] = [
        *({"text": one.says, "weight": weight, "source": dict(source)} for one, weight in shown),
        *root["evidence"],
    ]
    found["weight"] = round(float(root["weight"]) + sum(weight for _, weight in shown[:1]), 2)
    if told.is_proved:
        found["verdict"] = "named"
        found["decides"] = ""
    return found


def _name_shared(roots: list[dict[str, Any]], said: Mapping[tuple[str, str], Said]) -> None:
    """A cause is named by a lever that it shares where nobody who stands has that lever for his own."""
    for root in roots:
        told = said.get((root["cause"], root["component"]))
        if told is None or told.is_proved or not told.shared or root["verdict"] == "possible":
            continue
        # What would prove it was tried and did not: that others move says no more of it than of them.
        if told.is_open:
            continue
        levers = {one.lever for one in told.shared}
        others = [
            other
            for other in roots
            if other is not root
            and (theirs := said.get((other["cause"], other["component"]))) is not None
            and (theirs.is_proved or levers & {one.lever for one in theirs.shared})
        ]
        if not others:
            root["verdict"], root["decides"] = "named", ""


def _convicted(said: Iterable[Said], roots: Sequence[Json], source: Json) -> list[dict[str, Any]]:
    """Causes that the signs had cleared and their own lever convicts, where nobody who stands explains it.

    Beyond doubt: the signs speak against them, and many are tried. Beside a likely cause of which no
    experiment speaks, such as what the kernel itself has said, a conviction is not more than likely.
    """
    told = list(said)
    is_beside = any(root["verdict"] == "likely" and why_not(root["cause"]) for root in roots)
    proved = {
        result.lever for one in told if one.suspect.key in _keys(roots) for result in (*one.own, *one.shared)
    }
    found = []
    for one in told:
        own = [result for result in one.own if result.lever not in proved and is_beyond_doubt(result)]
        if one.suspect.is_standing or not own:
            continue
        module = members.load(ROOM, one.suspect.cause)
        evidence = [{"text": each.says, "weight": PROOF_BANS, "source": dict(source)} for each in own]
        found.append(
            {
                "cause": one.suspect.cause, "component": one.suspect.component,
                "verdict": "likely" if is_beside else "named",
                "title": module.TITLE, "effect": own[0].says, "evidence": evidence,
                "against": [{"text": one.suspect.finding["why"], "weight": 1.0,
                             "source": one.suspect.finding["source"]}],
                "mend": _fix_of(module.__doc__ or ""), "decides": "", "weight": PROOF_BANS, "detail": "",
                "missing": [], "symptoms": [], "rivals": [], "gain": None, "bound": None,
            }
        )  # fmt: skip
        proved |= {result.lever for result in own}
    return found


def _over_symptoms(
    convicted: Sequence[dict[str, Any]], roots: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The convicted with those under them that they bring about, and the others."""
    rest = list(roots)
    for one in convicted:
        about = about_of(one["cause"])
        under = [
            root
            for root in rest
            if brings_about(
                about, about_of(root["cause"]), is_one_resource=root["component"] == one["component"]
            )
        ]
        one["symptoms"] = [part for root in under for part in ({**root, "symptoms": []}, *root["symptoms"])]
        rest = [root for root in rest if root not in under]
    return [*convicted, *rest]


def is_beyond_doubt(result: Result) -> bool:
    """Whether what moved is no chance among all that was tried: the interval is far from no change at all."""
    low, middle, high = (math.log(end) for end in (result.gain.low, result.gain.value, result.gain.high))
    return abs(middle) >= DOUBT * (high - low) / 2


def _fix_of(page: str) -> str:
    """What a cause's page says under Fix, as one line."""
    return " ".join(page.partition("## Fix")[2].split())


def _cleared(one: Json, told: Said, source: Json) -> dict[str, Any]:
    if told.stayed:
        why = f"moves nothing: {told.stayed[0].says}"
    else:
        why = f"what it blames went on while what is wrong was gone: {told.survived[0].says}"
    return {
        "cause": one["cause"], "component": one["component"], "why": why,
        "weight": -PROOF_BANS, "source": dict(source),
    }  # fmt: skip


def _refigured(one: Json, said: Mapping[tuple[str, str], Said], source: Json) -> dict[str, Any]:
    told = said.get((one["cause"], one["component"]))
    return _cleared(one, told, source) if told is not None and told.is_cleared else dict(one)


MOST_RIVALS = 6


def _rivals(root: Json, roots: Sequence[Json], cleared: Sequence[Json]) -> list[dict[str, Any]]:
    """The others that stand, those that an experiment cleared, and who came nearest."""
    others = [
        {"cause": one["cause"], "component": one["component"], "why": f"it is {one['verdict']} too",
         "weight": one["weight"], "source": one["evidence"][0]["source"]}
        for one in roots
        if one is not root and one["evidence"]
    ]  # fmt: skip
    ranked = sorted(
        (one for one in cleared if one["cause"] != "healthy"),
        key=lambda one: (one["source"]["kind"] != "experiment", -one["weight"]),
    )
    return [*others, *map(dict, ranked)][:MOST_RIVALS]


def _sentence(roots: Sequence[Json], diagnosis: Json) -> str:
    if not roots:
        return (
            "What limits it is not known: experiments moved none of the suspected causes."
            if diagnosis.get("harms")
            else str(diagnosis.get("sentence", ""))
        )
    first = roots[0]
    before = {"named": "", "likely": "Likely: ", "possible": "Possibly: "}[first["verdict"]]
    title = f"{first['title'][:1].upper()}{first['title'][1:]}" if not before else first["title"]
    return f"{before}{title} ({first['component']}): {first['effect']}."
