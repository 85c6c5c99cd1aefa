"""JUnit XML, as pipelines read it: suites of tests that passed, failed or were skipped."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree


@dataclass(frozen=True, slots=True)
class JunitCase:
    """Test of a suite. group: what it belongs to. text: its result, one sentence. more: its numbers."""

    group: str
    name: str
    outcome: Literal["passed", "failed", "skipped"]
    text: str
    more: str = ""


def write(
    program: str, suite: str, cases: Sequence[JunitCase], seconds: float, failure: str = "worse"
) -> str:
    """Return the file.

    program: what made it. suite: what was looked at. seconds: how long measuring took. failure: type of what
    failed.
    """
    counts = {
        "tests": str(len(cases)),
        "failures": str(sum(case.outcome == "failed" for case in cases)),
        "errors": "0",
        "time": f"{seconds:.1f}",
    }
    # Jenkins refuses attributes that its schema (junit-10.xsd) lacks, such as `skipped` at the root.
    skipped = str(sum(case.outcome == "skipped" for case in cases))
    root = ElementTree.Element("testsuites", {"name": program, **counts})
    top = ElementTree.SubElement(root, "testsuite", {"name": _legal(suite), **counts, "skipped": skipped})
    for case in cases:
        element = ElementTree.SubElement(
            top, "testcase", {"classname": _legal(case.group), "name": _legal(case.name), "time": "0"}
        )
        if case.outcome == "failed":
            failed = ElementTree.SubElement(
                element, "failure", {"message": _legal(case.text), "type": failure}
            )
            failed.text = _legal(case.more)
        elif case.outcome == "skipped":
            ElementTree.SubElement(element, "skipped", {"message": _legal(case.text)})
        else:
            text = f"{case.text}; {case.more}" if case.more else case.text
            ElementTree.SubElement(element, "system-out").text = _legal(text)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _legal(text: str) -> str:
    """Return the text without characters that XML 1.0 cannot hold: names of routes are the user's."""
    return "".join(
        c for c in text if c in "\t\n" or " " <= c <= "\ud7ff" or "\ue000" <= c <= "\ufffd" or c > "\uffff"
    )
