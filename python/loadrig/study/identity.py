"""Whether two plans ask the same of the same server: only then may their trials stand side by side."""

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from loadrig.plan.model import Plan


def identity(plan: Plan) -> dict[str, str]:
    """Return a digest of each part of a plan that trials depend on, by the part's name.

    Left out is what only says how trials are judged or how many there are (name, goals, blocks,
    budget, the measure that decides): a study may go on with more blocks or another question.
    """
    parts = {
        "target": plan.target,
        "knobs": plan.knobs,
        "workload": plan.workload,
        "trial": plan.trial,
        "probes": plan.probes,
        "observers": plan.observers,
        "strategy": plan.study.strategy,
    }
    return {name: _digest(_plain(part)) for name, part in parts.items()}


def differing(a: Mapping[str, str], b: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of the parts in which two identities differ."""
    return tuple(name for name in dict.fromkeys([*a, *b]) if a.get(name) != b.get(name))


def _plain(value: Any) -> Any:
    """Return a value as JSON knows it; places in the user's text (compare=False) say nothing of it."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [field for field in dataclasses.fields(value) if field.compare]
        return [type(value).__name__, {field.name: _plain(getattr(value, field.name)) for field in fields}]
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    return value if isinstance(value, str | int | float | bool | None) else repr(value)


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]
