"""Messages of the servers, from the events of a recording."""

from pathlib import Path
from typing import Any

import pytest

from loadrig.base.errors import PlanError
from loadrig.base.series import Event
from loadrig.recording.layout import TrialFolder
from loadrig.recording.reader import Recording
from loadrig.recording.writer import TrialWriter
from loadrig.trial.document import LogFact, ServerLog
from loadrig.trial.server_logs import server_logs_of

S = 1_000_000_000
UNREAD = "the log x is not read: no right"
POOL = {"system": "sqlalchemy", "resource": "pool", "what": "timed_out"}


def logs(folder: Path, *events: Event) -> dict[str, ServerLog]:
    """Return the logs of a recording whose load began at second 10."""
    with TrialWriter(TrialFolder(folder), {"start_ns": 10 * S}) as writer:
        for event in events:
            writer.event(event)
        writer.seal()
    return server_logs_of(Recording.open(folder))


def fact(second: int, count: Any, component: str = "server", **numbers: Any) -> Event:
    facts = {**POOL, "count": count, "numbers": numbers}
    return Event(second * S, "server_fact", "server_log", "sqlalchemy: no connection", facts, component)


def template(second: int, number: int, count: int, level: str = "", over_s: float = 0.0) -> Event:
    facts = {"template": number, "level": level, "source": "x.log", "count": count, "over_s": over_s}
    return Event(second * S, "log_template", "server_log", f"line {number}", facts, "server")


def test_facts_of_one_kind_are_one_with_the_sum_of_their_lines(tmp_path: Path) -> None:
    log_by_component = logs(tmp_path / "t", fact(11, 3, size=5), fact(15, 4, size=6), fact(12, 1, "worker"))
    assert log_by_component["server"].facts == (
        LogFact(
            resource="pool", what="timed_out", system="sqlalchemy", text="sqlalchemy: no connection", count=7,
            numbers={"size": 6.0}, first_s=1.0, last_s=5.0,
        ),
    )  # fmt: skip
    assert log_by_component["worker"].facts[0].count == 1


def test_of_a_template_the_newest_count_holds_and_the_gravest_comes_first(tmp_path: Path) -> None:
    log_by_component = logs(
        tmp_path / "t",
        template(11, 1, 10),
        template(20, 1, 900, over_s=9.0),
        template(12, 2, 5, "error"),
        template(12, 3, 7, "error"),
    )
    templates = log_by_component["server"].templates
    assert [(template.text, template.count) for template in templates] == [
        ("line 3", 7),
        ("line 2", 5),
        ("line 1", 900),
    ]
    assert (templates[2].first_s, templates[2].last_s) == (1.0, 10.0)


def test_what_came_before_the_load_alone_is_left_out(tmp_path: Path) -> None:
    assert logs(tmp_path / "t", fact(9, 3), template(5, 1, 2)) == {}


def test_logs_that_cannot_be_read_are_named_once(tmp_path: Path) -> None:
    note = Event(1 * S, "note", "server_log", UNREAD, {}, "server")
    assert logs(tmp_path / "t", note, note)["server"].unread == (UNREAD,)


@pytest.mark.parametrize(
    "facts", [{"template": 1, "count": []}, {"template": 1, "over_s": "y"}, {"count": 1}], ids=str
)
def test_facts_of_another_type_are_refused_with_their_place(facts: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(PlanError) as raised:
        logs(tmp_path / "t", Event(11 * S, "log_template", "server_log", "x", facts, "server"))
    (problem,) = raised.value.problems
    assert problem.code == "recording.broken"
    assert "log_template" in problem.what
