"""A proof from its choice of experiments to what it says, within a budget of time."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

from loadrig.base.component import HOST, SERVER
from loadrig.base.errors import Interrupted, Problem, RigError, VoidError
from loadrig.base.setting import show_setting
from loadrig.base.unavailable import Unavailable
from loadrig.findings import dips
from loadrig.findings.read import case_of
from loadrig.interventions import Lever, Scene, Step, Variant
from loadrig.interventions.dependency_delay import Inserted, insert
from loadrig.plan.model import Plan, Users
from loadrig.proving import able, document, judge, rest, rivals, room, shapes, signals
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

LIVE_SHARE = 0.45
"""Of the budget, for what can be changed while load runs, where trials are to follow."""

PAIRS_SHARE = 0.7
"""Of the budget, for trials of their own, where something is to be changed under load after them."""

LEAST_LIVE_S = 25.0
"""A start, a warm-up and three blocks of two changes."""

LIVE = ("cpu", "cores", "delay")
"""Levers that are pulled while load runs."""

MOST_LIVE = 6
"""Changes in one run: each adds a slot to every block."""

WARM_UP_S = (2.0, 8.0)
TRIAL_S: Mapping[Measure, float] = {"throughput": 6.0, "latency": 6.0, "dips": 40.0, "growth": 20.0}
"""Measured in each trial: dips need three of their periods, a leak some thousand answers."""

GONE = 0.5
"""Of the mean latency that was diagnosed: where there is less without any change, what was wrong is over."""

CYCLES = 3
AROUND_S = 4.0
"""Stopping a server and its watchers, and reading what was recorded, as long as no trial has told."""

USERS = 64
"""Of the closed load by which a server is kept at its limit where the plan's rate is beyond it."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be proved. run: the folder; index: the trial whose diagnosis it is; plan: as it was run.

    pids: processes that the rig has started beside the server (a lab's services). command: what repeats it.
    """

    run: RunFolder
    index: int
    plan: Plan
    budget_s: float = BUDGET_S
    pids: frozenset[int] = field(default_factory=frozenset)
    command: str = ""


def carry_out(wish: Wish, watch: Callable[[TrialSpec], Watcher] | None = None) -> dict[str, Any]:
    """Prove what a trial's diagnosis left open; returns proof.json, which is in RUN/proof then.

    watch: who watches a given trial of the proof. What was found before a failure or Ctrl-C is judged and
    written too. Raises PlanError where the trial is not there or another process proves the run; Interrupted
    after it was written, and VoidError where the rig itself failed.
    """
    with room.alone(wish.run):
        return _Proof(wish, watch).document()


class _Proof:
    """One proof as it goes on."""

    def __init__(self, wish: Wish, watch: Callable[[TrialSpec], Watcher] | None) -> None:
        self.wish, self._watch = wish, watch or (lambda _: Silence())
        self._began = time.monotonic()
        self._recording = Recording.open(wish.run.trial(wish.index).path)
        self._of = result_of(self._recording).document
        self._diagnosis: Mapping[str, Any] = self._of["diagnosis"]
        self._suspects = rivals.suspects(self._of["findings"], self._diagnosis.get("cleared", ()))
        if not any(one.is_standing for one in self._suspects):
            self._suspects = []
        self._behind = _behind(self._of.get("map") or {})
        self._folder = wish.run.proof
        work = wish.plan.workload
        self._measure: Measure = measure_of(
            (one["harm"] for one in self._diagnosis.get("harms", ())),
            is_open=not isinstance(work.arrivals, Users),
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

    def document(self) -> dict[str, Any]:
        """Carry it out, and write what it came to."""
        failure: RigError | None = None
        if self._of["validity"]["verdict"] == "void" or not self._suspects:
            self._ended = "nothing_to_prove"
        else:
            run_seal.open_again(self.wish.run, f"{self._folder.path.name}/")
            room.make(self.wish.run)
            try:
                self._make()
            except Interrupted as stop:
                self._ended, failure = "interrupted", stop
            except KeyboardInterrupt:  # between two trials, where nothing else takes it
                self._ended, failure = "interrupted", _interrupted()
            except RigError as error:
                self._ended = "failed"
                problem = error.problems[0]
                self._skipped.append(Skipped(Lever("load"), problem.what, problem.mend, problem.code))
                if isinstance(error, VoidError):  # of a target that failed the document says so itself
                    self._failure = error
        # No other command judges a proof: who is stopped in the midst of it would lose what was found.
        with Interruption() as interruption:
            said = self._said()
            if self._ended != "nothing_to_prove":
                write_json(self.wish.run.proof_document, said)
                run_seal.seal(self.wish.run)
        if interruption.happened and failure is None:
            failure = _interrupted()
        failure = failure or self._failure
        if failure is not None:
            raise failure
        return said

    def _around_s(self) -> float:
        """What a trial takes beside its load: to start the server, as the run has shown, and to end it."""
        return AROUND_S + float(self._recording.manifest.get("target", {}).get("ready_s") or 0.0)

    def _left_s(self) -> float:
        return self._share * self.wish.budget_s - (time.monotonic() - self._began)

    def _make(self) -> None:
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
        # What speaks of the first suspect was tried: where that was enough no more is changed.
        if may_live and live and self._left_s() > LEAST_LIVE_S and not self._is_proved(()):
            self._run_live(plan, live, has_more=False)

    def _begins_live(self, ranked: Sequence[Lever], variants: Sequence[Variant], plan: Plan) -> bool:
        """Whether what tells most is changed while load runs. A knob that the plan names comes first."""
        own = rivals.levers_of(self._asked[0], list(self._behind))
        named = able.named(plan, plan.base_setting)
        if any(rivals.is_meant(lever, one.lever) for one in named for lever in own):
            return False
        possible = {one.lever for one in variants}
        first = next((one for one in ranked if one.change in LIVE or one in possible), None)
        return first is None or first.change in LIVE

    def _at_limit(self, plan: Plan) -> Plan:
        """The plan, closed where its rate is beyond the limit: only answers in time would be counted else."""
        if self._measure != "throughput" or isinstance(plan.workload.arrivals, Users):
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
                # What proves the first suspect, then the CPU of all tiers, as everybody asks for that.
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
                self._results += [able.counted(one, inserted, live.ended) for one in live.results]
                self._skipped += live.skipped

    def _is_proved(self, results: Sequence[Result]) -> bool:
        return judge.said_of(self._asked[0], [*self._results, *results], list(self._behind)).is_proved

    def _is_decided(self, results: Sequence[Result]) -> bool:
        return self._is_gone(results) or judge.is_decided(
            self._asked[0], [*self._results, *results], list(self._behind)
        )

    def _is_gone(self, results: Sequence[Result]) -> bool:
        """Whether what was wrong is over, as of a server that was not yet warm: then nothing tells of it."""
        load = self._of["load"]
        if self._measure != "latency" or not load["achieved_rps"] or not results:
            return False
        # Little's law, as the slots have it.
        was_s = load["in_flight"] / load["achieved_rps"]
        return all(one.unchanged < GONE * was_s for one in results)

    def _inserted(
        self, plan: Plan, levers: Sequence[Lever], stack: ExitStack
    ) -> tuple[Plan, Mapping[str, Any], dict[str, Inserted]]:
        """The plan with a proxy in front of each dependency whose delay is asked about."""
        setting: Mapping[str, Any] = plan.base_setting
        found: dict[str, Inserted] = {}
        places = {**self._behind, **(plan.prove.through if plan.prove else {})}
        for name in dict.fromkeys(one.component for one in levers if one.change == "delay"):
            host, _, port = places.get(name, "").rpartition(":")
            try:
                if not port.isdecimal():
                    raise Unavailable(
                        f"{name} is spoken to by a Unix socket, which no proxy of ours is put in front of",
                        "let the server use its TCP port", "prove.no-port",
                    )  # fmt: skip
                log = self._folder.path / f"proxy-{name.replace('/', '-')}.log"
                one = stack.enter_context(
                    insert(plan, setting, name, host.strip("[]"), int(port), log, plan.trial.cpus)
                )
            except Unavailable as no:
                self._skipped.append(Skipped(Lever("delay", name), no.reason, no.mend, no.code))
                continue
            plan, setting = one.plan, one.setting
            found[name] = one
        return plan, setting, found

    def _allowed(self) -> frozenset[str]:
        return frozenset(self.wish.plan.prove.allow) if self.wish.plan.prove else frozenset()

    # --- trials of their own ---------------------------------------------------------------------

    def _variants(self, ranked: Sequence[Lever], plan: Plan) -> list[Variant]:
        """What is to be tried: for the first suspect, what else the plan names, what tells most of others."""
        found: list[Variant] = []
        first = rivals.levers_of(self._asked[0], list(self._behind))
        for lever in ranked:
            if lever.change in LIVE:
                continue
            try:
                every = able.variants(lever, plan, plan.base_setting)
                found += able.nearest(every, rivals.subjects(lever, self._asked, list(self._behind)))
            except Unavailable as no:
                # Of those who are hardly suspected nobody wants to be told what else could be declared.
                if lever in first:
                    self._skipped.append(Skipped(lever, no.reason, no.mend, no.code))
        unique: dict[str, Variant] = {}
        for one in (*able.named(plan, plan.base_setting), *found):
            unique.setdefault(one.title, one)
        own = [one for one in unique.values() if any(rivals.is_meant(lever, one.lever) for lever in first)]
        return [*own, *(one for one in unique.values() if one not in own)]

    def _run_pairs(self, plan: Plan, variants: Sequence[Variant], share: float) -> None:
        unit = Unit(self._warm_up_s(), self._trial_length_s())
        base = shapes.constant(plan, unit.warm_up_s, unit.measure_s)
        arms = [Arm(base, None, plan.base_setting)]
        first = rivals.levers_of(self._asked[0], list(self._behind))
        wanted = {one.title for one in able.named(plan, plan.base_setting)}
        hidden = [lever for one in self._asked if one.is_hidden for lever in rivals.levers_of(one, ())]
        for one in variants:
            changed = shapes.constant(one.plan, unit.warm_up_s, unit.measure_s)
            is_own = any(rivals.is_meant(lever, one.lever) for lever in first)
            is_wanted = one.title in wanted or any(rivals.is_meant(lever, one.lever) for lever in hidden)
            arms.append(Arm(changed, one, one.setting, is_first=is_own, is_wanted=is_wanted))
        keys = [one.key for one in self._suspects]
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
            found = dips.of(case) if case is not None else None
            if found is not None and found.period_s is not None:
                return CYCLES * found.period_s + 2.0
        return TRIAL_S[self._measure]

    # --- what it came to -------------------------------------------------------------------------

    def _said(self) -> dict[str, Any]:
        behind = list(self._behind)
        untried = [one.lever for one in self._skipped if one.code == OUT_OF_TIME]
        is_gone = self._is_gone(self._results)
        telling = [] if is_gone else self._results
        findings, cleared, diagnosis = judge.updated(
            self._suspects, self._of["findings"], self._diagnosis.get("cleared", ()), self._diagnosis,
            telling, behind, self.wish.command, untried,
        )  # fmt: skip
        is_open = bool(untried) or any(one.standing == "unsure" for one in self._results)
        if is_gone and self._ended == "sure":
            self._ended = "gone"
        if self._ended == "sure" and is_open and not (findings and findings[0]["verdict"] == "named"):
            self._ended = "budget" if self._share == 1.0 else "unprovable"
        failed = self._target_failed()
        if failed is not None:
            diagnosis = {**diagnosis, "sentence": failed["sentence"]}
        said = {one.key: judge.said_of(one, telling, behind, untried) for one in self._suspects}
        fix = None
        if findings and findings[0]["verdict"] == "named":
            first = findings[0]
            told = said.get((first["cause"], first["component"]))
            fix = fix_of(first, told, diagnosis, self._measure, self.wish.command)
        return document.to_json(
            of_trial=self.wish.index,
            budget_s=self.wish.budget_s,
            took_s=time.monotonic() - self._began,
            ended=self._ended,
            results=self._results,
            skipped=_once(self._skipped),
            live=self._live,
            said=said.values(),
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
                    {**failed, "trial": number, "label": show_setting(setting), "setting": setting}
                )
        found = of_many(failures, len(trials))
        if found is None:
            return None
        text = found["sentence"]
        return {**found, "sentence": f"While the diagnosis was proved, {text[:1].lower()}{text[1:]}"}


def _interrupted() -> Interrupted:
    return Interrupted(
        Problem(
            what="the proof was stopped by hand",
            why="what was found until then is judged and kept",
            mend="prove it again: loadrig diagnose RUN --prove",
            code="trial.interrupted",
        )
    )


def _once(skipped: Sequence[Skipped]) -> list[Skipped]:
    """Each lever with its first reason; of those that were spoilt or out of time each value of a knob."""
    found: dict[tuple[Lever, str], Skipped] = {}
    for one in skipped:
        found.setdefault((one.lever, one.why if one.code in (OUT_OF_TIME, SPOILT[1]) else ""), one)
    return list(found.values())


def _behind(found: Mapping[str, Any]) -> dict[str, str]:
    """What the server talks to, with its address as text."""
    hosts = {one["name"] for one in found.get("components", ()) if one.get("kind") == HOST}
    return {
        edge["to"]: str(edge["address"])
        for edge in found.get("edges", ())
        if edge["source"] == SERVER and edge["to"] not in hosts
    }
