"""The machine it ran on."""

from collections.abc import Mapping
from typing import Any

from loadrig.base.documents import plain
from loadrig.report.model import Facts, Section
from loadrig.report.run import Run

ORDER = 100
TITLE = "Machine"


def build(run: Run) -> Section | None:
    """Return facts of the machine as recorded; None if none were."""
    trial = run.trial if run.views else None
    facts = plain(run.document.machine or (trial and trial.machine) or {})
    pairs = [*_flat("", facts)]
    if trial and trial.address:
        pairs.insert(0, ("address", trial.address))
    pairs.append(("loadrig", run.document.loadrig or "–"))
    return Section("machine", TITLE, (Facts(tuple(pairs)),), in_text=False) if facts else None


def _flat(prefix: str, facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return nested facts as one list; names in words."""
    pairs: list[tuple[str, str]] = []
    for name, value in facts.items():
        label = f"{prefix}{name}".replace("_", " ")
        if isinstance(value, Mapping):
            pairs += _flat(f"{label} ", value)
        elif isinstance(value, list | tuple):
            pairs.append((label, ", ".join(str(item) for item in value) or "none"))
        elif value is not None:
            is_number = isinstance(value, int) and not isinstance(value, bool)
            pairs.append((label, f"{value:,}" if is_number else str(value)))
    return pairs
