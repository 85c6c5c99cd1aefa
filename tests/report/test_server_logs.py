"""The section on what the servers said: facts, templates, and at most three lines for a terminal."""

import json
import re
from pathlib import Path
from typing import Any

from loadrig import report
from loadrig.report import html, text

TITLE = "Log lines of the servers under load"
EVIL = "<script>alert(1)</script>\x1b[31m\u202e"


def fact(n: int, message: str = "no connection of the pool became free in time") -> dict[str, Any]:
    return {
        "resource": "pool", "what": f"timed_out{n}", "system": "sqlalchemy", "text": f"sqlalchemy: {message}",
        "count": 6000 + n, "numbers": {"size": 5.0, "timeout_s": 30.0}, "first_s": 1.5, "last_s": 20.0,
    }  # fmt: skip


def template(message: str, level: str = "error") -> dict[str, Any]:
    return {"text": message, "level": level, "source": "x.log", "count": 7, "first_s": 1.0, "last_s": 2.0}


def report_with(run: Path, logs: dict[str, Any]) -> report.Report:
    document = json.loads((run / "result.json").read_text(encoding="utf-8"))
    trials = document.get("trials")
    for trial in trials if trials else [document]:
        trial["server_logs"] = logs
    return report.build(run, document)


def lines(built: report.Report) -> list[str]:
    shown = text.render(built, width=100)
    if TITLE not in shown:
        return []
    return [line for line in shown.split(TITLE)[1].split("\n\n")[0].splitlines() if line.strip()]


def test_a_terminal_has_at_most_three_lines_the_most_frequent_first(trial_run: Path) -> None:
    logs = {"server": {"facts": [fact(n) for n in range(6)], "templates": [], "unread": []}}
    shown_lines = lines(report_with(trial_run, logs))
    assert [re.match(r"[\d,]+", line.strip())[0] for line in shown_lines] == ["6,005", "6,004", "6,003"]  # type: ignore[index]
    assert all(len(line) <= 100 for line in shown_lines)
    assert "size 5, timeout 30 s" in html.render(report_with(trial_run, logs))


def test_where_no_fact_is_told_lines_of_errors_are(trial_run: Path) -> None:
    templates = [template("it broke"), template("all is well", "info")]
    logs = {"server": {"facts": [], "templates": templates, "unread": []}}
    assert [line.strip() for line in lines(report_with(trial_run, logs))] == ["7 × server · it broke"]


def test_where_nothing_was_said_there_is_no_section(trial_run: Path) -> None:
    assert TITLE not in html.render(report_with(trial_run, {}))


def test_hostile_text_is_shown_and_never_run(trial_run: Path) -> None:
    logs = {EVIL: {"facts": [fact(1, EVIL)], "templates": [template(EVIL)], "unread": [EVIL]}}
    built = report_with(trial_run, logs)
    page, shown = html.render(built), text.render(built, width=100)
    assert TITLE in page
    assert "<script>alert" not in page
    assert not any(sign in page + shown for sign in ("\x1b", "\u202e"))
