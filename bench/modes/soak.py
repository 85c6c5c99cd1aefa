"""Are leaks found, healthy soaks left alone, dips put down to their cause? On simulated servers.

Nothing is loaded: `soak/memory.py`, `soak/dips.py` and `soak/courses.py` say by which laws memory, throughput
and latency were made, and the soak's own code judges them. The method was made on other seeds than these.
What a long soak costs the rig itself is measured by `python -m bench.soak.scale`.
"""

from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from bench.figures import markdown, verdict
from bench.lab import Lab
from bench.soak import answers, dips
from loadrig.stats.intervals import wilson_share

SEEDS, HEALTHY = 4, 60
"""Of each leaking law, and healthy soaks, for each of --runs."""

EARLY, DRIFTING = 2, 6

MASKED = ("recycled", "recycled cache")
"""Laws of servers whose workers are restarted, which bounds what they leak and hides it."""

Row = dict[str, Any]


def measure(lab: Lab) -> dict[str, Any]:
    """Judge them all; of --quick a few."""
    is_quick = lab.seconds is not None and lab.seconds <= 1
    seeds = 1 if is_quick else SEEDS * lab.runs
    return {
        "how": "simulated, each count as the table says",
        "leaks": answers.leaks(seeds),
        "beside": answers.leaks(max(1, seeds // 2), answers.MORE_BESIDE),
        "healthy": answers.healthy(14 if is_quick else HEALTHY * lab.runs),
        "early": answers.early(1 if is_quick else EARLY * lab.runs),
        "dipping": answers.dipping(2 if is_quick else dips.CASES * max(1, lab.runs // 2)),
        "dip_free": answers.dip_free(2 if is_quick else dips.DIP_FREE),
        "drifting": answers.drifting(1 if is_quick else DRIFTING * lab.runs),
    }


def tables(section: dict[str, Any]) -> list[str]:
    """Leaks by law, then the goals, each with its interval."""
    found: Sequence[Row] = section["leaks"]
    plain = [row for row in found if row["law"] not in MASKED]
    healthy: Sequence[Row] = section["healthy"]
    dipping: Sequence[Row] = section["dipping"]
    quiet: Sequence[Row] = section["dip_free"]
    said = [
        _goal("leaks of 1 kB a request that are found", plain, _is_found, 0.95, at_least=True),
        _goal("healthy soaks that are accused", healthy, _is_found, 0.0),
        _goal(
            "of the sizes of those leaks, held by their interval",
            _leaking(plain),
            _is_held,
            0.90,
            at_least=True,
        ),
        _goal(
            "dips put down to their cause",
            dipping,
            lambda row: row["said"] == row["cause"],
            0.95,
            at_least=True,
        ),
        _goal("dips seen where there are none", quiet, lambda row: bool(row["said"]), 0.01),
    ]
    return [
        _by_law(found, section["beside"]),
        "\n".join(said),
        _early(section["early"]),
        _drift(section["drifting"]),
    ]


def _is_found(row: Row) -> bool:
    return bool(row["word"] == "leaks")


def _is_held(row: Row) -> bool:
    return bool(row["low"] <= row["leak"] <= row["high"])


def _leaking(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if _is_found(row)]


def _goal(
    name: str, rows: Sequence[Row], holds: Callable[[Row], bool], wanted: float, *, at_least: bool = False
) -> str:
    count = sum(map(holds, rows))
    share = wilson_share(count, len(rows))
    text = verdict(name, share.value * 100, wanted * 100, " %", at_least=at_least)
    return f"{text} ({count} of {len(rows)}; 95 %: {share.low:.1%} to {share.high:.1%})"


def _by_law(found: Sequence[Row], beside: Sequence[Row]) -> str:
    lines = []
    for law in dict.fromkeys(row["law"] for row in found):
        own, more = ([row for row in rows if row["law"] == law] for rows in (found, beside))
        held = _leaking(own)
        widths = [(row["high"] - row["low"]) / 2 / row["value"] for row in held]
        lines.append(
            [
                f"{law}{' (restarts hide it)' if law in MASKED else ''}",
                f"{len(held)} of {len(own)}",
                f"{len(_leaking(more))} of {len(more)}",
                f"{sum(map(_is_held, held))} of {len(held)}",
                f"±{median(widths):.0%}" if widths else "–",
            ]
        )
    head = [
        "beneath the leak", "found", f"beside up to {answers.MORE_BESIDE:g} times as much",
        "size within its interval", "half-width",
    ]  # fmt: skip
    return markdown(head, lines)


def _early(rows: Sequence[Row]) -> str:
    lines = []
    for law, leak in dict.fromkeys((row["law"], row["leak"]) for row in rows):
        own = [row for row in rows if (row["law"], row["leak"]) == (law, leak)]
        over = [row for row in own if row["word"] != "open"]
        lines.append(
            [
                f"{law}, {'leaking' if leak else 'healthy'}",
                f"{len(over)} of {len(own)}",
                f"{median(row['ended'] for row in over):.0%}" if over else "–",
                str(sum(row["wrong"] for row in own)),
                f"{sum(row['held'] for row in over)} of {len(over)}",
            ]
        )
    return markdown(["may end early", "did", "after", "wrong", "size within its interval"], lines)


def _drift(rows: Sequence[Row]) -> str:
    lines = []
    for law in dict.fromkeys(row["law"] for row in rows):
        own = [row for row in rows if row["law"] == law]
        has = law in ("step", "slope")
        lines.append(
            [
                law,
                f"{sum(row['found'] for row in own)} of {len(own)}" if has else "–",
                f"{sum(row['word'] == law for row in own)} of {len(own)}" if has else "–",
                f"{sum(row['held'] for row in own)} of {sum(row['found'] for row in own)}" if has else "–",
                f"{sum(row['false'] > 0 for row in own)} of {len(own)}",
                f"{sum(row['mix'] for row in own)} of {len(own)}",
            ]
        )
    head = [
        "drift of one route of ten", "found", "as what it is", "change within its interval",
        "another route accused", "put down to the mix",
    ]  # fmt: skip
    return markdown(head, lines)
