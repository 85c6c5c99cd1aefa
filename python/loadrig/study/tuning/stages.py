"""The strategy of a tuning: screen, search, race, confirm; what is next follows from the trials told so far.

It holds no state but these trials. Each block belongs to a stage, so that a study that goes on knows where
it stopped; random choices follow from the plan's seed. The base runs in every block: it tells the noise, and
what drifts.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from loadrig.base.setting import Setting
from loadrig.stats.arrays import Floats
from loadrig.study.choose import Candidate, cheapest
from loadrig.study.space import key
from loadrig.study.trials import DoneTrial
from loadrig.study.tuning import answering, queueing, race, rounds, screen, screened
from loadrig.study.tuning.answer import StageName
from loadrig.study.tuning.document import TuningDocument
from loadrig.study.tuning.ground import Ground
from loadrig.study.tuning.model import Belief, GaussianModel, Model, Observation, TpeModel, observations_of
from loadrig.study.tuning.screen import Inert, Screening
from loadrig.study.tuning.search import SettingSearch, tried_in_search
from loadrig.trial.spec import TrialSpec

RATES = ("throughput", "capacity")
"""Objectives that a queueing model foretells."""

HOPELESS_FROM = 3
"""Most trials of which none has worked before the tuning ends: the runner says why."""


class Tuning:
    """Strategy of a tuning. prepare: what becomes of each trial before it is asked for, such as a search.

    budget_s: of all trials; the search ends where the stages after it would no longer fit. around_s: of a
    trial beside what it measures, until trials have told.
    """

    def __init__(
        self,
        ground: Ground,
        *,
        prepare: Callable[[TrialSpec], TrialSpec] = lambda spec: spec,
        budget_s: float | None = None,
        around_s: float = 10.0,
    ) -> None:
        self.ground = ground
        self._prepare, self._budget_s, self._around_s = prepare, budget_s, around_s
        self._trials: list[DoneTrial] = []
        self._asked: dict[tuple[int, ...], dict[int, list[TrialSpec]]] = {}
        self._foretold: Floats | None = None
        self._process: tuple[Floats | None, GaussianModel] | None = None

    # --- as a strategy ----------------------------------------------------------------------------

    @property
    def tried(self) -> Sequence[Setting]:
        """Return the base, and every setting that was tried; more come as the search goes on."""
        settings = (self.ground.base, *(trial.setting for trial in self._trials))
        return tuple({key(setting): setting for setting in settings}.values())

    @property
    def total(self) -> int:
        """Return the trials that ran, and those still ahead if the search does not end early."""
        return len(self._trials) + sum(self._ahead().values())

    def ask(self) -> list[TrialSpec]:
        """Return the trials to run next; empty when the best is confirmed, or nothing works."""
        return next(iter(self.ahead(()).values()), [])

    def ahead(self, running: Sequence[TrialSpec]) -> Mapping[int, list[TrialSpec]]:
        """Return the trials ahead of all blocks of the present stage.

        A stage begins once all trials of the stage before it have ended.
        """
        indexes = tuple(spec.index for spec in running)
        if indexes not in self._asked:
            self._asked[indexes] = {
                block: [self._prepare(spec) for spec in specs] for block, specs in self._next(running).items()
            }
        return self._asked[indexes]

    def tell(self, trial: DoneTrial) -> None:
        """Take a trial that is over."""
        self._trials.append(trial)
        self._asked.clear()
        for name in ("_screening", "_inert", "_allowed", "_racing"):
            self.__dict__.pop(name, None)

    @property
    def stage(self) -> StageName | None:
        """Return the stage that comes next; None at the end."""
        specs = self._coming()
        return self.ground.stage_of(specs[0].block) if specs else None

    def _coming(self) -> list[TrialSpec]:
        """Return the trials ahead of some block, the model not asked anew where it was asked already."""
        answers = (blocks for blocks in self._asked.values() if blocks)
        return next((next(iter(blocks.values())) for blocks in answers), None) or self.ask()

    def answer(self) -> TuningDocument:
        """Return what the trials told so far come to."""
        finalists = [self.ground.base, *self._settings("confirm")]
        return answering.answer(
            self.ground,
            self._trials,
            finalists,
            self._screening,
            self._inert,
            self.belief(),
            is_over=not self.ask(),
        )

    def belief(self) -> Belief | None:
        """Return what is believed of every setting by now; None before any trial has told."""
        ground = self.ground
        observations = observations_of(ground.space, ground.objective, ground.plan.goals, self._trials)
        return self._belief(observations) if any(not row.has_failed for row in observations) else None

    # --- stage by stage ---------------------------------------------------------------------------

    def _next(self, running: Sequence[TrialSpec]) -> dict[int, list[TrialSpec]]:
        if len(self._trials) > HOPELESS_FROM and not any(trial.is_usable for trial in self._trials):
            return {}
        for name in self.ground.first:
            blocks = self._search(running) if name == "search" else self._specs_ahead(name)
            # What comes after a stage follows from all of its trials.
            if blocks or any(self.ground.stage_of(spec.block) == name for spec in running):
                return blocks
        return {}

    def _specs_ahead(self, name: StageName) -> dict[int, list[TrialSpec]]:
        """Return the trials ahead in each block of a stage that is not done."""
        first = self.ground.first[name]
        design = self._design(name)
        blocks = {
            block: rounds.ahead(self.ground, self._trials, block, design)
            for block in range(first, first + self.ground.blocks[name])
        }
        return {block: specs for block, specs in blocks.items() if specs}

    def _design(self, name: StageName) -> list[Setting]:
        """Return the settings that each block of a stage runs, where they are known before it begins."""
        space, base = self.ground.space, self.ground.base
        if name == "screen":
            return [*screen.design(space), *[base] * screen.BASES]
        if name == "doubt":
            doubted = screen.doubted(space, self._screening.inert)
            return [*doubted, *doubted, *[base] * (2 if doubted else 0)]
        settings = self._settings(name)
        return [base, *settings] if settings else []

    def _settings(self, name: StageName) -> list[Setting]:
        return [self.ground.space.settings[at] for at in self._racing[name]]

    def _search(self, running: Sequence[TrialSpec]) -> dict[int, list[TrialSpec]]:
        if self._is_out_of_time(len(running)):
            return {}
        search = SettingSearch(
            self.ground, self._trials, self._model, self._trend, self._allowed, running=running
        )
        return search.next()

    def _ahead(self) -> Mapping[StageName, int]:
        """Return the trials of each stage from now on."""
        stage = self.stage
        if stage is None:
            return {}
        planned = self.ground.planned()
        names = list(planned)
        here = len(self._coming())
        if stage == "search":
            here = self.ground.sizes.search - tried_in_search(self.ground, self._trials) + self._bases_ahead()
        elif stage in ("final race", "confirm"):
            end = self.ground.first[stage] + self.ground.blocks[stage]
            here += (end - 1 - self._coming()[0].block) * len(self._design(stage))
        return {stage: here} | {name: planned[name] for name in names[names.index(stage) + 1 :]}

    def _bases_ahead(self) -> int:
        """Return the number of blocks of the search in which the base has not run."""
        first, blocks = self.ground.first["search"], self.ground.blocks["search"]
        begun = {trial.block for trial in self._trials if trial.is_base}
        return sum(block not in begun for block in range(first, first + blocks))

    def _is_out_of_time(self, running: int) -> bool:
        """Return whether the remaining time is only enough for the stages after the search.

        running: trials that run at present, whose time is not known yet.
        """
        if self._budget_s is None or not self._trials:
            return False
        sizes, planned = self.ground.sizes, self.ground.planned()
        spent = sum(trial.seconds for trial in self._trials)
        worked = [trial for trial in self._trials if trial.validity != "failed"]
        around = self._around_s
        if worked:
            measured = [sizes.seconds(self.ground.stage_of(trial.block)) for trial in worked]
            around = max(0.0, sum(trial.seconds for trial in worked) - sum(measured)) / len(worked)
        later: tuple[StageName, ...] = ("race", "final race", "confirm")
        needed = sum(planned[name] * (sizes.seconds(name) + around) for name in later)
        return spent + needed + (1 + running) * (sizes.short_s + around) > self._budget_s

    # --- what is known ----------------------------------------------------------------------------

    def _observations(self, before: StageName) -> list[Observation]:
        """Return the observations of the blocks before a stage."""
        ground = self.ground
        trials = [trial for trial in self._trials if trial.block < ground.first[before]]
        return observations_of(ground.space, ground.objective, ground.plan.goals, trials)

    @cached_property
    def _screening(self) -> Screening:
        return screened.screening(self.ground, self._trials)

    @cached_property
    def _inert(self) -> tuple[Inert, ...]:
        return screened.inert(self.ground, self._trials, self._screening)

    @cached_property
    def _allowed(self) -> tuple[int, ...]:
        """Return positions of settings that the search may ask for: inert knobs at base, none that failed."""
        space = self.ground.space
        failed = {key(trial.setting) for trial in self._trials if trial.validity == "failed"}
        start = space.number(self.ground.base)
        return tuple(
            at
            for at in space.frozen([knob.knob for knob in self._inert])
            if at != start and key(space.settings[at]) not in failed
        )

    @property
    def _trend(self) -> Floats | None:
        """Return the trend from the first base trial with CPU and throughput; only rates have one."""
        ground = self.ground
        if ground.cores is None or ground.objective.name not in RATES:
            return None
        if self._foretold is None:
            bases = [trial for trial in self._trials if trial.is_base]
            needs = (queueing.demand(trial, ground.target_knobs, ground.cores) for trial in bases)
            need = next((need for need in needs if need is not None), None)
            if need is not None:
                self._foretold = queueing.trend(ground.space.settings, ground.target_knobs, need)
        return self._foretold

    @property
    def _model(self) -> Model:
        if self.ground.model == "tpe":
            return TpeModel(self.ground.space, len(self.ground.plan.goals), seed=self.ground.plan.seed)
        return self._gaussian

    @property
    def _gaussian(self) -> GaussianModel:
        """Return the process, made once for each trend: it keeps what it has computed."""
        trend = self._trend
        if self._process is None or self._process[0] is not trend:
            goals, seed = len(self.ground.plan.goals), self.ground.plan.seed
            self._process = (trend, GaussianModel(self.ground.space, goals, trend=trend, seed=seed))
        return self._process[1]

    @cached_property
    def _racing(self) -> Mapping[StageName, list[int]]:
        """Return who runs in each later stage, by what was known before it began."""
        ground = self.ground
        racing: dict[StageName, list[int]] = {"race": [], "final race": [], "confirm": []}
        observations = self._observations("race")
        if not any(not row.has_failed for row in observations):
            return racing
        # `_allowed` is not used here: what fails later must not change who raced before.
        allowed = set(ground.space.frozen([knob.knob for knob in self._inert]))
        start = ground.space.number(ground.base) or 0
        hoped = race.entrants(self._belief(observations), observations, start, ground.sizes.entrants * 4)
        # Inert knobs stay at their base from here on; settings of the screening may have them elsewhere.
        racing["race"] = [at for at in hoped if at in allowed][: ground.sizes.entrants]
        if self._is_over("race", racing["race"]):
            belief = self._belief(self._observations("final race"))
            racing["final race"] = self._promoted(belief, racing["race"], ground.sizes.semifinalists)
            if self._is_over("final race", racing["final race"]):
                belief = self._belief(self._observations("confirm"))
                racing["confirm"] = self._promoted(belief, racing["final race"], race.FINALISTS)
        return racing

    def _promoted(self, belief: Belief, racing: Sequence[int], count: int) -> list[int]:
        def cheapest_of(equals: Sequence[int]) -> int:
            candidates = [
                Candidate(at, self.ground.space.settings[at], float(belief.mean[at]), None) for at in equals
            ]
            return cheapest(candidates, self.ground.target_knobs, self.ground.base)[0].number

        return race.promoted(belief, racing, count, self.ground.margin, cheapest_of)

    def _belief(self, observations: Sequence[Observation]) -> Belief:
        # The race is judged by the Gaussian process, whichever model searched: it pools what neighbours and
        # earlier trials say.
        return self._gaussian.belief(observations)

    def _is_over(self, name: StageName, points: Sequence[int]) -> bool:
        if not points:
            return True
        design = [self.ground.base, *(self.ground.space.settings[at] for at in points)]
        first = self.ground.first[name]
        blocks = range(first, first + self.ground.blocks[name])
        return not any(rounds.ahead(self.ground, self._trials, block, design) for block in blocks)
