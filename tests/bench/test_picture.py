"""The picture of the stalling server is drawn from rows, and from nothing else."""

from typing import Any
from xml.etree import ElementTree

from syrupy.assertion import SnapshotAssertion

from bench import picture
from bench.ours import CURVE

SVG = "{http://www.w3.org/2000/svg}"


def section(p95_ms: float) -> dict[str, Any]:
    def row(tool: str, **more: Any) -> dict[str, Any]:
        server = {"read_us": 1.5, "send_us": 4.0}
        return {"tool": tool, "block": 0, "connections": 16, "server": server, **more}

    curves = {"response_curve_ms": [1.0] * len(CURVE), "service_curve_ms": [1.0] * len(CURVE)}
    rows = [
        row("loadrig", latency_ms={"p95": p95_ms}, **curves),
        row("a <tool> & more", latency_ms={"p95": 1.4}),
        row("no p95", latency_ms={"max": 3.0}),
        {"tool": "broken", "block": 0, "connections": 16, "failed": "it died"},
    ]
    return {"rate": 1_000, "seconds": 4.0, "rows": rows}


def words(svg: str) -> list[str]:
    return ["".join(element.itertext()) for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_it_is_a_picture_with_a_name_for_those_who_cannot_see_it(snapshot: SnapshotAssertion) -> None:
    root = ElementTree.fromstring(picture.draw(section(108.0)))
    assert root.get("role") == "img"
    assert (root.findtext(f"{SVG}title"), root.findtext(f"{SVG}desc")) == snapshot


def test_each_tool_that_tells_a_p95_has_a_row_and_no_other(snapshot: SnapshotAssertion) -> None:
    labels = words(picture.draw(section(108.0)))
    assert "a <tool> & more" in labels
    assert not {"no p95", "broken"} & set(labels)
    assert labels == snapshot


def test_a_tool_that_is_far_from_the_truth_is_drawn_so_also_if_it_is_ours() -> None:
    assert 'class="small blue strong"' in picture.draw(section(108.0))
    assert 'class="small orange strong"' in picture.draw(section(50.0))
