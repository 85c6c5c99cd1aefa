"""Logs of Gatling, text and binary: the figures are those that Gatling printed of the same load."""

import struct
from collections import Counter
from pathlib import Path

import pytest

from loadrig.base.errors import PlanError
from loadrig.trial.result import result_of
from tests.importers.made import RECORDED, imported, origin

PRINTED = {"gatling.log": (22, 111, 12), "gatling.bin": (25, 200, 8)}
"""Mean, greatest and median time of good requests in ms, as Gatling's console said."""

ROUTES = {
    "search": "ok", "checkout / cart": "ok", "checkout / pay 지불": "ok", "missing": "http_4xx",
    "error": "http_5xx", "checked": "check_failed", "refused": "connect_refused", "reset": "closed",
}  # fmt: skip


@pytest.mark.parametrize("name", PRINTED)
def test_every_request_has_its_route_and_outcome(tmp_path: Path, name: str) -> None:
    recording = imported(tmp_path / "run", RECORDED / name)
    counts: Counter[tuple[str, str]] = Counter()
    for frame in recording.frames:
        for row in frame.routes:
            counts[row.route, row.outcome] += row.count
    assert counts == dict.fromkeys(ROUTES.items(), 12)
    assert list(origin(recording).left_out.values()) == [12]
    assert origin(recording).knows == ("users",)


@pytest.mark.parametrize("name", PRINTED)
def test_the_figures_are_gatlings_own(tmp_path: Path, name: str) -> None:
    document = result_of(imported(tmp_path / "run", RECORDED / name)).document
    service = document.latency_ms.service
    mean, greatest, _ = PRINTED[name]
    assert service is not None
    assert (service.count, round(service.mean)) == (36, mean)
    assert service.max == pytest.approx(greatest, rel=2e-3)


def test_lines_of_older_versions_have_more_before_the_same_end(tmp_path: Path) -> None:
    lines = (
        "RUN\tShop\tshop\t1795884302993\t \t3.2.1",
        "USER\tBuyers\t1\tSTART\t1795884303518\t1795884303518",
        "REQUEST\t1\tcheckout,card\tpay\t1795884303446\t1795884303557\tOK\t ",
        "USER\tBuyers\t1\tEND\t1795884303518\t1795884303618",
    )
    file = tmp_path / "simulation.log"
    file.write_text("\n".join(lines) + "\n")
    recording = imported(tmp_path / "run", file)
    assert "checkout / card / pay" in recording.routes


def test_a_binary_log_cut_in_a_record_keeps_what_stands_before(tmp_path: Path) -> None:
    file = tmp_path / "simulation.log"
    file.write_bytes((RECORDED / "gatling.bin").read_bytes()[:1501])
    recording = imported(tmp_path / "run", file)
    assert 0 < origin(recording).requests < 96
    assert len(origin(recording).notes) == 1


def test_a_byte_that_begins_no_record_is_told_with_its_place(tmp_path: Path) -> None:
    whole = (RECORDED / "gatling.bin").read_bytes()
    file = tmp_path / "simulation.log"
    file.write_bytes(whole + b"\x63" + whole)
    with pytest.raises(PlanError) as refused:
        imported(tmp_path / "run", file)
    (problem,) = refused.value.problems
    assert problem.code == "import.bad-line"
    assert f"head -c {len(whole)} simulation.log" in problem.mend


def binary_log(path: Path, requests: int) -> Path:
    """Write a log of one route with as many requests, and return its path."""
    whole = (RECORDED / "gatling.bin").read_bytes()
    again = struct.pack(">i", -127)
    with open(path, "wb") as out:
        out.write(whole[: whole.index(b"\x02\x00\x00\x00\x00\x01")])
        for number in range(requests):
            label = again if number else struct.pack(">ii", 127, 1) + b"a\x00"
            message = struct.pack(">i", -126) if number else struct.pack(">ii", 126, 0)
            out.write(b"\x01" + bytes(4) + label + struct.pack(">ii", number, number + 5) + b"\x01" + message)
    return path
