"""Code quality report of GitLab: JSON, shown in the merge request.

## What is written

An object for each goal that was missed (`major`) or could not be decided (`minor`), and for what
disturbed the
trial; of a trial that is void or whose server failed also the answer. `fingerprint` is the same in
every run of
the plan, so that GitLab shows what is new and what is mended.

## Who reads it

GitLab, as `artifacts: reports: codequality: FILE`.

## What is missing

Lines of a file: everything stands at the first line of `plan.yaml`, which a recording keeps under that
name.
"""

import hashlib
import json
from typing import BinaryIO

from loadrig.exporters._remarks import remarks
from loadrig.exporters._trial import ExportedTrial
from loadrig.language.choice import texts_of
from loadrig.language.en.exporters import ExportersTexts

TITLE = texts_of(ExportersTexts).gitlab
FILE = "gl-code-quality-report.json"

SEVERITIES = {"error": "major", "warning": "minor"}
"""GitLab's severity of a statement; a notice is no issue."""


def write(trial: ExportedTrial, out: BinaryIO) -> None:
    """Write the list of issues."""
    issues = [
        {
            "description": remark.text,
            "check_name": f"loadrig: {remark.name}",
            "fingerprint": hashlib.sha256(f"{trial.name}\0{remark.name}".encode()).hexdigest(),
            "severity": SEVERITIES[remark.level],
            "location": {"path": "plan.yaml", "lines": {"begin": 1}},
        }
        for remark in remarks(trial)
        if remark.level in SEVERITIES
    ]
    out.write((json.dumps(issues, indent=1, ensure_ascii=False) + "\n").encode())
