"""Judgement of the suspects by experiments: proved, cleared with the figure, or left as they were."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from loadrig.base import members
from loadrig.interventions import Lever
from loadrig.judgement.about import about_of, brings_about
from loadrig.judgement.proofs import ROOM, why_not
from loadrig.proving.halves import SHARED_BANS, is_seen, tell_resource, under_their_holders
from loadrig.proving.results import Result
from loadrig.proving.rivals import Json, Suspect, is_meant, key_of, levers_of
from loadrig.proving.signals import goes_on

PROOF_BANS = 3.0
"""Weight of an experiment that proves or clears a cause beyond doubt, in bans."""

DOUBT = 1.6
"""Distance of a gain from no change, in half-widths of its 95 % interval, from which on it is no chance:
one in 600. Of ten changes of which none helps, one seems to at 2.5 % in more than a fifth of the proofs."""


@dataclass(slots=True)
class Conclusion:
    """Answer of the experiments about one suspect.

    own: results that prove the suspect. shared: results that speak for it and for others, too. stayed:
    results that moved nothing though the suspect needs them to. undecided: results that are not sure yet.
    survived: results after which the events blamed on the suspect went on though the harm was gone. is_open:
    whether a lever of the suspect's own is among the undecided.
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
        """Return whether a lever of the suspect's own moves the harm."""
        return bool(self.own)

    @property
    def is_cleared(self) -> bool:
        """Return whether the suspect is refuted.

        That is so where a lever that it needs moves nothing, or what it blames goes on without the harm, and
        none of its own levers moves the harm.
        """
        return bool(self.stayed or self.survived) and not self.own


def conclusion_of(
    suspect: Suspect, results: Iterable[Result], behind: Sequence[str], untried: Iterable[Lever] = ()
) -> Conclusion:
    """Return what the results say of a suspect.

    behind: names of what the server talks to. untried: levers that could have been pulled and were not, as
    the time was up.
    """
    conclusion = Conclusion(suspect)
    proofs = levers_of(suspect, behind)
    of_change: dict[tuple[str, bool], list[Result]] = {}
    for result in results:
        if result.standing == "limits" and goes_on(result.beside.get(suspect.key, {})):
            conclusion.survived.append(result)
        proof = next((proof for lever, proof in proofs.items() if is_meant(lever, result.lever)), None)
        if proof is None:
            continue
        if result.standing == "limits":
            is_own = proof.is_own and (suspect.is_standing or proof.is_conviction)
            (conclusion.own if is_own else conclusion.shared).append(result)
        elif result.standing == "cleared":
            if proof.is_needed:
                of_change.setdefault((proof.change, proof.is_own), []).append(result)
        else:
            conclusion.undecided.append(result)
            conclusion.is_open = conclusion.is_open or proof.is_own
    # Any of several knobs or ways may be the limit: a suspect is refuted only where all were tried in vain.
    moved = {result.lever.change for result in (*conclusion.own, *conclusion.shared)}
    untried_changes = [
        unpulled.change for unpulled in untried if any(is_meant(lever, unpulled) for lever in proofs)
    ]
    for (change, _), stayed in of_change.items():
        waiting = change in untried_changes or any(
            result.lever.change == change for result in conclusion.undecided
        )
        if change not in moved and not waiting:
            conclusion.stayed += stayed
    return conclusion


def updated(
    concluded: Sequence[Conclusion], result: Json, command: str, tied: Collection[tuple[str, str]] = ()
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], dict[str, Any]]:
    """Return findings, cleared causes and diagnosis of a trial's result with what was proved.

    command: the command that repeats the proof. tied: causes and components that the experiments could not
    tell apart.
    A cause whose own lever moves the harm is `named`; one whose lever moves nothing is cleared by that
    result.
    """
    diagnosis = result["diagnosis"]
    conclusions = {conclusion.suspect.key: conclusion for conclusion in concluded}
    source = {"kind": "experiment", "command": command}
    roots: list[dict[str, Any]] = []
    gone: list[dict[str, Any]] = []
    freed: list[dict[str, Any]] = []
    for root in result["findings"]:
        conclusion = conclusions.get(key_of(root))
        kept, lost = _symptoms(root, conclusions, source)
        gone += lost
        if conclusion is not None and conclusion.is_cleared:
            gone.append(_cleared(root, conclusion, source))
            freed += kept
            continue
        roots.append({**_with_proof(root, conclusion, source), "symptoms": kept})
    # A symptom whose cause was cleared becomes a cause of its own.
    roots += [finding for finding in freed if key_of(finding) not in _keys(roots)]
    convicted = _convicted(conclusions.values(), roots, source)
    roots = _over_symptoms(convicted, roots)
    _name_shared(roots, conclusions)
    roots = under_their_holders(roots)
    shown = {key: conclusion.own[0].says for key, conclusion in conclusions.items() if conclusion.own}
    for root in roots:
        tell_resource(root, shown, source)
    # What the signs had cleared comes after what they left standing.
    roots.sort(
        key=lambda root: (
            ("named", "likely", "possible").index(root["verdict"]),
            any(root is conviction for conviction in convicted),
        )
    )
    named = _keys(roots)
    rest = [entry for entry in diagnosis.get("cleared", ()) if key_of(entry) not in named]
    every = gone + [_with_figure(entry, conclusions, source) for entry in rest]
    for root in roots:
        root["rivals"] = _rivals(root, roots, every)
    return roots, every, {**diagnosis, "sentence": _sentence(roots, diagnosis, tied), "cleared": every}


def _keys(findings: Iterable[Json]) -> set[tuple[str, str]]:
    return {key_of(part) for finding in findings for part in (finding, *finding["symptoms"])}


def _symptoms(
    root: Json, conclusions: Mapping[tuple[str, str], Conclusion], source: Json
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the symptoms that stay under their root, and those that an experiment cleared."""
    kept, lost = [], []
    for symptom in root.get("symptoms", ()):
        conclusion = conclusions.get(key_of(symptom))
        if conclusion is not None and conclusion.is_cleared:
            lost.append(_cleared(symptom, conclusion, source))
        else:
            kept.append({"symptoms": [], **symptom})
    return kept, lost


def _with_proof(root: Json, conclusion: Conclusion | None, source: Json) -> dict[str, Any]:
    finding = dict(root)
    if conclusion is None:
        return finding
    shown = [(result, PROOF_BANS) for result in conclusion.own] + [
        (result, SHARED_BANS) for result in conclusion.shared
    ]
    finding["evidence"] = [
        *({"text": result.says, "weight": weight, "source": dict(source)} for result, weight in shown),
        *root["evidence"],
    ]
    finding["weight"] = round(float(root["weight"]) + sum(weight for _, weight in shown[:1]), 2)
    if conclusion.is_proved:
        finding["verdict"] = "named"
        finding["decides"] = ""
    return finding


def _name_shared(roots: list[dict[str, Any]], conclusions: Mapping[tuple[str, str], Conclusion]) -> None:
    """Name causes by a lever that they share, where no other standing cause is moved by that lever.

    A shared lever shows that a resource is the limit. Who holds it has to be seen, as counters show the rows
    that a query reads; who is only held to use it is not named.
    """
    for root in roots:
        if not is_seen(root["cause"]):
            continue
        conclusion = conclusions.get(key_of(root))
        if (
            conclusion is None
            or conclusion.is_proved
            or not conclusion.shared
            or root["verdict"] == "possible"
        ):
            continue
        # Its own lever was tried and its answer is not sure: a shared lever does not tell it from others.
        if conclusion.is_open:
            continue
        levers = {result.lever for result in conclusion.shared}
        others = [
            rival
            for rival in roots
            if rival is not root
            and (theirs := conclusions.get(key_of(rival))) is not None
            and (theirs.is_proved or levers & {result.lever for result in theirs.shared})
        ]
        if not others:
            root["verdict"], root["decides"] = "named", ""


def _convicted(
    conclusions: Iterable[Conclusion], roots: Sequence[Json], source: Json
) -> list[dict[str, Any]]:
    """Return causes that signs had cleared and their own lever proves, where no standing cause explains it.

    The result must be beyond doubt: signs speak against these causes, and many are tried. Where a cause is
    likely that no experiment can decide about, such as what the kernel itself has said, a conviction is no
    more than likely, too.
    """
    weighed = list(conclusions)
    is_beside = any(root["verdict"] == "likely" and why_not(root["cause"]) for root in roots)
    proved = {
        result.lever
        for conclusion in weighed
        if conclusion.suspect.key in _keys(roots)
        for result in (*conclusion.own, *conclusion.shared)
    }
    convicted = []
    for conclusion in weighed:
        own = [result for result in conclusion.own if result.lever not in proved and is_beyond_doubt(result)]
        if conclusion.suspect.is_standing or not own:
            continue
        module = members.load(ROOM, conclusion.suspect.cause)
        evidence = [{"text": result.says, "weight": PROOF_BANS, "source": dict(source)} for result in own]
        convicted.append(
            {
                "cause": conclusion.suspect.cause, "component": conclusion.suspect.component,
                "verdict": "likely" if is_beside else "named",
                "title": module.TITLE, "effect": own[0].says, "evidence": evidence,
                "against": [{"text": conclusion.suspect.finding["why"], "weight": 1.0,
                             "source": conclusion.suspect.finding["source"]}],
                "mend": _fix_of(module.__doc__ or ""), "decides": "", "weight": PROOF_BANS, "detail": "",
                "missing": [], "symptoms": [], "rivals": [], "gain": None, "bound": None,
            }
        )  # fmt: skip
        proved |= {result.lever for result in own}
    return convicted


def _over_symptoms(
    convicted: Sequence[dict[str, Any]], roots: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the convicted causes, each with the roots that it brings about as symptoms, then other roots."""
    rest = list(roots)
    for conviction in convicted:
        about = about_of(conviction["cause"])
        under = [
            root
            for root in rest
            if brings_about(
                about, about_of(root["cause"]), is_one_resource=root["component"] == conviction["component"]
            )
        ]
        conviction["symptoms"] = [
            part for root in under for part in ({**root, "symptoms": []}, *root["symptoms"])
        ]
        rest = [root for root in rest if root not in under]
    return [*convicted, *rest]


def is_beyond_doubt(result: Result) -> bool:
    """Return whether a gain is no chance among all that was tried: its interval is far from no change."""
    low, middle, high = (math.log(end) for end in (result.gain.low, result.gain.value, result.gain.high))
    return abs(middle) >= DOUBT * (high - low) / 2


def _fix_of(page: str) -> str:
    """Return what a cause's page says under Fix, as one line."""
    return " ".join(page.partition("## Fix")[2].split())


def _cleared(finding: Json, conclusion: Conclusion, source: Json) -> dict[str, Any]:
    if conclusion.stayed:
        why = f"moves nothing: {conclusion.stayed[0].says}"
    else:
        why = f"what it blames went on while what is wrong was gone: {conclusion.survived[0].says}"
    return {
        "cause": finding["cause"], "component": finding["component"], "why": why,
        "weight": -PROOF_BANS, "source": dict(source),
    }  # fmt: skip


def _with_figure(
    finding: Json, conclusions: Mapping[tuple[str, str], Conclusion], source: Json
) -> dict[str, Any]:
    conclusion = conclusions.get(key_of(finding))
    return (
        _cleared(finding, conclusion, source)
        if conclusion is not None and conclusion.is_cleared
        else dict(finding)
    )


MOST_RIVALS = 6
"""Greatest number of rivals that are listed with a finding."""


def _rivals(root: Json, roots: Sequence[Json], cleared: Sequence[Json]) -> list[dict[str, Any]]:
    """Return the rivals of a root: other roots, causes that an experiment cleared, then the nearest ones."""
    others = [
        {"cause": rival["cause"], "component": rival["component"], "why": f"it is {rival['verdict']} too",
         "weight": rival["weight"], "source": rival["evidence"][0]["source"]}
        for rival in roots
        if rival is not root and rival["evidence"]
    ]  # fmt: skip
    ranked = sorted(
        (entry for entry in cleared if entry["cause"] != "healthy"),
        key=lambda entry: (entry["source"]["kind"] != "experiment", -entry["weight"]),
    )
    return [*others, *map(dict, ranked)][:MOST_RIVALS]


def _sentence(roots: Sequence[Json], diagnosis: Json, tied: Collection[tuple[str, str]]) -> str:
    if not roots:
        return (
            "What limits it is not known: experiments moved none of the suspected causes."
            if diagnosis.get("harms")
            else str(diagnosis.get("sentence", ""))
        )
    first = roots[0]
    before = {"named": "", "likely": "Likely: ", "possible": "Possibly: "}[first["verdict"]]
    text = f"{first['title']} ({first['component']}): {first['effect']}."
    equals = [f"{root['title']} ({root['component']})" for root in roots if key_of(root) in tied]
    if before and key_of(first) in tied and len(equals) > 1:
        decides = f" What would decide: {first['decides']}" if first["decides"] else ""
        before, text = "The experiments cannot tell these causes apart: ", f"{'; '.join(equals)}.{decides}"
    if before and (resource := first.get("resource")):
        shown = f"{resource['title']} ({resource['component']}), as an experiment shows"
        return f"{shown[:1].upper()}{shown[1:]}. {before}{text}"
    return f"{before}{text}" if before else f"{text[:1].upper()}{text[1:]}"
