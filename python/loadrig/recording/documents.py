"""Documents of a run's folder that are read whole: JSON and the plan.

A folder is passed on, so whoever made it is not trusted: only a regular file of a bounded size is read, and
what is wrong with it is said with its path.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from loadrig.base import user_files
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.recording import RecordingDocumentsErrors
from loadrig.recording.manifest import broken

ERRORS = texts_of(RecordingDocumentsErrors)

TRIAL, STUDY = "loadrig.trial/2", "loadrig.study/2"
"""Schemas of the results that this version writes. Results of version 1 are read as such: see `upgraded`."""

MOST_BYTES = user_files.MOST_DOCUMENT_BYTES
"""Largest size of a document, in bytes: a config of the generator, a result, a proof. It is held in
memory."""

MOST_PLAN_BYTES = 2 * user_files.MOST_TEXT_BYTES
"""Largest size of a kept plan, in bytes: holes that stand for secrets may be longer than what was written."""


def text(path: Path, most_bytes: int = MOST_PLAN_BYTES) -> str:
    """Return all of a text, such as the plan. Raises FileNotFoundError, and PlanError `recording.broken`."""
    try:
        return user_files.read_text(path, most_bytes)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise broken(path, error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise broken(path, ERRORS.not_utf8(str(error))) from error


def plan_text(path: Path) -> str:
    """Return a kept plan as it stands there; "" where there is none. Raises as `text`."""
    return text(path) if path.is_file() else ""


def read(path: Path) -> dict[str, Any]:
    """Return a JSON object. Raises FileNotFoundError, and PlanError `recording.broken`."""
    content = text(path, MOST_BYTES)
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise broken(path, ERRORS.not_json(str(error))) from error
    if not isinstance(document, dict):
        raise broken(path, ERRORS.not_an_object)
    return upgraded(document)


def is_of_trial(document: Mapping[str, Any]) -> bool:
    """Return whether a document is the result of a trial, in the present schema."""
    return document.get("schema") == TRIAL


def is_of_study(document: Mapping[str, Any]) -> bool:
    """Return whether a document is the result of a study, in the present schema."""
    return document.get("schema") == STUDY


def upgraded(document: dict[str, Any]) -> dict[str, Any]:
    """Return a result in the present schema; any other document as it is. The file is left as it is.

    Version 1 called a disturbed trial suspect, and did not say which of its claims weaken. A trial that it
    called void stays void: its figures were kept, and `loadrig diagnose` judges its recording anew.
    A study that knew no diagnosis wrote an empty one until version 0.1.0.
    """
    match document:
        case {"schema": "loadrig.trial/1"}:
            validity = renamed(document.get("validity") or {}, "verdict")
            if validity:
                reasons = [renamed(reason, "level") for reason in validity.get("reasons") or ()]
                validity = {**validity, "reasons": reasons, "weakened": []}
            return {**document, "schema": TRIAL, "validity": validity}
        case {"schema": "loadrig.study/1", "settings": list(settings)}:
            counts = {
                DISTURBED if name == SUSPECT else name: number
                for name, number in (document.get("validity") or {}).items()
            }
            upgraded_settings = [
                {**setting, "trials": [renamed(trial, "validity") for trial in setting.get("trials") or ()]}
                for setting in settings
            ]
            document = {**document, "schema": STUDY, "validity": counts, "settings": upgraded_settings}
    if is_of_study(document) and document.get("diagnosis") == {}:
        return {**document, "diagnosis": None}
    return document


SUSPECT, DISTURBED = "suspect", "disturbed"
"""Words for a disturbed trial: that of version 1, and that of later versions."""


def renamed(row: dict[str, Any], name: str) -> dict[str, Any]:
    """Return an object whose field of this name has the present word for a disturbed trial."""
    return {**row, name: DISTURBED} if row.get(name) == SUSPECT else row
