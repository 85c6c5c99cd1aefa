"""The tiers of a run: the map, the strips and what happened, as the data that the page draws."""

from pathlib import Path
from typing import Any

import pytest

from loadrig.base.documents import typed
from loadrig.base.series import Event
from loadrig.recording.service_map import EdgeDocument, MapComponent, MapDocument
from loadrig.report.figures import service_map, tier_strips, what_happened
from loadrig.report.model import Figure
from loadrig.report.run import TrialView, read
from tests.report.folders import MAP, NASTY_TIER, single

S = 1_000_000_000


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> TrialView:
    return read(single(tmp_path_factory.mktemp("run") / "one")).views[0]


def drawn(figure: Figure | None) -> dict[str, Any]:
    assert figure is not None
    return dict(figure.data)


def test_the_map_has_a_box_a_tier_and_an_arrow_a_connection(view: TrialView) -> None:
    data = drawn(service_map.draw("1", typed(MapDocument, MAP, "the map"), view.timeline, "50 users"))
    assert [(node["id"], node["depth"]) for node in data["nodes"]] == [
        ("load", 0), ("server", 1), ("redis", 2), (NASTY_TIER, 2),
    ]  # fmt: skip
    assert [(edge["source"], edge["to"], edge["label"]) for edge in data["edges"]] == [
        ("load", "server", []),
        ("server", "redis", ["24 connections", "380/s opened"]),
        ("server", NASTY_TIER, ["1 connection"]),
    ]
    server = data["nodes"][1]
    assert (server["title"], server["sub"]) == ("server · gunicorn", "gunicorn 27.0.1, cpython 3.11.7")
    assert server["facts"][0] == "process 4710 and 2 workers"
    assert data["nodes"][3]["facts"] == ["elsewhere: 10.0.0.7:5432"]


def test_tiers_that_talk_in_a_circle_have_a_place_each(view: TrialView) -> None:
    edges = [("server", "a"), ("a", "b"), ("b", "server"), ("alone", "a")]
    map_document = MapDocument(
        components=tuple(MapComponent(name, "program") for name in ("server", "a", "b", "alone")),
        edges=tuple(EdgeDocument(source, to, connections=1) for source, to in edges),
    )
    data = drawn(service_map.draw("1", map_document, view.timeline, ""))
    assert {node["id"]: node["depth"] for node in data["nodes"]} == {
        "load": 0, "server": 1, "a": 2, "b": 3, "alone": 1,
    }  # fmt: skip


def test_nobody_found_is_no_map(view: TrialView) -> None:
    assert service_map.draw("1", MapDocument(), view.timeline, "") is None
    host = MapDocument(components=(MapComponent("host", "host"),))
    assert service_map.draw("1", host, view.timeline, "") is None


def test_the_load_comes_first_then_the_server_then_whom_it_talks_to_then_the_host(view: TrialView) -> None:
    data = drawn(tier_strips.draw("1", view.timeline, {"redis": "redis 7.0.15"}))
    headings = [panel["heading"] for panel in data["panels"] if "heading" in panel]
    assert headings == ["Load", "server", "redis 7.0.15", "host"]
    titles = [panel["title"] for panel in data["panels"]]
    assert titles[:7] == ["Load", "Latency", "CPU", "Memory", "CPU", "Memory", "Cores"]
    assert [title.partition(" ")[0] for title in titles[7:]] == ["TIME_WAIT", "Connections"]


def test_time_wait_is_shown_by_direction(view: TrialView) -> None:
    data = drawn(tier_strips.draw("1", view.timeline, {}))
    panel = next(panel for panel in data["panels"] if panel["title"].startswith("TIME_WAIT"))
    assert [line["label"] for line in panel["lines"]] == ["out:127.0.0.1:6379", "in:41231"]


def test_the_table_names_the_tier_of_each_metric(view: TrialView) -> None:
    figure = tier_strips.draw("1", view.timeline, {})
    assert figure is not None
    assert figure.table is not None
    rows = {(row[0].text, row[1].text, row[2].text) for row in figure.table.rows}
    assert {("server", "process.cpu_s", "tree"), ("redis", "process.cpu_s", "tree")} <= rows
    assert ("host", "tcp_sockets.time_wait", "in:41231") not in rows, "it was zero all the time"


def test_what_happened_is_a_lane_a_tier_and_kind(view: TrialView) -> None:
    data = drawn(what_happened.draw("1", view.timeline, view.recording.events, 5_000 * S))
    assert [(lane["component"], lane["name"]) for lane in data["lanes"]] == [
        ("server", "worker died"), ("redis", "gc pause"),
    ]  # fmt: skip
    pauses = data["lanes"][1]
    assert len(pauses["ticks"]) == 13
    assert pauses["total"].startswith("13, ")
    assert pauses["longest"] == pytest.approx(max(length for _, length in pauses["ticks"]), rel=1e-3)


def test_ticks_without_number_are_gathered_and_none_is_lost(view: TrialView) -> None:
    origin = 5_000 * S
    events = [
        Event(origin + i * S // 1000, "gc_pause", "", f"pause {i}", {"duration_s": 0.001 * (i % 7)}, "server")
        for i in range(5_000)
    ]
    (lane,) = drawn(what_happened.draw("1", view.timeline, events, origin))["lanes"]
    assert len(lane["ticks"]) <= what_happened.MOST_TICKS
    assert lane["longest"] == pytest.approx(0.006)
    assert lane["total"].startswith("5,000, ")
    assert lane["texts"][0].startswith("9 ")
    assert lane["texts"][0].endswith(events[0].text)


def test_what_happened_before_the_load_or_to_the_rig_is_no_lane(view: TrialView) -> None:
    events = [
        Event(1, "gc_pause", "", "long ago", {}, "server"),
        Event(5_001 * S, "note", "", "of the rig"),
        Event(5_001 * S, "login", "", "of the rig"),
    ]
    assert what_happened.draw("1", view.timeline, events, 5_000 * S) is None


def test_the_page_holds_what_a_hostile_name_says_as_text(tmp_path: Path) -> None:
    from loadrig import report

    run = read(single(tmp_path / "one"))
    page = report.html.render(report.build(run.folder))
    assert NASTY_TIER not in page
