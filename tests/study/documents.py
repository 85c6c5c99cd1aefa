"""Results of studies that are made up, for tests that read them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from loadrig.base.documents import typed
from loadrig.base.setting import show_setting
from loadrig.study.document import StudyDocument

RECORDED_SEARCH = Path(__file__).parent / "capacity" / "recorded" / "rate.json"


def result_of_study(settings: Sequence[Mapping[str, Any]] = (), **changes: Any) -> dict[str, Any]:
    """Return a study's result as plain data: of nothing but these settings, with changes to the rest."""
    return {
        "schema": "loadrig.study/2", "loadrig": "0.1.0", "name": "shop", "kind": "grid",
        "created": "2025-11-21T10:12:00+00:00", "seconds": 40.0, "finished": True,
        "question": {
            "by": "throughput", "unit": "1/s", "better": "higher", "equal_within": 0.03, "scale": "ratio",
        },
        "noise": {"pairs": 0, "sd_log": None, "relative": None, "false_alarms": 0, "text": ""},
        "settings": list(settings), "comparisons": [], "knob_effects": [], "recommended": None,
        "capacity": None, "findings": [], "machine": {}, "validity": {"valid": 1, "disturbed": 0, "void": 0},
        "warnings": [], **changes,
    }  # fmt: skip


def setting_row(number: int, setting: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    """Return a setting of a study's result that was not tried, with changes."""
    return {
        "id": number, "setting": dict(setting), "label": show_setting(setting), "is_base": number == 0,
        "trials": [], "measures": {}, "feasible": None, "goals": [], "standing": "undecided", **changes,
    }  # fmt: skip


def searched(capacity: float | None, unit: str = "1/s", **changes: Any) -> dict[str, Any]:
    """Return the answer of a search, as recorded but for the capacity, its unit and other changes."""
    recorded = json.loads(RECORDED_SEARCH.read_text(encoding="utf-8"))
    del recorded["rps"]
    interval = None if capacity is None else [0.98 * capacity, 1.02 * capacity]
    key = "users" if unit == "users" else "rps"
    return {**recorded, key: capacity, "interval": interval, "unit": unit, **changes}


def study_document(settings: Sequence[Mapping[str, Any]] = (), **changes: Any) -> StudyDocument:
    """Return the document of `result_of_study`."""
    return typed(StudyDocument, result_of_study(settings, **changes), "result.json")
