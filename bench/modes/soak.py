"""Are leaks found, healthy soaks left alone, dips put down to their cause? On simulated servers.

Nothing is loaded: `soak/memory.py`, `soak/dips.py` and `soak/courses.py` say by which laws memory, throughput
and latency were made, and the soak's own code judges them. The method was made on other seeds than these.
What a long soak costs the rig itself is measured by `python -m bench.soak.scale`.
"""

from collections.abc import Callable, Iterable, Sequence
from statistics import median
from typing import Any

from bench.figures import markdown, verdict
from bench.lab import Bench
from bench.soak import answers, dips
from loadrig.stats.intervals import wilson_share

SEEDS, HEALTHY = 4, 60
"""Seeds of each leaking law, and healthy soaks, for each of --runs."""

EARLY, DRIFTING = 2, 6

MASKED = ("recycled", "recycled cache")
"""Laws of servers whose workers are restarted, which bounds what they leak and hides it."""

DRIFTS = ("step", "slope")
"""Laws of courses of which one route drifts."""

LISTS = ("leaks", "beside", "healthy", "early", "dipping", "dip_free", "drifting")
"""Names of what is measured: a row for each soak."""

Row = dict[str, Any]


def measure(lab: Bench) -> dict[str, Any]:
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


def summarise(section: dict[str, Any]) -> dict[str, Any]:
    """Count by law what was found and held; single soaks are left out."""
    leaks: Sequence[Row] = section["leaks"]
    plain = [row for row in leaks if row["law"] not in MASKED]
    goals = {
        "found": _count(plain, _is_found),
        "accused": _count(section["healthy"], _is_found),
        "held": _count(filter(_is_found, plain), _is_held),
        "caused": _count(section["dipping"], lambda row: row["said"] == row["cause"]),
        "made_up": _count(section["dip_free"], lambda row: bool(row["said"])),
    }
    return {name: value for name, value in section.items() if name not in LISTS} | {
        "laws": _by_law(leaks, section["beside"]), "goals": goals, "early": _early(section["early"]),
        "drifting": _drift(section["drifting"]),
    }  # fmt: skip


def _is_found(row: Row) -> bool:
    return bool(row["word"] == "leaks")


def _is_held(row: Row) -> bool:
    return bool(row["low"] <= row["leak"] <= row["high"])


def _count(rows: Iterable[Row], holds: Callable[[Row], bool]) -> list[int]:
    """Return the number of rows of which it holds, and how many there are."""
    hits = [holds(row) for row in rows]
    return [sum(hits), len(hits)]


def _by_law(leaks: Sequence[Row], beside: Sequence[Row]) -> list[Row]:
    laws = []
    for law in dict.fromkeys(row["law"] for row in leaks):
        own, more = ([row for row in rows if row["law"] == law] for rows in (leaks, beside))
        leaking = list(filter(_is_found, own))
        widths = [(row["high"] - row["low"]) / 2 / row["value"] for row in leaking]
        laws.append(
            {
                "law": law, "found": _count(own, _is_found), "beside": _count(more, _is_found),
                "held": _count(leaking, _is_held), "half_width": median(widths) if widths else None,
            }
        )  # fmt: skip
    return laws


def _early(rows: Sequence[Row]) -> list[Row]:
    kinds = []
    for law, leak in dict.fromkeys((row["law"], row["leak"]) for row in rows):
        own = [row for row in rows if (row["law"], row["leak"]) == (law, leak)]
        over = [row for row in own if row["word"] != "open"]
        kinds.append(
            {
                "law": law, "leak": leak, "over": [len(over), len(own)],
                "ended": median(row["ended"] for row in over) if over else None,
                "wrong": sum(row["wrong"] for row in own), "held": _count(over, lambda row: row["held"]),
            }
        )  # fmt: skip
    return kinds


def _drift(rows: Sequence[Row]) -> list[Row]:
    laws = []
    for law in dict.fromkeys(row["law"] for row in rows):
        own = [row for row in rows if row["law"] == law]
        found_share = _count(own, lambda row: row["found"])
        named = _count(own, lambda row: row["word"] == row["law"])
        laws.append(
            {
                "law": law, "found": found_share, "named": named,
                "held": [sum(row["held"] for row in own), found_share[0]],
                "false": _count(own, lambda row: row["false"] > 0),
                "mix": _count(own, lambda row: row["mix"]),
            }
        )  # fmt: skip
    return laws


def tables(section: dict[str, Any]) -> list[str]:
    """Leaks by law, then the goals, each with its interval."""
    goals = section["goals"]
    laws = [
        [
            f"{row['law']}{' (restarts hide it)' if row['law'] in MASKED else ''}", _of(row["found"]),
            _of(row["beside"]), _of(row["held"]),
            "–" if row["half_width"] is None else f"±{row['half_width']:.0%}",
        ]
        for row in section["laws"]
    ]  # fmt: skip
    head = [
        "beneath the leak", "found", f"beside up to {answers.MORE_BESIDE:g} times as much",
        "size within its interval", "half-width",
    ]  # fmt: skip
    goal_lines = [
        _goal("leaks of 1 kB a request that are found", goals["found"], 0.95, at_least=True),
        _goal("healthy soaks that are accused", goals["accused"], 0.0),
        _goal("of the sizes of those leaks, held by their interval", goals["held"], 0.90, at_least=True),
        _goal("dips put down to their cause", goals["caused"], 0.95, at_least=True),
        _goal("dips seen where there are none", goals["made_up"], 0.01),
    ]
    return [
        markdown(head, laws), "\n".join(goal_lines), _ended_early(section["early"]),
        _drifted(section["drifting"])
    ]  # fmt: skip


def _of(count: Sequence[int]) -> str:
    return f"{count[0]} of {count[1]}"


def _goal(name: str, count: Sequence[int], wanted: float, *, at_least: bool = False) -> str:
    share = wilson_share(*count)
    text = verdict(name, share.value * 100, wanted * 100, " %", at_least=at_least)
    return f"{text} ({_of(count)}; 95 %: {share.low:.1%} to {share.high:.1%})"


def _ended_early(rows: Sequence[Row]) -> str:
    lines = [
        [
            f"{row['law']}, {'leaking' if row['leak'] else 'healthy'}", _of(row["over"]),
            "–" if row["ended"] is None else f"{row['ended']:.0%}", str(row["wrong"]), _of(row["held"]),
        ]
        for row in rows
    ]  # fmt: skip
    return markdown(["may end early", "did", "after", "wrong", "size within its interval"], lines)


def _drifted(rows: Sequence[Row]) -> str:
    lines = [
        [
            row["law"],
            *(_of(row[name]) if row["law"] in DRIFTS else "–" for name in ("found", "named", "held")),
            _of(row["false"]), _of(row["mix"]),
        ]
        for row in rows
    ]  # fmt: skip
    head = [
        "drift of one route of ten", "found", "as what it is", "change within its interval",
        "another route accused", "put down to the mix",
    ]  # fmt: skip
    return markdown(head, lines)
