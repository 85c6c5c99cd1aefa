"""Course of a proof, from the choice of experiments to its document, within a budget of time."""

import time
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from functools import partial

from loadrig.base.component import SERVER
from loadrig.base.documents import plain
from loadrig.base.errors import Interrupted, RigError, VoidError
from loadrig.base.setting import Setting
from loadrig.base.unavailable import Unavailable
from loadrig.interventions import Lever, Variant, knob_step
from loadrig.judgement.experiments import signals
from loadrig.judgement.experiments.credence import LEAST_BITS
from loadrig.judgement.experiments.results import LIVE, scatter_of
from loadrig.judgement.experiments.suspects import levers_of, own_knobs, subjects
from loadrig.judgement.experiments.trial_gains import FEWEST_PAIRED_BLOCKS
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.proving import ProvingCarryOutErrors
from loadrig.plan.constant import constant
from loadrig.plan.model import Plan
from loadrig.proving import able, live_order, room
from loadrig.proving.changes import skip_for
from loadrig.proving.compose import LEAST_LIVE_S, ProofCourse, document_of
from loadrig.proving.document import ProofDocument
from loadrig.proving.live import LiveProof
from loadrig.proving.live_order import LiveFindings, LiveOrder
from loadrig.proving.pairs import Pairs, TrialTimes
from loadrig.proving.question import question_of
from loadrig.proving.side_by_side import DealtPairs, LiveTask, ProofPlaces
from loadrig.proving.trials import ProvingPlace, TrialLog, TrialRunner
from loadrig.recording import run_seal
from loadrig.recording.files import write_json
from loadrig.recording.layout import RunFolder
from loadrig.recording.reader import Recording
from loadrig.trial.interruption import Interruption
from loadrig.trial.runner import run_trial
from loadrig.trial.spec import TrialSpec, Watcher

ERRORS = texts_of(ProvingCarryOutErrors)

LIVE_SHARE = 0.45
"""Share of the remaining budget for experiments while load runs, where trials of their own are to follow."""

PAIRS_SHARE = 0.7
"""Share of the remaining budget for trials of their own, where experiments under load are to follow."""

OpenNodes = Callable[[RunFolder, int], AbstractContextManager[Sequence[ProvingPlace]]]
"""Function that opens the places of a proof."""

MOST_LIVE = 6
"""Greatest number of changes in one run under load: each adds a slot to every block."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Order to prove a trial's diagnosis, with what may be spent on it.

    run: the folder of the run. index: the trial whose diagnosis is to be proved. plan: the plan as it was
    run. budget_s: time for the whole proof. pids: processes that the rig has started beside the server (a
    lab's services). command: the command that repeats the proof. nodes: opens the places where its trials
    run, from its folder and the descriptor that they hold as long as they live; None: they run here.
    """

    run: RunFolder
    index: int
    plan: Plan
    budget_s: float
    pids: frozenset[int] = field(default_factory=frozenset)
    command: str = ""
    nodes: "OpenNodes | None" = None


def carry_out(wish: Wish, watch: Callable[[TrialSpec], Watcher] | None = None) -> ProofDocument:
    """Prove what a trial's diagnosis left open, and return its document, which is then in RUN/proof.

    watch: gives the watcher of each trial of the proof. What was found before a failure or Ctrl-C is judged
    and written, too. Raises PlanError where the trial does not exist or another process proves the run;
    Interrupted after the document was written; VoidError where the rig itself failed.
    """
    with room.alone(wish.run) as held, ExitStack() as stack:
        proof = _Proof(wish, watch or (lambda _: Watcher()))
        if wish.nodes is not None and proof.has_suspects:
            # Before the proof has a folder: where there is no room for nodes, nothing was done.
            proof.use(stack.enter_context(wish.nodes(wish.run.proof, held)))
        return proof.document()


class _Proof:
    """State of one proof while it is carried out."""

    def __init__(self, wish: Wish, watch: Callable[[TrialSpec], Watcher]) -> None:
        def run(spec: TrialSpec, folder: RunFolder) -> None:
            run_trial(spec, folder.trial(spec.index), watch(spec))

        self.wish = wish
        self._question = question_of(wish.plan, Recording.open(wish.run.trial(wish.index).path))
        self._course = ProofCourse(began=time.monotonic(), budget_s=wish.budget_s)
        self._runner = TrialRunner(wish.run.proof, run, wish.plan.seed, begins=watch)
        self._places: ProofPlaces | None = None
        self._watch = watch

    @property
    def has_suspects(self) -> bool:
        """Whether there is anything to prove."""
        return bool(self._question.suspects)

    def use(self, places: Sequence[ProvingPlace]) -> None:
        """Let trials run on these places, side by side."""

        def say(text: str) -> None:
            plan = self.wish.plan
            self._watch(TrialSpec(plan, plan.base_setting, plan.seed, self._runner.number)).note(text)

        self._places = ProofPlaces(places, say)

    def document(self) -> ProofDocument:
        """Carry out the proof, write its document and return it."""
        failure: RigError | None = None
        course, run = self._course, self.wish.run
        if not self.has_suspects:
            course.ended = "nothing_to_prove"
        else:
            run_seal.open_again(run, f"{run.proof.path.name}/")
            room.make(run)
            try:
                self._run_experiments()
            except Interrupted as stop:
                course.ended, failure = "interrupted", stop
            except KeyboardInterrupt:  # between two trials, where no trial handles it
                course.ended, failure = "interrupted", _interrupted()
            except RigError as error:
                course.ended = "failed"
                course.skipped.append(skip_for(Lever("load"), error))
                if isinstance(error, VoidError):  # the document itself says that a target failed
                    failure = error
        # No other command judges a proof: one that is stopped while it is judged would lose its results.
        with Interruption() as interruption:
            proof = self._judged()
            if course.ended != "nothing_to_prove":
                write_json(run.proof_document, plain(proof))
                run_seal.seal(run)
        if interruption.happened and not isinstance(failure, Interrupted):
            failure = _interrupted()
        failure = failure or self._runner.failure
        if failure is not None:
            raise failure
        return proof

    def _run_experiments(self) -> None:
        """Make the experiments: those that tell most first, under load or in trials of their own."""
        question, course = self._question, self._course
        plan = question.plan_at_limit
        levers = list(dict.fromkeys(
            lever
            for suspect in question.credence.suspects
            for lever in levers_of(suspect, question.behind)
        ))  # fmt: skip
        may_pull = question.measure in ("throughput", "latency")
        pulled = [lever for lever in levers if may_pull and lever.change in LIVE]
        wanted = knob_step.every(plan, plan.base_setting)
        variants = self._variants([lever for lever in levers if lever.change not in LIVE], plan, wanted)
        most_bits = max(question.doubt_after(()).tells(variants, ()), default=0.0)
        has_trials = most_bits >= LEAST_BITS or bool(wanted)
        live, most = self._worth_pulling(pulled), MOST_LIVE
        if question.measure == "latency" and not live and most_bits < LEAST_BITS:
            # Nothing tells much of the causes; whether what is wrong is still there is told by any lever that
            # can be pulled, and before trials that the plan asks for. On a host that others use the first
            # lever may not be pulled. Of throughput nobody knows when that is over.
            live, most = list(dict.fromkeys([*pulled[:1], Lever("cpu", SERVER)])), 1
        if live and (most_bits < LEAST_BITS or question.bits(live[0], None, ()) >= most_bits):
            self._run_live(plan, live, most, has_more=most_bits >= LEAST_BITS)
            pulled = live = []
        if has_trials and not question.is_gone(course.results):
            share = PAIRS_SHARE if live else 1.0
            self._run_pairs(plan, variants, {variant.title for variant in wanted}, share)
        live = self._worth_pulling(pulled)
        if live and course.left_s > LEAST_LIVE_S and not question.is_decided(course.results):
            self._run_live(plan, live, MOST_LIVE, has_more=False)
        self._try_own_knobs(plan)

    def _try_own_knobs(self, plan: Plan) -> None:
        """Try the plan's own knobs where nobody is proved and time is left: signs may have missed a cause."""
        question, course = self._question, self._course
        if question.is_settled(course.results):
            return
        tried = {result.title for result in course.results}
        knobs = [knob.name for knob in plan.knobs]
        levers = [lever for suspect in question.suspects for lever in own_knobs(suspect, knobs)]
        variants = [each for each in self._variants(levers, plan, ()) if each.title not in tried]
        trial_s = question.warm_up_s + question.measure_s + question.around_s
        room = int(course.left_s / (FEWEST_PAIRED_BLOCKS * trial_s)) - 1
        if variants and room > 0:
            titles = [variant.title for variant in variants[:room]]
            self._run_pairs(plan, variants[:room], titles, 1.0)

    def _worth_pulling(self, levers: Sequence[Lever]) -> list[Lever]:
        """Return the levers that tell enough after the results so far, the most telling first."""
        bits = {lever: self._question.bits(lever, None, self._course.results) for lever in levers}
        return sorted((lever for lever in bits if bits[lever] >= LEAST_BITS), key=lambda lever: -bits[lever])

    # --- while load runs -------------------------------------------------------------------------

    def _run_live(self, plan: Plan, levers: Sequence[Lever], most: int, *, has_more: bool) -> None:
        question, course, runner = self._question, self._course, self._runner
        most_s = course.left_s * (LIVE_SHARE if has_more else 0.9) - question.around_s
        order = LiveOrder(
            plan=plan, levers=tuple(levers), most=most, measure=question.measure,
            warm_up_s=question.warm_up_s, most_s=most_s, number=runner.number,
            places={**question.dependencies, **(plan.prove.through if plan.prove else {})},
            pids=frozenset(self.wish.pids), has_one_look=not self._worth_pulling(levers),
        )  # fmt: skip
        if self._places is not None:
            findings = LiveFindings()
            try:
                self._places.work([LiveTask(runner, order, findings, most_s / 2)])
            finally:
                course.add(findings)
                self._note_slots(findings)
            return

        def run(timed: Plan, setting: Setting, live: LiveProof) -> None:
            runner.run(timed, setting, most_rest_s=most_s / 2, experiment=live)

        live_order.carry_out(
            order, self.wish.run.proof.path, run, course,
            doubt=question.doubt_after(course.results),
            tell=partial(runner.note, measure=question.measure, is_live=True),
        )  # fmt: skip

    def _note_slots(self, findings: LiveFindings) -> None:
        """Note each slot of an experiment on a node, once and in order, now that it is over."""
        slots = {
            (part.from_s, result.title if part.is_changed else ""): part
            for result in findings.results
            for part in result.parts
        }
        for (_, title), part in sorted(slots.items()):
            self._runner.note(title, part, measure=self._question.measure, is_live=True)

    # --- trials of their own ---------------------------------------------------------------------

    def _variants(self, levers: Sequence[Lever], plan: Plan, wanted: Sequence[Variant]) -> list[Variant]:
        """Return the variants that may be tried in trials of their own: those that the plan names come first.

        What cannot be tried is skipped where it is for the first suspect: for unlikely ones nobody would
        declare a knob.
        """
        asked, behind = self._question.credence.suspects, self._question.behind
        first = levers_of(asked[0], behind)
        variants = {variant.title: variant for variant in wanted}
        for lever in levers:
            try:
                every = able.variants(lever, plan, plan.base_setting)
            except Unavailable as no:
                if lever in first:
                    self._course.skipped.append(skip_for(lever, no))
                continue
            for variant in able.nearest(every, subjects(lever, asked, behind)):
                variants.setdefault(variant.title, variant)
        return list(variants.values())

    def _run_pairs(
        self, plan: Plan, variants: Sequence[Variant], wanted: Collection[str], share: float
    ) -> None:
        question, course = self._question, self._course
        warm_up_s, measure_s = question.warm_up_s, question.measure_s
        base = Variant(Lever("load"), "", plan, plan.base_setting)
        blamed = signals.blamed([suspect.key for suspect in question.suspects], question.measure)
        pairs = (Pairs if self._places is None else DealtPairs)(
            [
                replace(variant, plan=constant(variant.plan, warm_up_s, measure_s))
                for variant in (base, *variants)
            ],
            self._runner,
            TrialLog(question.measure, scatter_of(course.results, measure_s), blamed),
            TrialTimes(
                time.monotonic() + share * course.left_s, warm_up_s + measure_s + question.around_s
            ),
            wanted=wanted, doubt=question.doubt_after(course.results),
        )  # fmt: skip
        if isinstance(pairs, DealtPairs) and self._places is not None:
            pairs.nodes = self._places
        try:
            course.results += pairs.run()
        finally:
            course.skipped += pairs.skipped

    def _judged(self) -> ProofDocument:
        """Return the document of what was measured until now."""
        wish = self.wish
        return document_of(self._question, self._course, wish.index, wish.command, wish.run.proof)


def _interrupted() -> Interrupted:
    return Interrupted.of(ERRORS.stopped_by_hand(), code="trial.interrupted")
