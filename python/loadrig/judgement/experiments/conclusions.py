"""Conclusions about suspects: which results prove a suspect, speak for others too, or clear it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from loadrig.interventions import Lever
from loadrig.judgement.experiments.results import Result
from loadrig.judgement.experiments.signals import goes_on
from loadrig.judgement.experiments.suspects import Suspect, is_meant, is_shown_by, levers_of, proof_by


@dataclass(frozen=True, slots=True)
class Conclusion:
    """Answer of the experiments about one suspect.

    own: results that prove the suspect. shared: results that speak for it and for others, too. stayed:
    results that moved nothing though the suspect needs them to. survived: results after which the events
    blamed on the suspect went on though the harm was gone. is_open: whether a lever of the suspect's own was
    pulled and its answer is not sure.
    """

    suspect: Suspect
    own: Sequence[Result] = ()
    shared: Sequence[Result] = ()
    stayed: Sequence[Result] = ()
    survived: Sequence[Result] = ()
    is_open: bool = False

    @property
    def is_proved(self) -> bool:
        """Whether a lever of the suspect's own moves the harm."""
        return bool(self.own)

    @property
    def is_cleared(self) -> bool:
        """Whether the suspect is refuted.

        That is so where a lever that it needs moves nothing, or what it blames goes on without the harm, and
        none of its own levers moves the harm.
        """
        return bool(self.stayed or self.survived) and not self.own


def conclusion_of(
    suspect: Suspect, results: Sequence[Result], behind: Sequence[str], untried: Iterable[Lever] = ()
) -> Conclusion:
    """Return what the results say of a suspect.

    behind: names of what the server talks to. untried: levers that could have been pulled and were not, as
    the time was up.
    """
    levers = levers_of(suspect, behind)
    meant = [
        (result, proof)
        for result in results
        if (proof := proof_by(levers, result.lever)) is not None and is_shown_by(suspect, result.measure)
    ]
    own, shared, unmoved = list[Result](), list[Result](), list[Result]()
    is_open = False
    # Any of several knobs or ways may be the limit: a suspect is refuted only where all were tried in vain.
    not_in_vain = {lever.change for lever in untried if any(is_meant(asked, lever) for asked in levers)}
    for result, proof in meant:
        if result.standing == "limits":
            is_own = proof.is_own and (suspect.is_standing or proof.is_conviction)
            (own if is_own else shared).append(result)
        elif result.standing != "cleared":
            is_open = is_open or proof.is_own
        elif proof.must_move(result.measure):
            unmoved.append(result)
        if result.standing != "cleared":
            not_in_vain.add(result.lever.change)
    return Conclusion(
        suspect, own, shared,
        stayed=[result for result in unmoved if result.lever.change not in not_in_vain],
        survived=[
            result
            for result in results
            if result.standing == "limits" and goes_on(result.beside.get(suspect.key, {}))
        ],
        is_open=is_open,
    )  # fmt: skip
