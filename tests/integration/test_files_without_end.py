"""Every key of a plan that takes a path, given what is no file: an error with its place, at once."""

import json
import os
import resource
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from loadrig.base.errors import PlanError
from loadrig.base.exits import Exit
from loadrig.plan.load import load
from tests.integration.dying import command

pytestmark = pytest.mark.timeout(20)

HEAD = "loadrig: 1\ntarget: {external: 'http://127.0.0.1:9'}\n"
ONE = "requests: [{get: /}]"

PLANS = {
    "body_file": HEAD + "workload: {rate: 1/1s, requests: [{post: /, body_file: FILE}]}\n",
    "protos": HEAD + f"workload: {{rate: 1/1s, protos: [FILE], {ONE}}}\n",
    "tls.ca": HEAD.replace("http:", "https:") + f"workload: {{rate: 1/1s, tls: {{ca: FILE}}, {ONE}}}\n",
    "replay": HEAD + f"workload: {{replay: FILE, {ONE}}}\n",
    "csv with a column": HEAD
    + "workload: {rate: 1/1s, feeds: {item: {csv: FILE, column: id}}, requests: [{get: '/{item}'}]}\n",
    "csv as rows": HEAD
    + "workload: {rate: 1/1s, feeds: {item: {csv: FILE}}, requests: [{get: '/{item.id}'}]}\n",
    "lines": HEAD + "workload: {rate: 1/1s, feeds: {item: FILE}, requests: [{get: '/{item}'}]}\n",
    "template": "loadrig: 1\ntarget: {command: {argv: 'server {port} {file:conf}', files: {conf: FILE}}}\n"
    f"workload: {{rate: 1/1s, {ONE}}}\n",
}  # fmt: skip


def zero(place: Path) -> Path:
    del place
    return Path("/dev/zero")


def fifo(place: Path) -> Path:
    os.mkfifo(place)
    return place


def folder(place: Path) -> Path:
    place.mkdir()
    return place


def missing(place: Path) -> Path:
    return place


def broken_link(place: Path) -> Path:
    place.symlink_to(place.with_name("nowhere"))
    return place


def unix_socket(place: Path) -> Path:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(place))
    return place


def of_ten_gigabytes(place: Path) -> Path:
    with place.open("wb") as file:
        file.truncate(10_000_000_000)
    return place


def unreadable(place: Path) -> Path:
    place.write_text("id\n1\n", encoding="utf-8")
    place.chmod(0)
    return place


MADE = [zero, fifo, folder, missing, broken_link, unix_socket, of_ten_gigabytes]
if os.geteuid() != 0:  # root may read every file
    MADE.append(unreadable)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("make", MADE, ids=lambda make: make.__name__)
@pytest.mark.parametrize("key", PLANS)
def test_a_key_that_names_no_file_is_refused_with_its_place(
    key: str, make: Callable[[Path], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = make(tmp_path / "file")
    (tmp_path / "plan.yaml").write_text(PLANS[key].replace("FILE", f"'{path}'"), encoding="utf-8")
    # A template is the server's: it is read when that is to be started.
    answer = command(capsys, "run" if key == "template" else "check", "plan.yaml")
    assert answer.code == Exit.PLAN_WRONG, answer.out + answer.err
    assert "Traceback" not in answer.err
    assert path.name in answer.err


@pytest.mark.parametrize("make", MADE, ids=lambda make: make.__name__)
@pytest.mark.parametrize(
    "words",
    [("check",), ("run",), ("import",), ("attack", "http://127.0.0.1:9/", "-m", "POST", "-d")],
    ids=["plan", "run", "results", "body"],
)
def test_an_argument_that_names_no_file_is_refused(
    words: tuple[str, ...], make: Callable[[Path], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = make(tmp_path / "file.yaml")
    answer = command(capsys, *words, f"@{path}" if words[0] == "attack" else str(path))
    assert answer.code == Exit.PLAN_WRONG, answer.out + answer.err
    assert "Traceback" not in answer.err
    assert path.name in answer.err


@pytest.mark.parametrize("key", ["csv with a column", "csv as rows", "lines", "replay", "protos", "tls.ca"])
def test_a_file_of_one_endless_line_is_refused_or_read_within_bounds(
    key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_bytes(b"x" * 3_000_000)
    (tmp_path / "plan.yaml").write_text(PLANS[key].replace("FILE", "file"), encoding="utf-8")
    answer = command(capsys, "check", "plan.yaml")
    assert answer.code in (Exit.PLAN_WRONG, Exit.FINE), answer.err
    assert "Traceback" not in answer.err
    assert len(answer.err) < 10_000


LAUGHS = "loadrig: 1\nlaughs:\n  - &a0 [ha, ha]\n" + "".join(
    f"  - &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}, *a{n - 1}]\n" for n in range(1, 20)
)
"""A few hundred bytes that name 4^19 values: none of it is a mistake of YAML."""


@pytest.mark.parametrize(
    "text",
    [
        LAUGHS,
        LAUGHS.replace("[*", "{<<: [*").replace("]\n", "]}\n").replace("[ha, ha]}", "{ha: ha}"),
        HEAD + "workload: " + "[" * 5_000 + "]" * 5_000,
        HEAD + "workload: " + "{a: " * 400 + "1" + "}" * 400,
        HEAD + "name: " + "x" * 2_000_000,
        HEAD + f"trial: {{seed: 0x{'f' * 5_000}}}\n",
        HEAD + f"trial: {{seed: {'9' * 5_000}}}\n",
    ],
    ids=["laughs", "merged laughs", "deep list", "deep mapping", "long", "long hexadecimal", "long number"],
)
def test_a_plan_that_is_small_and_means_much_is_refused_in_little_memory(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "plan.yaml").write_text(text, encoding="utf-8")
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 500_000_000, hard))
    try:
        answer = command(capsys, "check", "plan.yaml")
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    assert answer.code == Exit.PLAN_WRONG, answer.err[:2_000]
    assert "plan.yaml" in answer.err
    assert len(answer.err) < 8_000


def test_a_value_in_place_of_another_has_the_same_limits(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(HEAD + f"workload: {{rate: 1/1s, {ONE}}}\n", encoding="utf-8")
    for text in (LAUGHS, "[" * 2_000 + "]" * 2_000):
        with pytest.raises(PlanError) as raised:
            load(path, {"study": text})
        assert [problem.code for problem in raised.value.problems] == ["plan.too-much"]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("k6.json", '{"type": "Point", "metric": "x", "data": ' + "[" * 100_000 + "]" * 100_000 + "}"),
        ("vegeta.json", '{"attack": ' + "[" * 100_000 + "]" * 100_000 + "}"),
        (
            "jmeter.jtl",
            '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
            '<testResults version="1.2"><httpSample t="1" lb="&b;"/></testResults>',
        ),
    ],
)
def test_results_that_are_small_and_mean_much_are_refused(
    name: str, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text(f"{line}\n", encoding="utf-8")
    answer = command(capsys, "import", name)
    assert answer.code == Exit.PLAN_WRONG, answer.err[:2_000]
    assert name in answer.err


def test_a_run_of_somebody_else_that_is_nested_without_end_is_no_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "result.json").write_text("[" * 100_000 + "]" * 100_000, encoding="utf-8")
    for words in (("report", "run"), ("diagnose", "run"), ("compare", "run", "run")):
        answer = command(capsys, *words)
        assert answer.code == Exit.PLAN_WRONG, answer.err[-500:]
    trial = tmp_path / "run" / "trials" / "0001"
    trial.mkdir(parents=True)
    (trial / "manifest.json").write_text(
        json.dumps({"recording": 4})[:-1] + ', "a": ' + "[" * 100_000, "utf-8"
    )
    assert command(capsys, "report", str(trial)).code == Exit.PLAN_WRONG
