"""Roots and symptoms: which finding makes another look true, by what both are about and who calls whom."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from loadrig.judgement.constants import MOSTLY
from loadrig.judgement.declarations import about_of, cause_of
from loadrig.judgement.evidence import Finding
from loadrig.judgement.facts.case import Case
from loadrig.judgement.symptoms import AT_THE_OTHER_END, brings_about


def roots_of(standing: Sequence[Finding], case: Case) -> list[Finding]:
    """Return the findings that no other finding explains, most likely first, each with its symptoms."""
    ranked = sorted(standing, key=lambda finding: _order(finding, case))
    parents: dict[int, int] = {}
    for child, symptom in enumerate(ranked):
        for parent, cause in enumerate(ranked):
            if parent == child or not explains(cause, symptom, case):
                continue
            # Where two findings explain each other the likelier one is the root. A finding that is only
            # possible explains no finding that is likely.
            mutual = explains(symptom, cause, case)
            if (mutual and parent > child) or (cause.verdict == "possible" and symptom.verdict != "possible"):
                continue
            if not _is_below(parent, child, parents):
                parents[child] = parent
                break
    roots = []
    for place, finding in enumerate(ranked):
        if place in parents:
            continue
        below = [ranked[child] for child in sorted(parents) if _is_below(child, place, parents)]
        roots.append(replace(finding, symptoms=tuple(below)))
    return roots


def _order(finding: Finding, case: Case) -> tuple[bool, int, bool, bool, float]:
    # Nothing is as bad as a server that stands still, and all else was measured before that. A harm of now
    # comes before a harm that is hours away. Where the server did not get the load, the reason for that comes
    # first.
    is_later = finding.harms == ("growth",)
    is_of_server = case.has_load or not cause_of(finding.cause).is_of_the_rig
    verdict = ("named", "likely", "possible").index(finding.verdict)
    return "stopped" not in finding.harms, verdict, is_later, is_of_server, -finding.weight


def _is_below(child: int, root: int, parents: Mapping[int, int]) -> bool:
    while child in parents:
        child = parents[child]
        if child == root:
            return True
    return False


def explains(cause: Finding, symptom: Finding, case: Case) -> bool:
    """Return whether one finding makes the other look true, by what both are about and who calls whom."""
    of_cause, of_symptom = about_of(cause.cause), about_of(symptom.cause)
    if _is_smaller(cause, symptom):
        return False
    is_same_component = cause.component == symptom.component
    is_shared = of_symptom.resource == "cpu" and _share_cores(case, cause.component, symptom.component)
    if not brings_about(of_cause, of_symptom, is_one_resource=is_same_component or is_shared):
        return False
    return (
        is_same_component
        or is_shared
        or of_symptom.resource in AT_THE_OTHER_END
        or _waits_for(case, symptom.component, cause.component)
    )


def _is_smaller(cause: Finding, symptom: Finding) -> bool:
    """Return whether a finding explains less than half of what is wrong, and more speaks for the other.

    Who holds a resource, or how little there is of it, explains the use of it by others whatever its share.
    """
    if symptom.verdict == "possible" or cause.bound is None or about_of(cause.cause).is_of_resource:
        return False
    return cause.bound < MOSTLY and cause.weight < symptom.weight


def _share_cores(case: Case, component: str, neighbour: str) -> bool:
    """Return whether two programs may run on the same cores of a machine."""
    first, second = case.tiers.get(component), case.tiers.get(neighbour)
    if first is None or second is None or first.host != second.host or first.is_host or second.is_host:
        return False
    return first.may_run_on(second.cpus)


def _waits_for(case: Case, component: str, callee: str) -> bool:
    """Return whether a component calls a callee, itself or by way of others; a host serves all components."""
    tier = case.tiers.get(callee)
    if tier is None or tier.is_host:
        return True
    reached, nearest = {component}, [component]
    while nearest:
        nearest = [edge.to for edge in case.edges if edge.source in nearest and edge.to not in reached]
        reached.update(nearest)
    return callee in reached


def flat(findings: Sequence[Finding]) -> Iterator[Finding]:
    """Yield findings with all their symptoms."""
    for finding in findings:
        yield finding
        yield from flat(finding.symptoms)
