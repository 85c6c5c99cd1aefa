"""A plan made of a test, run by a single user without pauses: what a tool's own run is held against."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

ARRIVALS = ("users", "rate", "sessions", "replay", "limit")
PAUSES = ("think", "pace")
RUN_S = 90
MEASURE = "20s"
"""Time that a run may take; each ends by its count of loops or requests before."""

Plan = dict[str, Any]


def plans_of(text: str, *, loops: int, requests: int, users: int) -> Iterator[Plan]:
    """Yield the plans to run: one for each sequence of requests, or one in all where shares are compared.

    loops: how often a user goes through a sequence, or 0 where `requests` in all say when a run ends.
    """
    plan: Plan = YAML(typ="safe", pure=True).load(text)
    workload = {key: value for key, value in _without_pauses(plan["workload"]).items() if key not in ARRIVALS}
    limit = {"loops": loops} if loops else {"requests": requests}
    whole = {
        **{key: value for key, value in plan.items() if key not in ("goals", "trial", "probes")},
        "unwatched": "all",
        "trial": {"measure": MEASURE, "warm_up": "0s", "seed": 5},
        "workload": {**workload, "users": users, "limit": limit, "tls": {"insecure": True}},
    }
    scenarios = workload.get("scenarios") if loops else None
    if not scenarios:
        yield whole
        return
    for scenario in scenarios:
        body = {key: value for key, value in whole["workload"].items() if key != "scenarios"}
        yield {**whole, "workload": {**body, "steps": scenario["steps"]}}


def run(plan: Plan, folder: Path, name: str) -> str:
    """Run a plan whose files lie in a folder; return what it complains of, empty where it ran."""
    path = folder / f"{name}.yaml"
    path.write_text(json.dumps(plan, default=str), encoding="utf-8")
    words = [sys.executable, "-m", "loadrig.cli", "run", str(path), "-o", str(folder / name)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=RUN_S, check=False)
    return "" if (folder / name).is_dir() else done.stderr[-500:]


def ports_in(*texts: str) -> set[int]:
    """Return the ports that a test or its plan may name, beside the usual ones."""
    numbers = {int(port) for text in texts for port in re.findall(r"(?::|port\W{1,12})(\d{2,5})\b", text)}
    return {80, 443, 8080} | {port for port in sorted(numbers)[:200] if port < 65536}


def _without_pauses(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_pauses(inner) for key, inner in value.items() if key not in PAUSES}
    return [_without_pauses(inner) for inner in value] if isinstance(value, list) else value
