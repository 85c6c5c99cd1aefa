"""Course of a proof, from the choice of experiments to its document, within a budget of time."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

from loadrig.base.component import HOST, SERVER
from loadrig.base.documents import plain
from loadrig.base.errors import Interrupted, Problem, RigError, VoidError
from loadrig.base.setting import show_setting
from loadrig.base.unavailable import Unavailable
from loadrig.interventions import Lever, Scene, Step, Variant
from loadrig.interventions.dependency_delay import Inserted, insert
from loadrig.judgement.facts.read import case_of
from loadrig.judgement.harms import dips
from loadrig.plan.model import Plan
from loadrig.proving import able, judge, rest, rivals, room, shapes, signals
from loadrig.proving.compose import document_of
from loadrig.proving.document import ProofDocument
from loadrig.proving.fix import fix_of
from loadrig.proving.live import OUT_OF_TIME, LiveProof, Skipped
from loadrig.proving.outcome import Measure, measure_of
from loadrig.proving.pairs import SPOILT, Arm, Pairs, Unit
from loadrig.proving.results import Result, scatter_of
from loadrig.recording import run_seal
from loadrig.recording.files import write_json
from loadrig.recording.layout import RunFolder
from loadrig.recording.reader import Recording
from loadrig.trial.interruption import Interruption
from loadrig.trial.result import result_of
from loadrig.trial.runner import run_trial
from loadrig.trial.spec import Silence, TrialSpec, Watcher
from loadrig.trial.target_failed import of_many, target_failed

BUDGET_S = 180.0
"""Default time for a whole proof, in seconds."""

LIVE_SHARE = 0.45
"""Share of the remaining budget for experiments while load runs, where trials of their own are to follow."""

PAIRS_SHARE = 0.7
"""Share of the remaining budget for trials of their own, where experiments under load are to follow."""

LEAST_LIVE_S = 25.0
"""Least time left for experiments while load runs, in seconds: a start, a warm-up and three blocks of two
changes."""

LIVE = ("cpu", "cores", "delay")
"""Kinds of levers that are pulled while load runs."""

MOST_LIVE = 6
"""Greatest number of changes in one run under load: each adds a slot to every block."""

WARM_UP_S = (2.0, 8.0)
"""Least and greatest warm-up of a trial of a proof, in seconds."""
TRIAL_S: Mapping[Measure, float] = {"throughput": 6.0, "latency": 6.0, "dips": 40.0, "growth": 20.0}
"""Measured time of each trial, in seconds, by measure: dips need three of their periods, a leak some
thousand answers."""

GONE = 0.5
"""Share of the diagnosed mean latency. Below it without any change, the harm that was diagnosed is over."""

CYCLES = 3
"""Periods of dips that a trial of dips must last."""
AROUND_S = 4.0
"""Time to stop a server and its watchers and to read the recording, in seconds, until a trial has shown
how long it takes."""

USERS = 64
"""Users of the closed load that keeps a server at its limit, where the plan's rate is beyond that limit."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Order to prove a trial's diagnosis, with what may be spent on it.

    run: the folder of the run. index: the trial whose diagnosis is to be proved. plan: the plan as it was
    run. budget_s: time for the whole proof. pids: processes that the rig has started beside the server (a
    lab's services). command: the command that repeats the proof.
    """

    run: RunFolder
    index: int
    plan: Plan
    budget_s: float = BUDGET_S
    pids: frozenset[int] = field(default_factory=frozenset)
    command: str = ""


def carry_out(wish: Wish, watch: Callable[[TrialSpec], Watcher] | None = None) -> ProofDocument:
    """Prove what a trial's diagnosis left open, and return its document, which is then in RUN/proof.

    watch: gives the watcher of each trial of the proof. What was found before a failure or Ctrl-C is judged
    and written, too. Raises PlanError where the trial does not exist or another process proves the run;
    Interrupted after the document was written; VoidError where the rig itself failed.
    """
    with room.alone(wish.run):
        return _Proof(wish, watch).document()


class _Proof:
    """State of one proof while it is carried out."""

    def __init__(self, wish: Wish, watch: Callable[[TrialSpec], Watcher] | None) -> None:
        self.wish, self._watch = wish, watch or (lambda _: Silence())
        self._began = time.monotonic()
        self._recording = Recording.open(wish.run.trial(wish.index).path)
        result = result_of(self._recording)
        self._is_void = result.validity.verdict == "void"
        self._trial_result = result.to_json()
        self._diagnosis: Mapping[str, Any] = self._trial_result["diagnosis"]
        self._suspects = rivals.suspects(self._trial_result["findings"], self._diagnosis.get("cleared", ()))
        if not any(suspect.is_standing for suspect in self._suspects):
            self._suspects = []
        self._behind = _dependency_addresses(self._trial_result.get("map") or {})
        self._folder = wish.run.proof
        work = wish.plan.workload
        self._measure: Measure = measure_of(
            (harm["harm"] for harm in self._diagnosis.get("harms", ())),
            is_open=not work.arrivals.has_users,
            thinks=shapes.thinks(work.think),
            in_dips=bool(self._suspects) and rivals.shows_in(self._suspects[0]) == "dips",
        )
        self._asked = rivals.seen_in(self._suspects, self._measure)
        self._share = rivals.share_of_budget(self._asked)
        self._number = 1
        self._results: list[Result] = []
        self._skipped: list[Skipped] = []
        self._live: LiveProof | None = None
        self._ended = "sure"
        self._failure: VoidError | None = None

    def document(self) -> ProofDocument:
        """Carry out the proof, write its document and return it."""
        failure: RigError | None = None
        if self._is_void or not self._suspects:
            self._ended = "nothing_to_prove"
        else:
            run_seal.open_again(self.wish.run, f"{self._folder.path.name}/")
            room.make(self.wish.run)
            try:
                self._run_experiments()
            except Interrupted as stop:
                self._ended, failure = "interrupted", stop
            except KeyboardInterrupt:  # between two trials, where no trial handles it
                self._ended, failure = "interrupted", _interrupted()
            except RigError as error:
                self._ended = "failed"
                problem = error.problems[0]
                self._skipped.append(Skipped(Lever("load"), problem.what, problem.mend, problem.code))
                if isinstance(error, VoidError):  # the document itself says that a target failed
                    self._failure = error
        # No other command judges a proof: one that is stopped while it is judged would lose its results.
        with Interruption() as interruption:
            proof = self._judged()
            if self._ended != "nothing_to_prove":
                write_json(self.wish.run.proof_document, plain(proof))
                run_seal.seal(self.wish.run)
        if interruption.happened and failure is None:
            failure = _interrupted()
        failure = failure or self._failure
        if failure is not None:
            raise failure
        return proof

    def _around_s(self) -> float:
        """Return the time to start the server, as the run has shown, and to end a trial, in seconds."""
        return AROUND_S + float(self._recording.manifest.get("target", {}).get("ready_s") or 0.0)

    def _left_s(self) -> float:
        return self._share * self.wish.budget_s - (time.monotonic() - self._began)

    def _run_experiments(self) -> None:
        ranked = [lever for lever, _ in rivals.ranked(self._asked, list(self._behind))]
        plan = self._at_limit(self.wish.plan)
        variants = self._variants(ranked, plan)
        live = [lever for lever in ranked if lever.change in LIVE]
        may_live = self._measure in ("throughput", "latency")
        if may_live and self._begins_live(ranked, variants, plan):
            self._run_live(plan, live, has_more=bool(variants))
            may_live = False
        if variants and not self._is_gone(self._results):
            self._run_pairs(plan, variants, share=PAIRS_SHARE if may_live and live else 1.0)
        # Trials have tried what decides about the first suspect: once it is proved nothing else is changed.
        if may_live and live and self._left_s() > LEAST_LIVE_S and not self._is_proved(()):
            self._run_live(plan, live, has_more=False)

    def _begins_live(self, ranked: Sequence[Lever], variants: Sequence[Variant], plan: Plan) -> bool:
        """Return whether experiments under load come first: not where the plan names a knob."""
        own = rivals.levers_of(self._asked[0], list(self._behind))
        named = able.named(plan, plan.base_setting)
        if any(rivals.is_meant(lever, variant.lever) for variant in named for lever in own):
            return False
        possible = {variant.lever for variant in variants}
        first = next((lever for lever in ranked if lever.change in LIVE or lever in possible), None)
        return first is None or first.change in LIVE

    def _at_limit(self, plan: Plan) -> Plan:
        """Return the plan, with a closed load where its rate is beyond the server's limit.

        Under an open load beyond the limit only answers in time would be counted.
        """
        if self._measure != "throughput" or plan.workload.arrivals.has_users:
            return plan
        return shapes.closed(plan, USERS)

    # --- while load runs -------------------------------------------------------------------------

    def _run_live(self, plan: Plan, levers: Sequence[Lever], *, has_more: bool) -> None:
        most_s = self._left_s() * (LIVE_SHARE if has_more else 0.9) - self._around_s()
        warm_up_s = self._warm_up_s()
        with ExitStack() as stack:
            plan, setting, inserted = self._inserted(plan, levers, stack)
            permission = able.Permission(self.wish.pids, self._allowed())
            started: set[int] = set()
            first = rivals.levers_of(self._asked[0], list(self._behind))

            def is_own(lever: Lever) -> bool:
                return lever in first and first[lever].is_own

            def choose(scene: Scene, response_s: float) -> tuple[list[Step], list[Skipped]]:
                server = scene.component(SERVER)
                if server is not None and server.is_ours and server.pid is not None:
                    started.add(server.pid)
                allowed = replace(permission, pids=permission.pids | started)
                # First what proves the first suspect, then the CPU of all tiers, which every report shows.
                about = [lever for lever in levers if lever in first]
                every = [*filter(is_own, levers), *able.tiers(scene), *about, *levers]
                return able.steps(every, scene, allowed, inserted, response_s, MOST_LIVE)

            live = LiveProof(
                choose, self._measure, warm_up_s=warm_up_s, most_s=most_s - warm_up_s,
                seed=plan.seed, number=self._number, is_decided=self._is_decided,
                comes_first=is_own,
            )  # fmt: skip
            timed = shapes.constant(plan, 0.0, max(most_s, 10.0) + 10.0)
            spec = TrialSpec(timed, setting, plan.seed, self._number, experiment=live)
            self._live = live
            self._number += 1
            rest.wait(min(rest.MOST_S, most_s / 2))
            try:
                run_trial(spec, self._folder.trial(spec.index), self._watch(spec))
            finally:
                self._results += [able.counted(result, inserted, live.ended) for result in live.results]
                self._skipped += live.skipped

    def _is_proved(self, results: Sequence[Result]) -> bool:
        return judge.conclusion_of(self._asked[0], [*self._results, *results], list(self._behind)).is_proved

    def _is_decided(self, results: Sequence[Result]) -> bool:
        return self._is_gone(results) or judge.is_decided(
            self._asked[0], [*self._results, *results], list(self._behind)
        )

    def _is_gone(self, results: Sequence[Result]) -> bool:
        """Return whether the harm is over without a change, so that nothing can prove its cause.

        A server that was not yet warm when it was diagnosed is such a case.
        """
        load = self._trial_result["load"]
        if self._measure != "latency" or not load["achieved_rps"] or not results:
            return False
        # Little's law, by which the slots' latency is computed, too.
        was_s = load["in_flight"] / load["achieved_rps"]
        return all(result.unchanged < GONE * was_s for result in results)

    def _inserted(
        self, plan: Plan, levers: Sequence[Lever], stack: ExitStack
    ) -> tuple[Plan, Mapping[str, Any], dict[str, Inserted]]:
        """Return the plan and setting with a proxy in front of each dependency whose delay is asked about.

        Third: the proxies, by the dependency's name.
        """
        setting: Mapping[str, Any] = plan.base_setting
        inserted: dict[str, Inserted] = {}
        places = {**self._behind, **(plan.prove.through if plan.prove else {})}
        for name in dict.fromkeys(lever.component for lever in levers if lever.change == "delay"):
            host, _, port = places.get(name, "").rpartition(":")
            try:
                if not port.isdecimal():
                    raise Unavailable(
                        f"{name} is spoken to by a Unix socket, which no proxy of ours is put in front of",
                        "let the server use its TCP port", "prove.no-port",
                    )  # fmt: skip
                log = self._folder.path / f"proxy-{name.replace('/', '-')}.log"
                proxied = stack.enter_context(
                    insert(plan, setting, name, host.strip("[]"), int(port), log, plan.trial.cpus)
                )
            except Unavailable as no:
                self._skipped.append(Skipped(Lever("delay", name), no.reason, no.mend, no.code))
                continue
            plan, setting = proxied.plan, proxied.setting
            inserted[name] = proxied
        return plan, setting, inserted

    def _allowed(self) -> frozenset[str]:
        return frozenset(self.wish.plan.prove.allow) if self.wish.plan.prove else frozenset()

    # --- trials of their own ---------------------------------------------------------------------

    def _variants(self, ranked: Sequence[Lever], plan: Plan) -> list[Variant]:
        """Return the variants to be tried in trials of their own, in this order.

        First those for the first suspect, then what else the plan names, then the most telling ones for the
        other suspects.
        """
        nearest: list[Variant] = []
        first = rivals.levers_of(self._asked[0], list(self._behind))
        for lever in ranked:
            if lever.change in LIVE:
                continue
            try:
                every = able.variants(lever, plan, plan.base_setting)
                nearest += able.nearest(every, rivals.subjects(lever, self._asked, list(self._behind)))
            except Unavailable as no:
                # What a plan could declare is of use for the first suspect alone, not for unlikely ones.
                if lever in first:
                    self._skipped.append(Skipped(lever, no.reason, no.mend, no.code))
        unique: dict[str, Variant] = {}
        for variant in (*able.named(plan, plan.base_setting), *nearest):
            unique.setdefault(variant.title, variant)
        own = [
            variant
            for variant in unique.values()
            if any(rivals.is_meant(lever, variant.lever) for lever in first)
        ]
        return [*own, *(variant for variant in unique.values() if variant not in own)]

    def _run_pairs(self, plan: Plan, variants: Sequence[Variant], share: float) -> None:
        unit = Unit(self._warm_up_s(), self._trial_length_s())
        base = shapes.constant(plan, unit.warm_up_s, unit.measure_s)
        arms = [Arm(base, None, plan.base_setting)]
        first = rivals.levers_of(self._asked[0], list(self._behind))
        wanted = {variant.title for variant in able.named(plan, plan.base_setting)}
        hidden = [
            lever for suspect in self._asked if suspect.is_hidden for lever in rivals.levers_of(suspect, ())
        ]
        for variant in variants:
            changed = shapes.constant(variant.plan, unit.warm_up_s, unit.measure_s)
            is_own = any(rivals.is_meant(lever, variant.lever) for lever in first)
            is_wanted = variant.title in wanted or any(
                rivals.is_meant(lever, variant.lever) for lever in hidden
            )
            arms.append(Arm(changed, variant, variant.setting, is_first=is_own, is_wanted=is_wanted))
        keys = [suspect.key for suspect in self._suspects]
        pairs = Pairs(
            arms, self._measure, self._folder, first=self._number, unit=unit,
            ends=time.monotonic() + share * self._left_s(), seed=plan.seed, run_trial=self._trial,
            costs_s=self._around_s(), blamed=signals.blamed(keys, self._measure), is_decided=self._is_proved,
            scatter=scatter_of(self._results, unit.measure_s),
        )  # fmt: skip
        try:
            self._results += pairs.run()
        finally:
            self._skipped += pairs.skipped
            self._failure = pairs.failure
            self._number = pairs.next_number

    def _trial(self, spec: TrialSpec, folder: RunFolder) -> None:
        run_trial(spec, folder.trial(spec.index), self._watch(spec))

    def _warm_up_s(self) -> float:
        asked = self.wish.plan.trial.warm_up.at_least
        if self._measure == "dips":
            return max(float(asked), WARM_UP_S[0])
        return min(max(float(asked), WARM_UP_S[0]), WARM_UP_S[1])

    def _trial_length_s(self) -> float:
        if self._measure == "dips":
            case = case_of(self._recording, (), ())
            case_dips = dips.of(case) if case is not None else None
            if case_dips is not None and case_dips.period_s is not None:
                return CYCLES * case_dips.period_s + 2.0
        return TRIAL_S[self._measure]

    # --- what it came to -------------------------------------------------------------------------

    def _judged(self) -> ProofDocument:
        """Return the document of what was measured until now."""
        behind = list(self._behind)
        untried = [skip.lever for skip in self._skipped if skip.code == OUT_OF_TIME]
        is_gone = self._is_gone(self._results)
        telling = [] if is_gone else self._results
        findings, cleared, diagnosis = judge.updated(
            self._suspects, self._trial_result["findings"], self._diagnosis.get("cleared", ()),
            self._diagnosis,
            telling, behind, self.wish.command, untried,
        )  # fmt: skip
        is_open = bool(untried) or any(result.standing == "unsure" for result in self._results)
        if is_gone and self._ended == "sure":
            self._ended = "gone"
        if self._ended == "sure" and is_open and not (findings and findings[0]["verdict"] == "named"):
            self._ended = "budget" if self._share == 1.0 else "unprovable"
        failed = self._target_failed()
        if failed is not None:
            diagnosis = {**diagnosis, "sentence": failed["sentence"]}
        conclusions = {
            suspect.key: judge.conclusion_of(suspect, telling, behind, untried) for suspect in self._suspects
        }
        fix = None
        if findings and findings[0]["verdict"] == "named":
            first = findings[0]
            conclusion = conclusions.get((first["cause"], first["component"]))
            fix = fix_of(first, conclusion, diagnosis, self._measure, self.wish.command)
        return document_of(
            of_trial=self.wish.index,
            budget_s=self.wish.budget_s,
            took_s=time.monotonic() - self._began,
            ended=self._ended,
            results=self._results,
            skipped=_unique_skips(self._skipped),
            live=self._live,
            conclusions=list(conclusions.values()),
            fix=fix,
            findings=findings,
            cleared=cleared,
            diagnosis=diagnosis,
            failed=failed,
        )

    def _target_failed(self) -> dict[str, Any] | None:
        """Return how the server failed while it was loaded for the proof; None where it never did."""
        trials = self._folder.found_trials() if self._ended != "nothing_to_prove" else []
        failures = []
        for number, folder in enumerate(trials, start=1):
            recording = Recording.open(folder.path)
            if (failed := target_failed(recording)) is not None:
                setting = recording.manifest["setting"]
                failures.append(
                    {**plain(failed), "trial": number, "label": show_setting(setting), "setting": setting}
                )
        summary = of_many(failures, len(trials))
        if summary is None:
            return None
        text = summary["sentence"]
        return {**summary, "sentence": f"While the diagnosis was proved, {text[:1].lower()}{text[1:]}"}


def _interrupted() -> Interrupted:
    return Interrupted(
        Problem(
            what="the proof was stopped by hand",
            why="what was found until then is judged and kept",
            mend="prove it again: loadrig diagnose RUN --prove",
            code="trial.interrupted",
        )
    )


def _unique_skips(skipped: Sequence[Skipped]) -> list[Skipped]:
    """Return each skipped lever once, with its first reason.

    Of levers that were spoilt or out of time each value of a knob is kept.
    """
    unique: dict[tuple[Lever, str], Skipped] = {}
    for skip in skipped:
        unique.setdefault((skip.lever, skip.why if skip.code in (OUT_OF_TIME, SPOILT[1]) else ""), skip)
    return list(unique.values())


def _dependency_addresses(service_map: Mapping[str, Any]) -> dict[str, str]:
    """Return the addresses of what the server talks to, as text, by name."""
    hosts = {
        component["name"] for component in service_map.get("components", ()) if component.get("kind") == HOST
    }
    return {
        edge["to"]: str(edge["address"])
        for edge in service_map.get("edges", ())
        if edge["source"] == SERVER and edge["to"] not in hosts
    }
