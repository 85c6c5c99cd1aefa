"""For each rival of what was proved, the experiment that spoke of it; and what nobody tried, and why."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from loadrig.base import members
from loadrig.findings.proofs import ROOM, levers, proofs_of, why_not
from loadrig.interventions import Lever
from loadrig.report import proof_words
from loadrig.report.model import Tone
from loadrig.report.proof import Accused, Experiment, Json, Proof, Skipped


@dataclass(frozen=True, slots=True)
class Rival:
    """What else it could have been, and what became of that.

    experiment, figure: "" where none was made. so: what follows, in words. skipped: the experiment that would
    have told, if it could not be made.
    """

    title: str
    component: str
    experiment: str
    figure: str
    so: str
    tone: Tone
    skipped: Skipped | None = None


def of(proof: Proof) -> list[Rival]:
    """Every cause that the first finding has as a rival or that an experiment spoke of, but the proved ones.

    Those that an experiment cleared come first, those that nobody tried last.
    """
    named = {_key(one) for one in proof.findings if one.get("verdict") == "named"}
    known = [accused for one in proof.experiments for accused in one.refutes]
    known += [_key(one) for one in _cleared_by_experiment(proof)]
    known += [_key(one) for one in proof.findings]
    known += [_key(rival) for one in proof.findings[:1] for rival in one.get("rivals") or ()]
    rivals = [_rival(one, proof) for one in dict.fromkeys(known) if one not in named and one[0] != "healthy"]
    return sorted(rivals, key=lambda one: (not one.experiment, one.tone != "good"))


def title(cause: str) -> str:
    """A cause in words, as its file says; its name where there is no such file any more."""
    try:
        return str(members.load(ROOM, cause).TITLE)
    except KeyError:
        return cause.replace("_", " ")


def why_untried(one: Skipped) -> str:
    """Why an experiment was not made and what would let it: "no right to set a quota; run it as root"."""
    return f"{one.why}; {one.mend}" if one.mend else one.why


def _rival(accused: Accused, proof: Proof) -> Rival:
    finding = next((one for one in proof.findings if _key(one) == accused), None)
    cleared = next((one for one in _cleared_by_experiment(proof) if _key(one) == accused), None)
    bearing = _bearing(accused, proof, finding)
    one = _nearest(accused, proof.experiments, bearing)
    if one is not None:
        so, tone = _tried(one, accused, cleared, finding, _seen(accused, proof))
        return Rival(title(accused[0]), accused[1], one.title, proof_words.figure(one), so, tone)
    seen = "" if finding is not None else _seen(accused, proof)
    if seen:
        return Rival(title(accused[0]), accused[1], "", "", f"by what was seen: {seen}", "plain")
    skipped = next((each for each in proof.skipped if _is_one_of(each.lever, bearing)), None)
    so = _untried(accused, finding, skipped)
    return Rival(title(accused[0]), accused[1], "", "", so, "warn", skipped)


def _bearing(accused: Accused, proof: Proof, finding: Json | None) -> frozenset[Lever]:
    """The levers that would tell of a cause, as its file says."""
    cause, component = accused
    pulled = [one.lever for one in proof.experiments] + [one.lever for one in proof.skipped]
    behind = [lever.component for lever in pulled if lever.change == "delay"]
    detail = str((finding or {}).get("detail") or "")
    try:
        proofs = proofs_of(cause)
    except KeyError:
        return frozenset()
    return frozenset(lever for each in proofs for lever in levers(each, component, behind, detail))


def _is_one_of(lever: Lever, bearing: frozenset[Lever]) -> bool:
    """Whether a lever is one of them; a knob that went to another value than its own, either way, is."""
    return any(
        replace(lever, towards="other") == replace(one, towards="other")
        and (lever.towards == one.towards or "other" in (lever.towards, one.towards))
        for one in bearing
    )


def _nearest(
    accused: Accused, experiments: Iterable[Experiment], bearing: frozenset[Lever]
) -> Experiment | None:
    """Of all experiments that speak of a cause the one that says most: first what cleared it."""
    order = ("cleared", "limits", "shares", "unsure")
    found = [one for one in experiments if accused in one.refutes or _is_one_of(one.lever, bearing)]
    return min(found, key=lambda one: (accused not in one.refutes, order.index(one.standing)), default=None)


def _tried(
    one: Experiment, accused: Accused, cleared: Json | None, finding: Json | None, seen: str
) -> tuple[str, Tone]:
    if finding is not None:
        said = {"unsure": "unsure", "cleared": "moves nothing, and another of its levers is not sure"}
        return f"{said.get(one.standing, 'moves it')}: it is still {finding['verdict']}", "warn"
    if accused in one.refutes or cleared is not None:
        if one.standing == "cleared" or cleared is None:
            return "moves nothing: cleared", "good"
        return f"cleared: {cleared['why']}", "good"
    # Where the experiment alone does not clear it, what was seen did.
    more = f"; by what was seen: {seen}" if seen else ""
    match one.standing:
        case "cleared":
            return f"moves nothing{more}", "plain"
        case "unsure":
            return f"unsure: too little was measured{more}", "plain" if seen else "warn"
    return f"moves it, as others do too{more}", "plain"


def _untried(accused: Accused, finding: Json | None, skipped: Skipped | None) -> str:
    if skipped is not None:
        return f"not tried: {why_untried(skipped)}"
    decides = _why_not(accused[0]) or str((finding or {}).get("decides") or "")
    return f"not tried{': ' + decides if decides else ''}"


def _seen(accused: Accused, proof: Proof) -> str:
    """Why a cause does not stand, by what was only watched; "" where nothing said so."""
    rivals = (one for first in proof.findings[:1] for one in first.get("rivals") or ())
    return next((str(one["why"]) for one in (*proof.cleared, *rivals) if _key(one) == accused), "")


def _why_not(cause: str) -> str:
    try:
        return why_not(cause)
    except KeyError:
        return ""


def _cleared_by_experiment(proof: Proof) -> list[Json]:
    return [one for one in proof.cleared if (one.get("source") or {}).get("kind") == "experiment"]


def _key(one: Json) -> Accused:
    return str(one["cause"]), str(one["component"])
