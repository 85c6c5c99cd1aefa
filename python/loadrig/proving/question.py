"""Question of a proof: the suspects of one diagnosis, and the measure that tells them apart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from loadrig.base.component import HOST, SERVER
from loadrig.base.units import Count
from loadrig.interventions import Lever
from loadrig.judgement.declarations import cause_of
from loadrig.judgement.document import NOTHING_SAID, DiagnosisDocument
from loadrig.judgement.experiments.conclusions import conclusion_of
from loadrig.judgement.experiments.credence import SURE, Credence, Doubt
from loadrig.judgement.experiments.foretold import Forecast, judgement_in
from loadrig.judgement.experiments.outcome import Measure, measure_of
from loadrig.judgement.experiments.results import Result
from loadrig.judgement.experiments.suspects import (
    Suspect,
    at_hand,
    levers_of,
    proof_by,
    shown_by,
    shows_in,
    suspects_in,
)
from loadrig.judgement.facts.read import case_of
from loadrig.judgement.harms import dips
from loadrig.plan.arrivals import Users
from loadrig.plan.model import Plan
from loadrig.plan.requests import Think
from loadrig.recording.reader import Recording
from loadrig.recording.service_map import MapDocument
from loadrig.trial.document import TrialDocument
from loadrig.trial.result import result_of

WARM_UP_S = (2.0, 8.0)
"""Least and greatest warm-up of a trial of a proof, in seconds."""

TRIAL_S: Mapping[Measure, float] = {"throughput": 6.0, "latency": 6.0, "dips": 40.0, "growth": 20.0}
"""Measured time of each trial, in seconds, by measure: dips need three of their periods, a leak some
thousand answers."""

CYCLES = 3
"""Periods of dips that a trial of dips must last."""

AROUND_S = 4.0
"""Time to stop a server and its watchers and to read the recording, in seconds, until a trial has shown
how long it takes."""

GONE = 0.5
"""Share of the diagnosed mean latency. Below it without any change, the harm that was diagnosed is over."""

USERS = 64
"""Users of the closed load that keeps a server at its limit, where the plan's rate is beyond that limit."""


@dataclass(frozen=True, slots=True)
class ProofQuestion:
    """Diagnosis of a trial, and what there is to tell apart.

    result, diagnosis: the trial's. dependencies: addresses of what the server talks to, by name. suspects:
    all of them; credence is of those that the measure can tell apart. Last are causes without a chance of
    their own that knobs of the plan would show.
    """

    plan: Plan
    recording: Recording
    result: TrialDocument
    diagnosis: DiagnosisDocument
    dependencies: Mapping[str, str]
    measure: Measure
    suspects: Sequence[Suspect]
    credence: Credence

    @property
    def behind(self) -> list[str]:
        """Names of what the server talks to."""
        return list(self.dependencies)

    @property
    def warm_up_s(self) -> float:
        """Seconds of load in a trial before it counts."""
        asked = max(float(self.plan.trial.warm_up.at_least), WARM_UP_S[0])
        return asked if self.measure == "dips" else min(asked, WARM_UP_S[1])

    @property
    def measure_s(self) -> float:
        """Seconds of load in a trial that count."""
        case = case_of(self.recording) if self.measure == "dips" else None
        all_dips = dips.of(case) if case is not None else None
        if all_dips is not None and all_dips.period_s is not None:
            return CYCLES * all_dips.period_s + 2.0
        return TRIAL_S[self.measure]

    @property
    def around_s(self) -> float:
        """Time to start the server, as the run has shown, and to end a trial, in seconds."""
        target = self.recording.manifest.target
        return AROUND_S + (target.ready_s or 0.0 if target else 0.0)

    @property
    def plan_at_limit(self) -> Plan:
        """Plan with a closed load where its rate is beyond the server's limit.

        Under an open load beyond the limit only answers in time would be counted. Users who never wait keep
        the server at its limit, and no queue grows.
        """
        if self.measure != "throughput" or self.plan.workload.arrivals.has_users:
            return self.plan
        work = replace(self.plan.workload, arrivals=Users(count=Count(USERS)), think=Think())
        return replace(self.plan, workload=work)

    def bits(self, lever: Lever, ratio: float | None, results: Sequence[Result]) -> float:
        """Return the bits that a lever would tell after some results.

        A suspect that is sure is not proved before its own lever has moved the harm, so that is worth a bit.
        ratio: as of a change; None for the usual step of a lever that is pulled while load runs.
        """
        suspect, chance = self.credence.likeliest(results)
        proof = proof_by(levers_of(suspect, self.behind), lever)
        is_missing = chance >= SURE and proof is not None and proof.is_own
        return 1.0 if is_missing else self.credence.bits(lever, ratio, results)

    def doubt_after(self, results: Sequence[Result]) -> Doubt:
        """Return what is asked of an experiment that is made after some results."""
        earlier = list(results)
        return Doubt(
            lambda changes, later: [
                self.bits(change.lever, change.ratio, [*earlier, *later]) for change in changes
            ],
            lambda later: self.is_decided([*earlier, *later]),
            lambda lever, later: self.is_awaited(lever, [*earlier, *later]),
        )

    def is_awaited(self, lever: Lever, results: Sequence[Result]) -> bool:
        """Return whether a lever decides about the suspect who is likeliest after some results."""
        suspect, _ = self.credence.likeliest(results)
        return proof_by(levers_of(suspect, self.behind), lever) is not None

    def is_decided(self, results: Sequence[Result]) -> bool:
        """Return whether a suspect is sure and proved, or sure and none of its own could prove it."""
        if self.is_gone(results):
            return True
        suspect, chance = self.credence.likeliest(results)
        is_proved = conclusion_of(suspect, results, self.behind).is_proved
        return chance >= SURE and (is_proved or not cause_of(suspect.cause).is_provable)

    def is_settled(self, results: Sequence[Result]) -> bool:
        """Return whether what was asked is decided, or a suspect of any chance is proved."""
        return self.is_decided(results) or any(
            conclusion_of(suspect, results, self.behind).is_proved for suspect in self.suspects
        )

    def is_gone(self, results: Sequence[Result]) -> bool:
        """Return whether the harm is over without a change, so that nothing can prove its cause.

        A server that was not yet warm when it was diagnosed is such a case.
        """
        load = self.result.load
        if self.measure != "latency" or not load.achieved_rps or not results:
            return False
        # Little's law, by which the slots' latency is computed, too.
        was_s = load.in_flight / load.achieved_rps
        return all(result.unchanged < GONE * was_s for result in results)


def question_of(plan: Plan, recording: Recording) -> ProofQuestion:
    """Return what there is to prove of a trial: no suspects where it is void, or nothing is accused."""
    result = result_of(recording)
    document = result.document
    diagnosis = document.diagnosis or NOTHING_SAID
    suspects = suspects_in(document.findings, diagnosis.cleared)
    if result.validity.verdict == "void" or not any(suspect.is_standing for suspect in suspects):
        suspects = []
    work, think = plan.workload, plan.workload.think
    measure = measure_of(
        (harm.harm for harm in diagnosis.harms),
        is_open=not work.arrivals.has_users,
        thinks=bool(think.constant or think.uniform or think.exponential),
        in_dips=bool(suspects) and shows_in(suspects[0]) == "dips",
    )
    dependencies = _addresses(document.map) if document.map else {}
    judgement = judgement_in(recording) if suspects else None
    forecast = Forecast(
        measure, list(dependencies), judgement, diagnosis.ceilings, document.load.achieved_rps
    )
    credence = Credence(shown_by(suspects, measure), forecast.of)
    if suspects:
        suspects += at_hand(suspects, diagnosis.cleared, [knob.name for knob in plan.knobs])
    return ProofQuestion(plan, recording, document, diagnosis, dependencies, measure, suspects, credence)


def _addresses(service_map: MapDocument) -> dict[str, str]:
    """Return the addresses of what the server talks to, as text, by name."""
    hosts = {component.name for component in service_map.components if component.kind == HOST}
    return {
        edge.to: edge.address for edge in service_map.edges if edge.source == SERVER and edge.to not in hosts
    }
