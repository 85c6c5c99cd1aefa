"""Course of a proof, from the choice of experiments to its document, within a budget of time."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

from loadrig.base.component import SERVER
from loadrig.base.documents import plain
from loadrig.base.errors import Interrupted, Problem, RigError, VoidError
from loadrig.base.unavailable import Unavailable
from loadrig.interventions import Lever, Scene, Step, Variant, knob_step
from loadrig.interventions.dependency_delay import Inserted, insert
from loadrig.plan.constant import constant
from loadrig.plan.model import Plan
from loadrig.proving import able, rest, rivals, room, signals
from loadrig.proving.changes import Skipped
from loadrig.proving.compose import LEAST_LIVE_S, ProofCourse, document_of
from loadrig.proving.credence import LEAST_BITS, tell_alike
from loadrig.proving.document import ProofDocument
from loadrig.proving.live import LiveProof
from loadrig.proving.pairs import Pairs
from loadrig.proving.question import question_of
from loadrig.proving.results import Result, scatter_of
from loadrig.proving.trials import TrialLog
from loadrig.recording import run_seal
from loadrig.recording.files import write_json
from loadrig.recording.layout import RunFolder
from loadrig.recording.reader import Recording
from loadrig.trial.interruption import Interruption
from loadrig.trial.runner import run_trial
from loadrig.trial.spec import Silence, TrialSpec, Watcher

BUDGET_S = 180.0
"""Default time for a whole proof, in seconds."""

LIVE_SHARE = 0.45
"""Share of the remaining budget for experiments while load runs, where trials of their own are to follow."""

PAIRS_SHARE = 0.7
"""Share of the remaining budget for trials of their own, where experiments under load are to follow."""

LIVE = ("cpu", "cores", "delay")
"""Kinds of levers that are pulled while load runs."""

MOST_LIVE = 6
"""Greatest number of changes in one run under load: each adds a slot to every block."""


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
        return _Proof(wish, watch or (lambda _: Silence())).document()


class _Proof:
    """State of one proof while it is carried out."""

    def __init__(self, wish: Wish, watch: Callable[[TrialSpec], Watcher]) -> None:
        self.wish, self._watch, self._folder = wish, watch, wish.run.proof
        self._question = question_of(wish.plan, Recording.open(wish.run.trial(wish.index).path))
        self._course = ProofCourse(time.monotonic(), wish.budget_s)
        self._number = 1
        self._failure: VoidError | None = None

    def document(self) -> ProofDocument:
        """Carry out the proof, write its document and return it."""
        failure: RigError | None = None
        course = self._course
        if not self._question.suspects:
            course.ended = "nothing_to_prove"
        else:
            run_seal.open_again(self.wish.run, f"{self._folder.path.name}/")
            room.make(self.wish.run)
            try:
                self._run_experiments()
            except Interrupted as stop:
                course.ended, failure = "interrupted", stop
            except KeyboardInterrupt:  # between two trials, where no trial handles it
                course.ended, failure = "interrupted", _interrupted()
            except RigError as error:
                course.ended = "failed"
                problem = error.problems[0]
                course.skipped.append(Skipped(Lever("load"), problem.what, problem.mend, problem.code))
                if isinstance(error, VoidError):  # the document itself says that a target failed
                    self._failure = error
        # No other command judges a proof: one that is stopped while it is judged would lose its results.
        with Interruption() as interruption:
            proof = self._judged()
            if course.ended != "nothing_to_prove":
                write_json(self.wish.run.proof_document, plain(proof))
                run_seal.seal(self.wish.run)
        if interruption.happened and failure is None:
            failure = _interrupted()
        failure = failure or self._failure
        if failure is not None:
            raise failure
        return proof

    def _run_experiments(self) -> None:
        question, course = self._question, self._course
        plan = question.plan_at_limit
        levers = list(dict.fromkeys(
            lever
            for suspect in question.credence.suspects
            for lever in rivals.levers_of(suspect, question.behind)
        ))  # fmt: skip
        variants = self._variants([lever for lever in levers if lever.change not in LIVE], plan)
        may_pull = question.measure in ("throughput", "latency")
        live = self._worth_pulling(levers) if may_pull else []
        bits = self._tells(variants, ())
        variants = [variant for variant, telling in zip(variants, bits, strict=True) if telling >= LEAST_BITS]
        if may_pull and not live and not variants:
            # Nothing tells much of the causes; whether what is wrong is still there is told by any lever.
            live = [lever for lever in levers if lever.change in LIVE][:1] or [Lever("cpu", SERVER)]
        if live and (not variants or max(map(self._bits, live)) >= max(bits)):
            self._run_live(plan, live, has_more=bool(variants))
            live = []
        if variants and not question.is_gone(course.results):
            self._run_pairs(plan, variants, share=PAIRS_SHARE if live else 1.0)
        live = self._worth_pulling(live)
        if live and course.left_s > LEAST_LIVE_S and not question.is_decided(course.results):
            self._run_live(plan, live, has_more=False)

    def _bits(self, lever: Lever) -> float:
        return self._question.credence.bits(lever, None, self._course.results)

    def _worth_pulling(self, levers: Sequence[Lever]) -> list[Lever]:
        """Return the levers that are pulled while load runs and tell enough, the most telling first."""
        bits = {lever: self._bits(lever) for lever in levers if lever.change in LIVE}
        return sorted((lever for lever in bits if bits[lever] >= LEAST_BITS), key=lambda lever: -bits[lever])

    def _tells(self, changes: Sequence[Step | Variant], results: Sequence[Result]) -> list[float]:
        return self._question.tells(changes, [*self._course.results, *results])

    def _is_decided(self, results: Sequence[Result]) -> bool:
        return self._question.is_decided([*self._course.results, *results])

    # --- while load runs -------------------------------------------------------------------------

    def _run_live(self, plan: Plan, levers: Sequence[Lever], *, has_more: bool) -> None:
        question, course = self._question, self._course
        most_s = course.left_s * (LIVE_SHARE if has_more else 0.9) - question.around_s
        with ExitStack() as stack:
            plan, setting, inserted = self._inserted(plan, levers, stack)
            pids = set(self.wish.pids)
            names = frozenset(plan.prove.allow) if plan.prove else frozenset()

            def choose(scene: Scene, response_s: float) -> tuple[list[Step], list[Skipped]]:
                server = scene.component(SERVER)
                if server is not None and server.is_ours and server.pid is not None:
                    pids.add(server.pid)
                allowed = able.Permission(frozenset(pids), names)
                return able.steps(levers, scene, allowed, inserted, response_s, MOST_LIVE)

            live = LiveProof(
                choose, question.measure, warm_up_s=question.warm_up_s, most_s=most_s - question.warm_up_s,
                seed=plan.seed, number=self._number, is_decided=self._is_decided,
                tells=self._tells if self._worth_pulling(levers) else tell_alike,
            )  # fmt: skip
            timed = constant(plan, 0.0, max(most_s, 10.0) + 10.0)
            spec = TrialSpec(timed, setting, plan.seed, self._number, experiment=live)
            self._number += 1
            rest.wait(min(rest.MOST_S, most_s / 2))
            try:
                self._trial(spec, self._folder)
            finally:
                course.results += [able.counted(result, inserted, live.ended) for result in live.results]
                course.skipped += live.skipped
                course.bands += live.bands

    def _inserted(
        self, plan: Plan, levers: Sequence[Lever], stack: ExitStack
    ) -> tuple[Plan, Mapping[str, Any], dict[str, Inserted]]:
        """Return the plan and setting with a proxy in front of each dependency whose delay is asked about.

        Third: the proxies, by the dependency's name.
        """
        setting: Mapping[str, Any] = plan.base_setting
        inserted: dict[str, Inserted] = {}
        places = {**self._question.dependencies, **(plan.prove.through if plan.prove else {})}
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
                self._course.skipped.append(Skipped(Lever("delay", name), no.reason, no.mend, no.code))
                continue
            plan, setting = proxied.plan, proxied.setting
            inserted[name] = proxied
        return plan, setting, inserted

    # --- trials of their own ---------------------------------------------------------------------

    def _variants(self, levers: Sequence[Lever], plan: Plan) -> list[Variant]:
        """Return the variants that may be tried in trials of their own: those that the plan names come first.

        What cannot be tried is skipped where it is for the first suspect: for unlikely ones nobody would
        declare a knob.
        """
        asked, behind = self._question.credence.suspects, self._question.behind
        first = rivals.levers_of(asked[0], behind)
        variants = {variant.title: variant for variant in knob_step.every(plan, plan.base_setting)}
        for lever in levers:
            try:
                every = able.variants(lever, plan, plan.base_setting)
            except Unavailable as no:
                if lever in first:
                    self._course.skipped.append(Skipped(lever, no.reason, no.mend, no.code))
                continue
            for variant in able.nearest(every, rivals.subjects(lever, asked, behind)):
                variants.setdefault(variant.title, variant)
        return list(variants.values())

    def _run_pairs(self, plan: Plan, variants: Sequence[Variant], share: float) -> None:
        question, course = self._question, self._course
        warm_up_s, measure_s = question.warm_up_s, question.measure_s
        base = Variant(Lever("load"), "", plan, plan.base_setting)
        blamed = signals.blamed([suspect.key for suspect in question.suspects], question.measure)
        pairs = Pairs(
            [
                replace(variant, plan=constant(variant.plan, warm_up_s, measure_s))
                for variant in (base, *variants)
            ],
            self._folder,
            TrialLog(question.measure, scatter_of(course.results, measure_s), blamed),
            number=self._number, ends=time.monotonic() + share * course.left_s, seed=plan.seed,
            run_trial=self._trial, trial_s=warm_up_s + measure_s + question.around_s,
            wanted={variant.title for variant in knob_step.every(plan, plan.base_setting)},
            is_decided=self._is_decided, tells=self._tells,
        )  # fmt: skip
        try:
            course.results += pairs.run()
        finally:
            course.skipped += pairs.skipped
            self._failure, self._number = pairs.failure, pairs.number

    def _trial(self, spec: TrialSpec, folder: RunFolder) -> None:
        run_trial(spec, folder.trial(spec.index), self._watch(spec))

    def _judged(self) -> ProofDocument:
        """Return the document of what was measured until now."""
        wish = self.wish
        return document_of(self._question, self._course, wish.index, wish.command, self._folder)


def _interrupted() -> Interrupted:
    return Interrupted(
        Problem(
            what="the proof was stopped by hand",
            why="what was found until then is judged and kept",
            mend="prove it again: loadrig diagnose RUN --prove",
            code="trial.interrupted",
        )
    )
