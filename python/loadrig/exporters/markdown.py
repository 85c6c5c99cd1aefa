"""Markdown: the answer, the goals and the times of each route, for a summary of a pipeline or a comment.

## What is written

The answer in at most three sentences, a table of goals, a table of routes, and what disturbed the trial.

## Who reads it

GitHub (`loadrig export RUN --to markdown -o - >> "$GITHUB_STEP_SUMMARY"`), GitLab, Gitea, every wiki.

## What is missing

Pictures and the diagnosis in full: `loadrig report` writes the page that has them.
"""

from typing import BinaryIO

from loadrig.exporters._remarks import goal_text
from loadrig.exporters._trial import ExportedTrial
from loadrig.language.choice import texts_of
from loadrig.language.en.exporters import ExportersTexts
from loadrig.report.markdown import code, plain, table
from loadrig.report.sections.verdict import sentences
from loadrig.trial.document import TimesDocument

TEXTS = texts_of(ExportersTexts)

TITLE = TEXTS.markdown
FILE = "summary.md"

MARKS = {True: "✅", False: "❌", None: "❔"}
"""Sign of a goal by whether it was met."""


def write(trial: ExportedTrial, out: BinaryIO) -> None:
    """Write the page."""
    document = trial.document
    parts = [f"## {plain(trial.name)}", *(plain(sentence) for sentence in sentences(document))]
    if document.goals:
        rows = [(MARKS[goal.met], code(goal.text), plain(goal_text(goal))) for goal in document.goals]
        parts.append(table(("", TEXTS.goal, TEXTS.result), rows))
    heads = (TEXTS.route, TEXTS.requests, TEXTS.failed, "p50 (ms)", "p95 (ms)", "p99 (ms)", "max (ms)")
    lines = []
    has_outcomes = not document.imported or document.imported.has_outcomes
    for name, totals in document.routes.items():
        failed = f"{totals.count - totals.outcomes.get('ok', 0)}" if has_outcomes else ""
        lines.append((code(name), str(totals.count), failed, *_times(totals.latency_ms.good)))
    if lines:
        parts.append(table(heads, lines, right=frozenset(range(1, len(heads)))))
    reasons = [f"- {plain(reason.text)}" for reason in document.validity.reasons if reason.level != "note"]
    if reasons:
        parts.append("\n".join((TEXTS.disturbed_by, "", *reasons)))
    out.write(("\n\n".join(parts) + "\n").encode())


def _times(times: TimesDocument | None) -> tuple[str, ...]:
    if times is None:
        return ("", "", "", "")
    return tuple(f"{value:.3g}" for value in (times.p50, times.p95, times.p99, times.max))
