"""Many seeds on each surface at each noise: how often the recommended is within 3 % of the best."""

import hashlib
import inspect
import math
import sys
from collections.abc import Sequence
from statistics import median
from typing import Any

from bench.diagnosis.ledger import BenchLedger
from bench.figures import markdown
from bench.tune import replay, rivals, smooth, surface, synthetic, weather
from bench.tune.replay import TuningOutcome, grid_seconds
from bench.tune.surface import Surface
from loadrig.stats.intervals import wilson_share
from loadrig.study.tuning import (
    answering,
    confirm,
    gaussian,
    ground,
    model,
    objective,
    queueing,
    race,
    rounds,
    screen,
    screened,
    search,
    space,
    stages,
)

REGRET_MOST, SHARE_LEAST, GRID_SHARE_MOST = 0.03, 0.90, 0.20
"""The goal: within 3 % of the best in 90 % of the seeds, at no more than 20 % of one grid's trial time."""

LEVELS, USUAL = (0.03, 0.05, 0.10), 0.05
"""Noise of a trial of a minute, as a share. What is made up, and variants of ours, see USUAL only."""

OURS, TPE, NO_PRIOR = "loadrig", "loadrig, Optuna's model", "loadrig, no queueing model"

SOURCES = (
    replay, rivals, smooth, surface, synthetic, weather, answering, confirm, gaussian, ground, model,
    objective, queueing, race, rounds, screen, screened, search, space, stages,
)  # fmt: skip
"""Modules on which an outcome depends."""

Row = dict[str, Any]


def version() -> str:
    """Changes with all that an outcome depends on, so that no old one is taken for a new."""
    text = "".join(inspect.getsource(module) for module in SOURCES)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def run(ledger: BenchLedger, surfaces: Sequence[Surface], seeds: int, *, extra: bool = False) -> list[Row]:
    """So many seeds of each surface, noise and way; those that the ledger does not have are made.

    extra: our tuner without its prior and with Optuna's model, too.
    """
    now, rows = version(), []
    for landscape in surfaces:
        for level in (USUAL,) if landscape.is_synthetic else LEVELS:
            for way in [OURS, *rivals.RIVALS, *((NO_PRIOR, TPE) if extra and level == USUAL else ())]:
                for seed in range(1, seeds + 1):
                    key = f"tuned:{now}:{landscape.name}:{level}:{way}:{seed}"
                    if key not in ledger.rows:
                        spent = None if way.startswith(OURS) else _spent(ledger, now, landscape, level, seed)
                        ledger.add({"key": key, **_row(landscape, level, way, seed, spent)})
                    rows.append(ledger.rows[key])
                print(f"  {landscape.name}, {level:.0%}: {way}, {seeds} seeds", file=sys.stderr, flush=True)
    return rows


def _spent(ledger: BenchLedger, now: str, surface: Surface, level: float, seed: int) -> float:
    """Return the trial seconds that our tuner took with the same seed: the rivals have as much."""
    return float(ledger.rows[f"tuned:{now}:{surface.name}:{level}:{OURS}:{seed}"]["seconds"])


def _row(surface: Surface, level: float, way: str, seed: int, spent: float | None) -> Row:
    outcome = _outcome(surface, level, way, seed, spent)
    return {
        "surface": surface.name, "synthetic": surface.is_synthetic, "level": level, "way": way, "seed": seed,
        "regret": outcome.regret if math.isfinite(outcome.regret) else None, "seconds": outcome.seconds,
        "grid_share": outcome.grid_share, "trials": outcome.trials, "grid_s": grid_seconds(surface),
        "inert": list(outcome.inert),
    }  # fmt: skip


def _outcome(surface: Surface, level: float, way: str, seed: int, spent: float | None) -> TuningOutcome:
    match way:
        case "loadrig":
            return replay.tuned(surface, level, seed)
        case "loadrig, no queueing model":
            return replay.tuned(surface, level, seed, with_prior=False)
        case "loadrig, Optuna's model":
            return replay.tuned(surface, level, seed, model="tpe")
    return rivals.RIVALS[way](surface, level, seed, spent or 0.0)


def packed(rows: Sequence[Row]) -> list[Row]:
    """Return a row for each surface, noise and way.

    regret null: a goal was missed, or nothing was recommended.
    """
    groups: dict[tuple[str, float, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["surface"], row["level"], row["way"]), []).append(row)
    rows_packed = []
    for (name, level, way), members in groups.items():
        regrets = sorted(math.inf if row["regret"] is None else row["regret"] for row in members)
        within = sum(regret <= REGRET_MOST for regret in regrets)
        share = wilson_share(within, len(members))
        finite = sum(math.isfinite(regret) for regret in regrets)
        at_90 = regrets[math.ceil(0.9 * len(regrets)) - 1]
        rows_packed.append(
            {
                "surface": name, "synthetic": members[0]["synthetic"], "level": level, "way": way,
                "seeds": len(members), "within": within, "low": share.low, "high": share.high, "kept": finite,
                "median": regrets[len(regrets) // 2] if math.isfinite(regrets[len(regrets) // 2]) else None,
                "p90": at_90 if math.isfinite(at_90) else None,
                "grid_share": median(row["grid_share"] for row in members),
                "most_grid_share": max(row["grid_share"] for row in members),
                "minutes": median(row["seconds"] for row in members) / 60,
            }
        )  # fmt: skip
    return rows_packed


def tables(rows: Sequence[Row]) -> list[str]:
    """Return a heading and a table for each surface."""
    lines = []
    for name in dict.fromkeys(row["surface"] for row in rows):
        mine = [row for row in rows if row["surface"] == name]
        kind = "synthetic: made from facts of the cases, not measured" if mine[0]["synthetic"] else "recorded"
        heads = [
            "way", "noise", "within 3 %", "95 % interval", "goals kept", "median regret", "90th percentile",
            "of one grid", "at most", "minutes",
        ]  # fmt: skip
        body = [
            [
                row["way"], f"{row['level']:.0%}", f"{row['within']} of {row['seeds']}",
                f"{row['low']:.0%}–{row['high']:.0%}", f"{row['kept']} of {row['seeds']}",
                _share(row["median"]), _share(row["p90"]), f"{row['grid_share']:.0%}",
                f"{row['most_grid_share']:.0%}", f"{row['minutes']:.0f}",
            ]
            for row in mine
        ]  # fmt: skip
        lines += [f"### {name} ({kind})", markdown(heads, body)]
    return lines


def _share(regret: float | None) -> str:
    return "a goal missed" if regret is None else f"{regret:.1%}"
