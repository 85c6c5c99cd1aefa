"""Tests of other tools become plans: a file is a format, and its name is the tool's.

A member has TOOL (the tool's name as its makers write it), FILES (what is read, in a few words), and

    recognises(head: bytes, name: str) -> bool    by the first bytes of a file, unpacked, and its name
    convert(source: TestSource) -> Conversion     the plan that says the same, and what it cannot say

It raises what `source` makes: `source.bad(...)` at a place that cannot be understood. What it leaves out goes
into the conversion's `dropped`, what the plan says otherwise than the test into its `altered`, each by its
place; nothing is left out in silence. A draft is in the plan's own terms, the classes of `plan.written` and
`plan.model`, so that a member knows nothing of YAML; `_write` makes the file, with comments, and looks
whether the plan reader takes it.
"""

from loadrig.converters._draft import (
    Altered,
    Conversion,
    Dropped,
    FeedDraft,
    FileDraft,
    PlanDraft,
    ScenarioDraft,
    StepDraft,
)
from loadrig.converters._read import ConvertedPlan, convert_files, converter_of, named_files
from loadrig.converters._source import TestSource

__all__ = [
    "Altered",
    "Conversion",
    "ConvertedPlan",
    "Dropped",
    "FeedDraft",
    "FileDraft",
    "PlanDraft",
    "ScenarioDraft",
    "StepDraft",
    "TestSource",
    "convert_files",
    "converter_of",
    "named_files",
]
