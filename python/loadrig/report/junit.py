"""JUnit XML, as pipelines read it: suites of tests that passed, failed or were skipped."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree


@dataclass(frozen=True, slots=True)
class Case:
    """One test. group: what it belongs to. said: its result in a sentence; more: the numbers behind it."""

    group: str
    name: str
    outcome: Literal["passed", "failed", "skipped"]
    said: str
    more: str = ""


def write(program: str, suite: str, cases: Sequence[Case], seconds: float) -> str:
    """The file. program: what made it; suite: what was looked at; seconds: how long that took to measure."""
    counts = {
        "tests": str(len(cases)),
        "failures": str(sum(case.outcome == "failed" for case in cases)),
        "errors": "0",
        "skipped": str(sum(case.outcome == "skipped" for case in cases)),
        "time": f"{seconds:.1f}",
    }
    root = ElementTree.Element("testsuites", {"name": program, **counts})
    top = ElementTree.SubElement(root, "testsuite", {"name": _legal(suite), **counts})
    for one in cases:
        case = ElementTree.SubElement(
            top, "testcase", {"classname": _legal(one.group), "name": _legal(one.name), "time": "0"}
        )
        if one.outcome == "failed":
            failure = ElementTree.SubElement(case, "failure", {"message": _legal(one.said), "type": "worse"})
            failure.text = _legal(one.more)
        elif one.outcome == "skipped":
            ElementTree.SubElement(case, "skipped", {"message": _legal(one.said)})
        else:
            text = f"{one.said}; {one.more}" if one.more else one.said
            ElementTree.SubElement(case, "system-out").text = _legal(text)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _legal(text: str) -> str:
    """Without characters that XML 1.0 cannot hold: names of routes are the user's."""
    return "".join(
        c for c in text if c in "\t\n" or " " <= c <= "\ud7ff" or "\ue000" <= c <= "\ufffd" or c > "\uffff"
    )
