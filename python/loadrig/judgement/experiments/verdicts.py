"""Verdicts by experiments: causes of a diagnosis are named, cleared with the figure, or left as they were.

A claim has two halves: that a resource is the limit, and who holds it. An experiment that widens a resource,
such as more of the CPU, shows that the resource is the limit, whoever holds it. Its holder is shown by an
experiment of its own (the pool switched on, a kind of work left out), or is seen directly, as counters show
the rows that a query reads.
"""

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from loadrig.base import members
from loadrig.judgement.about import about_of, brings_about
from loadrig.judgement.experiments.conclusions import Conclusion
from loadrig.judgement.experiments.results import Result
from loadrig.judgement.experiments.suspects import Accused, Json, key_of
from loadrig.judgement.proofs import ROOM, why_not
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.experiments import JudgementExperimentsVerdictsTexts
from loadrig.language.labels import label

TEXTS = texts_of(JudgementExperimentsVerdictsTexts)

PROOF_BANS = 3.0
"""Weight of an experiment that proves or clears a cause beyond doubt, in bans."""

SHARED_BANS = 1.0
"""Weight of an experiment that shows that a component or a resource matters, and not by which cause."""

DOUBT = 1.6
"""Distance of a gain from no change, in half-widths of its 95 % interval, from which on it is no chance:
one in 600. Of ten changes of which none helps, one seems to at 2.5 % in more than a fifth of the proofs."""

MOST_RIVALS = 6
"""Greatest number of rivals that are listed with a finding."""

Finding = dict[str, Any]


def updated(
    concluded: Sequence[Conclusion], result: Json, command: str, tied: Collection[Accused] = ()
) -> tuple[list[Finding], list[Finding], Finding]:
    """Return findings, cleared causes and diagnosis of a trial's result with what was proved.

    command: the command that repeats the proof. tied: causes and components that the experiments could not
    tell apart.
    A cause whose own lever moves the harm is `named`; one whose lever moves nothing is cleared by that
    result.
    """
    diagnosis, proved = result["diagnosis"], _Proved(concluded, command)
    roots, gone, freed = list[Finding](), list[Finding](), list[Finding]()
    for root in result["findings"]:
        standing = list[Finding]()
        for symptom in root.get("symptoms", ()):
            if proved.is_cleared(symptom):
                gone.append(proved.cleared(symptom))
            else:
                standing.append({"symptoms": [], **symptom})
        if proved.is_cleared(root):
            gone.append(proved.cleared(root))
            freed += standing
        else:
            roots.append({**proved.with_evidence(root), "symptoms": standing})
    # A symptom whose cause was cleared becomes a cause of its own.
    roots += [finding for finding in freed if key_of(finding) not in keys_in(roots)]
    convicted = proved.convicted(roots)
    roots = [*convicted, *_put_under(convicted, roots, _is_brought_about)]
    proved.name_seen_holders(roots)
    roots = _put_under(roots, roots, _is_full_processor_of)
    for root in roots:
        proved.tell_resource(root)
    # What the signs had cleared comes after what they left standing.
    roots.sort(
        key=lambda root: (
            ("named", "likely", "possible").index(root["verdict"]),
            any(root is conviction for conviction in convicted),
        )
    )
    standing_keys = keys_in(roots)
    gone += [
        proved.cleared(entry) if proved.is_cleared(entry) else dict(entry)
        for entry in diagnosis.get("cleared", ())
        if key_of(entry) not in standing_keys
    ]
    for root in roots:
        root["rivals"] = _rivals(root, roots, gone)
    return roots, gone, {**diagnosis, "sentence": _sentence(roots, diagnosis, tied), "cleared": gone}


def keys_in(findings: Iterable[Json]) -> set[Accused]:
    """Return causes and components of some findings and of their symptoms."""
    return {key_of(part) for finding in findings for part in (finding, *finding.get("symptoms", ()))}


def is_seen(cause: str) -> bool:
    """Return whether signs or facts of its own tell who holds a cause's resource, or that is no processor."""
    about = about_of(cause)
    return about.way in ("signs", "fact") or (about.way == "size" and about.resource != "cpu")


def is_beyond_doubt(result: Result) -> bool:
    """Return whether a gain is no chance among all that was tried: its interval is far from no change."""
    low, middle, high = (math.log(end) for end in (result.gain.low, result.gain.value, result.gain.high))
    return abs(middle) >= DOUBT * (high - low) / 2


class _Proved:
    """Conclusions by cause and component, and the findings that follow from them."""

    def __init__(self, concluded: Sequence[Conclusion], command: str) -> None:
        self._by_key = {conclusion.suspect.key: conclusion for conclusion in concluded}
        self._source = {"kind": "experiment", "command": command}

    def is_cleared(self, finding: Json) -> bool:
        """Return whether experiments refute a cause."""
        conclusion = self._by_key.get(key_of(finding))
        return conclusion is not None and conclusion.is_cleared

    def cleared(self, finding: Json) -> Finding:
        """Return a cause that experiments refute as it stands among the cleared ones, with the figure."""
        conclusion = self._by_key[key_of(finding)]
        if conclusion.stayed:
            why = TEXTS.moves_nothing(conclusion.stayed[0].says)
        else:
            why = TEXTS.what_blames_went(conclusion.survived[0].says)
        return {
            "cause": finding["cause"], "component": finding["component"], "why": why,
            "weight": -PROOF_BANS, "source": dict(self._source),
        }  # fmt: skip

    def with_evidence(self, root: Json) -> Finding:
        """Return a finding with the results that speak for it; it is named where one is its own."""
        conclusion = self._by_key.get(key_of(root))
        if conclusion is None:
            return dict(root)
        shown = self._evidence(conclusion.own, PROOF_BANS) + self._evidence(conclusion.shared, SHARED_BANS)
        weight = round(float(root["weight"]) + sum(piece["weight"] for piece in shown[:1]), 2)
        verdict = {"verdict": "named", "decides": ""} if conclusion.is_proved else {}
        return {**root, "evidence": [*shown, *root["evidence"]], "weight": weight, **verdict}

    def convicted(self, roots: Sequence[Json]) -> list[Finding]:
        """Return causes that signs had cleared and their own lever proves, and no standing cause explains.

        The result must be beyond doubt: signs speak against these causes, and many are tried. Where a cause
        is likely that no experiment can decide about, such as what the kernel itself has said, a conviction
        is no more than likely, too.
        """
        is_beside = any(root["verdict"] == "likely" and why_not(root["cause"]) for root in roots)
        standing = keys_in(roots)
        explained = {
            result.lever
            for key, conclusion in self._by_key.items()
            if key in standing
            for result in (*conclusion.own, *conclusion.shared)
        }
        convicted = []
        for (cause, component), conclusion in self._by_key.items():
            own = [
                result
                for result in conclusion.own
                if result.lever not in explained and is_beyond_doubt(result)
            ]
            if conclusion.suspect.is_standing or not own:
                continue
            module, signs = members.load(ROOM, cause), conclusion.suspect.finding
            convicted.append(
                {
                    "cause": cause, "component": component, "verdict": "likely" if is_beside else "named",
                    "title": module.TITLE, "effect": own[0].says, "evidence": self._evidence(own, PROOF_BANS),
                    "against": [{"text": signs["why"], "weight": 1.0, "source": signs["source"]}],
                    "mend": " ".join((module.__doc__ or "").partition("## Fix")[2].split()),
                    "decides": "", "weight": PROOF_BANS, "detail": "", "missing": [], "symptoms": [],
                    "rivals": [], "gain": None, "bound": None,
                }
            )  # fmt: skip
            explained |= {result.lever for result in own}
        return convicted

    def name_seen_holders(self, roots: Sequence[Finding]) -> None:
        """Name causes by a lever that they share, where no other standing cause is moved by that lever.

        A shared lever shows that a resource is the limit. Who holds it has to be seen, as counters show the
        rows that a query reads; who is only held to use it is not named. Where its own lever was tried and
        the answer is not sure, a shared lever does not tell a cause from others.
        """
        standing = [self._by_key.get(key_of(root)) for root in roots]
        for root, conclusion in zip(roots, standing, strict=True):
            if conclusion is None or conclusion.is_proved or conclusion.is_open or not conclusion.shared:
                continue
            levers = {result.lever for result in conclusion.shared}
            is_shared = any(
                rival.is_proved or levers & {result.lever for result in rival.shared}
                for rival in standing
                if rival is not None and rival is not conclusion
            )
            if is_seen(root["cause"]) and root["verdict"] != "possible" and not is_shared:
                root["verdict"], root["decides"] = "named", ""

    def tell_resource(self, root: Finding) -> None:
        """Add to a root that an experiment has shown its resource to be the limit, as a symptom says."""
        for symptom in root["symptoms"]:
            conclusion = self._by_key.get(key_of(symptom))
            if conclusion is None or not conclusion.own or about_of(symptom["cause"]).way != "size":
                continue
            symptom["verdict"], symptom["decides"] = "named", ""
            evidence = self._evidence(conclusion.own[:1], SHARED_BANS)
            root["resource"] = {
                "cause": symptom["cause"], "component": symptom["component"], "verdict": "named",
                "title": symptom["title"], "text": evidence[0]["text"],
            }  # fmt: skip
            root["evidence"] = [*evidence, *root["evidence"]]
            return

    def _evidence(self, results: Iterable[Result], weight: float) -> list[Finding]:
        return [{"text": result.says, "weight": weight, "source": dict(self._source)} for result in results]


def _put_under(
    holders: Sequence[Finding], roots: Sequence[Finding], is_symptom: Callable[[Json, Json], bool]
) -> list[Finding]:
    """Return the roots that are no symptoms of a holder; those that are stand under the first such holder."""
    standing = list(roots)
    for holder in holders:
        under = [root for root in standing if root is not holder and is_symptom(root, holder)]
        flat = [part for root in under for part in ({**root, "symptoms": []}, *root["symptoms"])]
        holder["symptoms"] = [*holder["symptoms"], *flat]
        standing = [root for root in standing if not any(root is part for part in under)]
    return standing


def _is_brought_about(root: Json, conviction: Json) -> bool:
    """Return whether a convicted cause makes a root look true."""
    return brings_about(
        about_of(conviction["cause"]), about_of(root["cause"]),
        is_one_resource=root["component"] == conviction["component"],
    )  # fmt: skip


def _is_full_processor_of(root: Json, holder: Json) -> bool:
    """Return whether a root says only that the processor is full that a likely root says who uses."""
    about, of_holder = about_of(root["cause"]), about_of(holder["cause"])
    return (
        root["component"] == holder["component"]
        and (about.resource, about.way) == ("cpu", "size")
        and (of_holder.way == "use" or (of_holder.resource == "cpu" and of_holder.way != "size"))
        and holder["verdict"] != "possible"
    )


def _rivals(root: Json, roots: Sequence[Json], cleared: Sequence[Json]) -> list[Finding]:
    """Return the rivals of a root: other roots, causes that an experiment cleared, then the nearest ones."""
    others = [
        {"cause": rival["cause"], "component": rival["component"],
         "why": TEXTS.is_too(label(rival["verdict"])),
         "weight": rival["weight"], "source": rival["evidence"][0]["source"]}
        for rival in roots
        if rival is not root and rival["evidence"]
    ]  # fmt: skip
    ranked = sorted(
        (entry for entry in cleared if entry["cause"] != "healthy"),
        key=lambda entry: (entry["source"]["kind"] != "experiment", -entry["weight"]),
    )
    return [*others, *map(dict, ranked)][:MOST_RIVALS]


def _sentence(roots: Sequence[Json], diagnosis: Json, tied: Collection[Accused]) -> str:
    """Return what the first root says, and no more than is proved of it."""
    if not roots:
        return TEXTS.what_limits_not if diagnosis.get("harms") else str(diagnosis.get("sentence", ""))
    first = roots[0]
    text = f"{first['title']} ({first['component']}): {first['effect']}."
    if first["verdict"] == "named":
        return f"{text[:1].upper()}{text[1:]}"
    before = {"likely": TEXTS.likely, "possible": TEXTS.possibly}[first["verdict"]]
    equals = [f"{root['title']} ({root['component']})" for root in roots if key_of(root) in tied]
    if key_of(first) in tied and len(equals) > 1:
        decides = TEXTS.what_would_decide(first["decides"]) if first["decides"] else ""
        before, text = TEXTS.experiments_cannot_tell, f"{'; '.join(equals)}.{decides}"
    if resource := first.get("resource"):
        shown = TEXTS.experiment_shows(resource["title"], resource["component"])
        return f"{shown[:1].upper()}{shown[1:]}. {before}{text}"
    return f"{before}{text}"
