"""Course of a trial's load: frame by frame, from its first request until it has drained."""

import signal
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from loadrig.base import garbage
from loadrig.base.errors import Interrupted, TargetError
from loadrig.base.series import Event
from loadrig.engine.compile import longest_s
from loadrig.engine.config import CompiledConfig
from loadrig.engine.secrets import as_written, filled
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.trial import TrialCourseErrors
from loadrig.language.en.trial.running import TrialCourseTexts
from loadrig.plan.model import Plan
from loadrig.recording.frame import Frame
from loadrig.recording.writer import TrialWriter
from loadrig.trial import surroundings
from loadrig.trial.bursts import Bursts
from loadrig.trial.death import LifeWatch, error_of
from loadrig.trial.interruption import Interruption
from loadrig.trial.live_account import LiveAccount
from loadrig.trial.observing import Watching
from loadrig.trial.pace import Pace
from loadrig.trial.profiling import Profiling
from loadrig.trial.spec import Stage, TrialSpec, Watcher
from loadrig.trial.witness import Witness

if TYPE_CHECKING:  # a fleet and the orders of a person are seldom needed, and cost the first request time
    from loadrig.engine.process import Generator
    from loadrig.fleet.fleet import GeneratorFleet
    from loadrig.recording.manifest_document import DeathDocument, GeneratorEnd
    from loadrig.trial.steering import Steering

    Load = Generator | GeneratorFleet

TEXTS, ERRORS = texts_of(TrialCourseTexts), texts_of(TrialCourseErrors)


class LoadCourse:
    """Course of one load, once its server runs and is watched.

    running: the server, as its target started it. failure: why the trial counts for nothing, if so.
    """

    def __init__(
        self,
        spec: TrialSpec,
        generator: "Load",
        running: Any,
        writer: TrialWriter,
        watch: Watcher,
        watching: Watching,
        witness: Witness,
    ) -> None:
        self._spec, self._generator, self._running, self._writer = spec, generator, running, writer
        self._watch, self._watching, self._witness = watch, watching, witness
        self._pace = Pace(spec.plan.trial, scheduled=spec.plan.workload.ends_itself)
        self._life = LifeWatch(running)
        self._live: LiveAccount | None = None
        self._steering: Steering | None = None
        self.failure: Interrupted | TargetError | None = None
        self._cut: str | None = None
        self._followed_to: int | None = None

    def run(self, config: CompiledConfig, profiling: Profiling | Bursts) -> Interrupted | TargetError | None:
        """Let the load run to its end, and write what the manifest holds of it.

        Return why the trial counts for nothing, if so.
        """
        self._begin(config, profiling)
        self._live = self._live_account(config)
        with Interruption() as interruption:
            # Looked at between frames too: a generator that is held up sends none, just when it matters.
            while (document := self._generator.next_frame(self._look)) is not None:
                self._writer.frame(document)
                self._take_in(Frame.live(document), interruption)
        self._end()
        return self.failure

    def _begin(self, config: CompiledConfig, profiling: Profiling | Bursts) -> None:
        """Let the load, what watches it and the experiment begin at the same instant."""
        generator, pace, experiment = self._generator, self._pace, self._spec.experiment
        ready = generator.prepare(filled(config, self._spec.plan, self._running.target.address).plain())
        for warning in ready.warnings:
            self._watch.note(warning)
        start_ns = time.monotonic_ns() + generator.lead_ns
        self._life.start_ns = start_ns
        pace.begin(start_ns)
        generator.begin(start_ns)
        garbage.look_often()
        profiling.begin(pace, start_ns)
        self._witness.follow(generator.pids, generator.hosts)
        self._writer.manifest_update(start_ns=start_ns)
        self._watch.phase(pace.phase, _expected_s(self._spec.plan, pace.phase))
        if experiment is not None:
            stage = Stage(
                self._running.target, self._watching.components, self._writer.event, tuple(config.cpus),
                start_ns, self._level, generator.renew, lambda: pace.phase,
            )  # fmt: skip
            experiment.begin(stage)
            self._writer.listen(experiment.hear)

    def _take_in(self, frame: Frame, interruption: Interruption) -> None:
        """Take in a frame: tell it, see whether the load goes on, and tell a new phase."""
        pace, phase = self._pace, self._pace.phase
        self._watch.frame(frame)
        if self._live is not None:
            self._live.see(frame)
        self._life.see(frame)
        for note in self._watching.new_notes():
            self._watch.note(note)
        self._look()
        if self._generator.loss and pace.to_ns is None:
            # Before the frame is looked at, as a part of the load is missing in it.
            pace.close(self._generator.loss)
        if self._steering is None or not self._steering.is_paused:
            pace.see(frame)
        if orders := self._watch.orders():
            self._steering = self._steering or self._steered()
            self._steering.obey(orders)
        self._close_if_failed(interruption)
        self._experiment_sees(frame)
        if pace.phase != phase:
            self._writer.event(Event(time.monotonic_ns(), "phase", pace.phase, pace.why))
            self._watch.phase(pace.phase, _expected_s(self._spec.plan, pace.phase))
            if pace.phase == "draining":
                self._generator.stop(pace.why)

    def _close_if_failed(self, interruption: Interruption) -> None:
        if self.failure is None and interruption.happened:
            self.failure = _interrupted(interruption.signal)
        if self.failure is None and (death := self._life.death(time.monotonic_ns())) is not None:
            self.failure = _died(self._writer, death)
        if self.failure is not None and self._pace.to_ns is None:
            self._pace.close(self.failure.problems[0].what)
            self._cut = self.failure.problems[0].code

    def _experiment_sees(self, frame: Frame) -> None:
        experiment = self._spec.experiment
        if experiment is not None and self._pace.to_ns is None:
            experiment.see(frame)
            self._followed_to = frame.n
            if why := experiment.why_over():
                self._pace.close(why)

    def _end(self) -> None:
        """Close what is still open, and write what was measured into the manifest."""
        pace, experiment = self._pace, self._spec.experiment
        if self.failure is None and (death := self._life.death_at_end(time.monotonic_ns())) is not None:
            self.failure = _died(self._writer, death)
        end = self._generator.end
        if pace.to_ns is None:
            pace.close(TEXTS.load_ended(TEXTS.generator_stopped if end is None else end.why))
        if experiment is not None and (span := experiment.measured()) is not None:
            pace.measure(*span)
        if experiment is not None and (limit := experiment.limit()) is not None:
            self._writer.manifest_update(limit={"from_ns": limit[0], "to_ns": limit[1]})
        self._writer.manifest_update(
            **_window_facts(pace, end),
            **self._generator.facts(),
            witness=_witness_facts(self._witness, pace),
            cut=self._cut,
            followed_to=self._followed_to,
        )

    def _live_account(self, config: CompiledConfig) -> LiveAccount | None:
        """Return the maker of the account of the last seconds; None where nobody looks at it."""
        watch = self._watch
        if not watch.shows_account:
            return None
        facts = {
            "load": facts_of_load(self._spec.plan),
            "machine": surroundings.machine().to_json(),
            "address": self._running.target.address.url,
        }
        live = LiveAccount(
            as_written(config).plain(), facts, self._watching.facts_so_far, watch.account, watch.note
        )
        self._writer.listen(live.hear)
        return live

    def _steered(self) -> "Steering":
        """Return who carries out the orders of a person."""
        from loadrig.trial.steering import Steering

        spec = self._spec
        return Steering(
            self._watch, spec.plan, self._pace, self._level, self._writer.event,
            is_steered=spec.experiment is not None,
        )  # fmt: skip

    def _level(self, to: float) -> int:
        at_ns = time.monotonic_ns() + self._generator.lead_ns
        self._generator.level(to, at_ns)
        self._writer.event(Event(at_ns, "level", "load", f"{to:g}"))
        return at_ns

    def _look(self) -> None:
        # In a fleet a fresh generator may have taken the place of a lost one: its load is no stranger's.
        self._witness.follow(self._generator.pids, self._generator.hosts)
        self._witness.look(time.monotonic_ns())


def facts_of_load(plan: Plan) -> dict[str, Any]:
    """Return what a manifest holds of a plan's load."""
    return {
        "model": plan.workload.arrivals.model,
        "keep_alive": plan.workload.connections.keep_alive,
        "http": plan.workload.connections.http,
        "streams": plan.workload.connections.streams,
        "servers": {name: address.url for name, address in plan.servers.items()},
        "server_by_route": {
            request.name: request.server for request in plan.workload.requests if request.server
        },
    }


def _died(writer: TrialWriter, death: "DeathDocument") -> TargetError:
    """Keep how the server has failed; return the error that ends the trial."""
    from loadrig.base.documents import plain

    writer.manifest_update(death=plain(death))
    return error_of(death)


def _expected_s(plan: Plan, phase: str) -> float:
    rules = plan.trial
    if plan.workload.ends_itself:
        return longest_s(plan)
    return {"warm_up": rules.warm_up.at_most, "measuring": rules.measure.at_most}.get(phase, 1.0)


def _window_facts(pace: Pace, end: "GeneratorEnd | None") -> dict[str, Any]:
    from loadrig.base.documents import plain

    assert pace.warm_up is not None
    return {
        "measured": {"from_ns": pace.from_ns, "to_ns": pace.to_ns, "why": pace.why},
        "warm_up": asdict(pace.warm_up),
        "end": {} if end is None else plain(end),
        "ended": "broken" if end is None else end.why,
    }


def _witness_facts(witness: Witness, pace: Pace) -> dict[str, Any]:
    assert pace.from_ns is not None
    assert pace.to_ns is not None
    witness.look(time.monotonic_ns(), at_last=True)
    return witness.facts(pace.from_ns, pace.to_ns)


def _interrupted(number: signal.Signals | None) -> Interrupted:
    how = TEXTS.terminal_closed if number == signal.SIGHUP else TEXTS.by_hand
    return Interrupted.of(ERRORS.interrupted(how), code="trial.interrupted")
