"""Facts that a tuning is given before its first trial, and the block in which each stage begins."""

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass

from loadrig.base.setting import Knob, Setting
from loadrig.plan.model import Plan
from loadrig.study.space import base
from loadrig.study.tuning import confirm, race, screen
from loadrig.study.tuning.answer import StageName
from loadrig.study.tuning.model import Name
from loadrig.study.tuning.objective import Objective
from loadrig.study.tuning.space import SettingSpace

BATCH = 8
"""Trials of the search in a block, after one trial of the base."""

LEAST_SEARCH = 10
"""Fewest trials before the search may end because nothing more is to be gained."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of the stages.

    short_s, long_s: of load measured in a trial of the earlier stages, and of final race and confirmation.
    final_blocks: of the final race.
    """

    search: int
    short_s: float
    long_s: float
    entrants: int = race.ENTRANTS
    semifinalists: int = race.SEMIFINALISTS
    final_blocks: int = 2
    confirm_blocks: int = confirm.BLOCKS
    is_screening: bool = False

    def seconds(self, stage: StageName) -> float:
        """Return the seconds of load measured in a trial of a stage."""
        return self.long_s if stage in ("final race", "confirm") else self.short_s


def sizes_for(
    space: SettingSpace,
    *,
    short_s: float,
    long_s: float,
    screening: bool | None = None,
    search: int | None = None,
    confirm_blocks: int = confirm.BLOCKS,
) -> Sizes:
    """Return sizes that fit a space: trials of the search grow with the root of its settings, 10 to 30.

    screening: None for where enough knobs may be inert. search: None for what fits.
    """
    count = len(space.settings)
    is_screening = screen.pays_off(space) if screening is None else screening
    if search is None:
        search = min(30, max(10, round(1.8 * math.sqrt(count))))
        if is_screening:
            search = max(8, search - len(screen.design(space)) // 2)
    # With few settings there is nothing to race: each is tried, and the best go on.
    return Sizes(
        search=min(search, max(count - 1, 0)),
        short_s=short_s,
        long_s=long_s,
        entrants=min(race.ENTRANTS, max(count - 1, 0)),
        semifinalists=min(race.SEMIFINALISTS, max(count - 1, 0)),
        confirm_blocks=confirm_blocks,
        is_screening=is_screening,
    )


class Ground:
    """Facts that stay the same for a whole tuning.

    target_knobs: those that the target has, by name. cores: that the server may use, for the queueing model;
    None where it is not to be asked. margin: within which differences do not matter, on the objective's
    scale. second: a further objective; the search then looks along the front of the two.
    """

    def __init__(
        self,
        plan: Plan,
        space: SettingSpace,
        objective: Objective,
        sizes: Sizes,
        *,
        margin: float,
        target_knobs: Mapping[str, Knob] | None = None,
        cores: float | None = None,
        model: Name = "gaussian",
        second: Objective | None = None,
    ) -> None:
        self.plan, self.space, self.objective, self.sizes = plan, space, objective, sizes
        self.margin, self.target_knobs, self.cores = margin, target_knobs or {}, cores
        self.model, self.second = model, second
        self.base: Setting = base(plan.knobs)
        self.first: dict[StageName, int] = {}
        at = 0
        for name, blocks in self.blocks.items():
            self.first[name] = at
            at += blocks

    @property
    def blocks(self) -> Mapping[StageName, int]:
        """Return how many blocks each stage has, in their order."""
        screening = int(self.sizes.is_screening)
        return {
            "screen": screening,
            "doubt": screening,
            "search": math.ceil(self.sizes.search / BATCH),
            "race": 1,
            "final race": self.sizes.final_blocks,
            "confirm": self.sizes.confirm_blocks,
        }

    def stage_of(self, block: int) -> StageName:
        """Return the stage that a block belongs to."""
        # A stage without blocks begins where the next does: the later one is meant.
        return next(name for name in reversed(self.first) if block >= self.first[name])

    def planned(self) -> Mapping[StageName, int]:
        """Return how many trials each stage has at the most."""
        sizes = self.sizes
        screening = len(screen.design(self.space)) + screen.BASES if sizes.is_screening else 0
        return {
            "screen": screening,
            "doubt": 0,
            "search": sizes.search + math.ceil(sizes.search / BATCH),
            "race": sizes.entrants + 1 if sizes.entrants else 0,
            "final race": sizes.final_blocks * (sizes.semifinalists + 1) if sizes.semifinalists else 0,
            "confirm": sizes.confirm_blocks * (min(sizes.semifinalists, race.FINALISTS) + 1),
        }

    @property
    def seconds(self) -> float:
        """Return the seconds of load measured in all stages at the most."""
        return sum(trials * self.sizes.seconds(name) for name, trials in self.planned().items())


def cores_of(plan: Plan) -> float:
    """Return the cores that the server may use: those the plan holds it on, else all of this machine's."""
    cpus = getattr(plan.target.options, "cpus", ())
    return float(len(cpus) or os.cpu_count() or 1)
