"""JUnit XML: a test for each goal, and one for whether the trial may be believed.

## What is written

A suite named after the plan. A goal that was met has passed, one that was missed has failed with its
figure, one
that could not be decided is skipped. The test `validity` fails where the trial is void or its server
failed.

## Who reads it

Jenkins, GitLab (`artifacts: reports: junit`), GitHub actions for test reports, Azure DevOps.

## What is missing

Times of the tests, which are 0: the suite has the length of the measured part.
"""

from typing import BinaryIO, Literal

from loadrig.exporters._remarks import goal_text, remarks
from loadrig.exporters._trial import ExportedTrial
from loadrig.language.choice import texts_of
from loadrig.language.en.exporters import ExportersTexts
from loadrig.report import junit
from loadrig.report.junit import JunitCase

TITLE = texts_of(ExportersTexts).junit
FILE = "junit.xml"

OUTCOMES: dict[bool | None, Literal["passed", "failed", "skipped"]] = {
    True: "passed", False: "failed", None: "skipped",
}  # fmt: skip
"""Outcome of a test by whether its goal was met."""


def write(trial: ExportedTrial, out: BinaryIO) -> None:
    """Write the suite."""
    document = trial.document
    answer = next(remarks(trial))
    outcome: Literal["passed", "failed"] = "failed" if answer.level == "error" else "passed"
    more = "\n".join(reason.text for reason in document.validity.reasons)
    cases = [JunitCase(trial.name, "validity", outcome, answer.text, more)]
    cases += [
        JunitCase(trial.name, goal.text, OUTCOMES[goal.met], goal_text(goal)) for goal in document.goals
    ]
    out.write(junit.write("loadrig", trial.name, cases, document.measured.seconds, failure="goal").encode())
