"""A table of what becomes of tests that others wrote."""

import json
import os
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bench.conversions import sameness, tools, world
from bench.lab import Bench
from bench.modes import conversions
from bench.server import make_certificate


def measured(ledger: Path, *files: str) -> dict[str, Any]:
    """Return what is measured without any tool but curl."""
    options = {"files": files, "ledger": ledger}
    nothing = {"versions": {}, "folders": (), "is_asked": lambda _: False}
    lab = cast("Bench", SimpleNamespace(options=options, **nothing))
    return conversions.measure(lab)


def test_each_test_is_counted_and_commands_are_held_against_curl(tmp_path: Path) -> None:
    texts = {
        "same.sh": "curl 'https://shop.example/a?b=c' -H 'X-One: 1' -d $'a\\nb'",
        "other.sh": "curl --http2 http://shop.example/a",
        "touched.sh": 'curl "http://shop.example/$(touch touched)"',
        "proxied.sh": "curl -x http://127.0.0.1:1 http://shop.example/",
        "nothing.py": "from locust import HttpUser\n",
        "steps.py": "from locust import HttpUser, task\nclass A(HttpUser):\n    @task\n"
        "    def a(self):\n        self.client.get('/a')\n        self.client.get(x())\n",
        "note.txt": "no test",
        "test.zip": "curl http://shop.example/",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    summary = conversions.summarise(measured(tmp_path / "ledger", f"own/shop={tmp_path}"))
    by_tool = {row["tool"]: row for row in summary["projects"]}
    assert by_tool.keys() == {"curl", "locust"}
    assert (by_tool["curl"]["tests"], by_tool["curl"]["plans"]) == (4, 4)
    if shutil.which("curl"):
        assert [by_tool["curl"][key] for key in ("compared", "same", "listed")] == [2, 1, 1]
    assert by_tool["locust"]["refused"] == {"import.nothing-in-it": 1}
    assert [by_tool["locust"][key] for key in ("plans", "requests", "dropped")] == [1, 1, 1]
    assert not list(tmp_path.glob("**/touched"))
    table, refused, silent = conversions.tables(summary)
    assert table.count("\n") == 4
    assert "import.nothing-in-it" in refused
    assert silent.endswith(": none.")


def test_tests_that_send_nothing_are_counted_by_what_they_lack() -> None:
    begin = {"project": "own/shop", "tool": "jmeter", "requests": 1, "altered": 0, "dropped": 1, "same": None}
    rows = [{**begin, "failed": "…", "needs": needs} for needs in ("JDBC", "JDBC", "")]
    (project,) = conversions.summarise({"files": rows})["projects"]
    assert project["silent"] == {"needs JDBC": 2, "no reason known": 1}
    assert conversions.tables({"projects": [project]})[2].count("JDBC") == 1
    lacking = tools.COMMANDS["jmeter"].lacking
    test = '<JDBCSampler testclass="JDBCSampler"/>'
    assert lacking(test, "") == "JDBC"
    assert lacking(test, "File rows.csv must exist and be readable") == "a file"


def test_what_lies_beside_a_collection_belongs_to_it_and_is_no_test(tmp_path: Path) -> None:
    request = {"name": "a", "request": "http://{{host}}/"}
    schema = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
    collection = {"info": {"name": "shop", "schema": schema}, "item": [request]}
    environment = {
        "_postman_variable_scope": "environment",
        "values": [{"key": "host", "value": "shop.example"}],
    }
    (tmp_path / "shop.postman_collection.json").write_text(json.dumps(collection))
    (tmp_path / "shop.postman_environment.json").write_text(json.dumps(environment))
    (row,) = measured(tmp_path / "ledger", f"own/shop={tmp_path}")["files"]
    assert (row["file"], row["requests"], row["altered"]) == ("shop.postman_collection.json", 1, 1)


def test_headers_count_where_a_request_of_a_collection_names_them_and_not_its_saved_answer() -> None:
    item = {
        "request": {"header": [{"key": "Referer"}]},
        "response": [{"header": [{"key": "Accept-Encoding"}]}],
    }
    named = tools.COMMANDS["postman"].naming(json.dumps({"item": [{"item": [item]}]}))
    assert "referer" in named
    assert "accept-encoding" not in named


def test_a_plan_of_jmeter_that_chooses_is_compared_by_shares() -> None:
    command = tools.COMMANDS["jmeter"]
    assert command.is_ordered('<InterleaveControl enabled="false"></InterleaveControl>')
    assert not command.is_ordered('<InterleaveControl testname="a" enabled="true"></InterleaveControl>')


def test_without_files_the_way_to_name_them_is_said(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="--files"):
        measured(tmp_path)


def request(path: str, **parts: Any) -> dict[str, Any]:
    return {"host": "shop", "method": "GET", "path": path, "headers": {}, "body": "", **parts}


def test_the_first_difference_of_two_courses_is_named() -> None:
    theirs = [request("/a"), request("/b", headers={"x-one": "1"})]
    assert not sameness.difference_in_order(theirs, (), [theirs])
    ours = [request("/a"), request("/b", headers={"x-one": "2"})]
    assert sameness.difference_in_order(theirs, (), [ours]).startswith("request 2: header x-one")
    assert "request 1: path" in sameness.difference_in_order(theirs, (), [theirs[::-1]])
    assert "missing: {'GET shop/b': 1}" in sameness.difference_in_order(theirs, (), [theirs[:1]])


def test_what_a_tool_makes_anew_in_each_run_is_compared_by_its_form() -> None:
    theirs, again = [request("/a?r=17&s=x")], [request("/a?r=23&s=x")]
    assert not sameness.difference_in_order(theirs, again, [[request("/a?r=99&s=x")]])
    assert sameness.difference_in_order(theirs, again, [[request("/a?r=99&s=y")]])
    assert sameness.difference_in_order(theirs, theirs, [[request("/a?r=99&s=x")]])


def test_courses_that_a_tool_runs_at_once_are_compared_without_an_order() -> None:
    theirs = [request("/a"), request("/c"), request("/b")]
    assert not sameness.difference_in_order(theirs, (), [[request("/a"), request("/b")], [request("/c")]])
    assert sameness.difference_in_order(theirs, (), [[request("/a"), request("/b")], [request("/d")]])
    assert not sameness.difference_in_order(theirs, (), [theirs[::-1]], is_at_once=True)
    assert sameness.difference_in_order(theirs, (), [theirs[::-1]])


def test_shares_may_differ_by_chance_alone() -> None:
    theirs = [request("/a")] * 150 + [request("/b")] * 150
    assert not sameness.difference_of_shares(theirs, [request("/a")] * 170 + [request("/b")] * 130)
    assert "/a" in sameness.difference_of_shares(theirs, [request("/a")] * 250 + [request("/b")] * 50)
    assert sameness.difference_of_shares(theirs, [request("/a")] * 300)
    drawn = [request(f"/item/{number}") for number in range(300)]
    assert not sameness.difference_of_shares(drawn, drawn[::-1])
    assert not sameness.difference_of_shares(
        drawn, [request(f"/item/{number}") for number in range(400, 700)]
    )


def test_every_name_is_an_address_of_this_machine() -> None:
    asked = b"\x12\x34\x01\x00" + bytes((0, 1, 0, 0, 0, 0, 0, 0)) + b"\4shop\7example\0"
    answer = world.answer_of(asked + b"\0\1\0\1")
    assert answer[:2] == b"\x12\x34"
    assert answer.endswith(b"\x7f\0\0\1")
    assert not world.answer_of(asked + b"\0\x1c\0\1").endswith(b"\x7f\0\0\1")  # its IPv6 address


SIEGE = """#!{python}
import http.client, sys, urllib.parse
urls = open(sys.argv[sys.argv.index("-f") + 1]).read().split()
if "--version" in sys.argv or "-V" in sys.argv:
    sys.exit("SIEGE 4.1.6")
for number in range(300):
    url = urllib.parse.urlsplit(urls[number % len(urls)])
    connection = http.client.HTTPConnection(url.hostname, timeout=60)
    connection.request("GET", url.path{more})
    connection.getresponse().read()
"""


# Forty seconds for a table of the guide; what a tool sends is compared by tests/converters each day.
@pytest.mark.nightly
@pytest.mark.integration
@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes network namespaces")
@pytest.mark.parametrize(("more", "is_same"), [("", True), (' + "?" + str(number % 2)', False)])
def test_a_tool_and_the_plan_of_its_test_run_where_every_host_is_the_recording_server(
    more: str, is_same: bool, tmp_path: Path
) -> None:
    program = tmp_path / "bin" / "siege"
    program.parent.mkdir()
    program.write_text(SIEGE.format(python=sys.executable, more=more))
    program.chmod(0o755)
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "urls.txt").write_text("http://shop.example/a\nhttp://shop.example/b\n")
    lab = Bench(
        tmp_path, cast("Any", None), make_certificate(tmp_path), 1, None, ("siege",), (str(program.parent),),
        options={"files": [f"own/shop={tmp_path / 'test'}"], "ledger": tmp_path / "ledger"},
    )  # fmt: skip
    (row,) = conversions.measure(lab)["files"]
    assert row["same"] is is_same, row
    (noted,) = (json.loads(line) for line in (tmp_path / "ledger" / "ledger.jsonl").read_text().splitlines())
    assert noted["theirs"] == 300
    assert conversions.measure(lab)["files"] == [row]  # and is not run again
    (tmp_path / "test" / "urls.txt").write_text("http://shop.example/c\nhttp://shop.example/b\n")
    lab.options = {**lab.options, "nothing_new": True}
    (other,) = conversions.measure(lab)["files"]
    assert other["same"] is None
    assert len((tmp_path / "ledger" / "ledger.jsonl").read_text().splitlines()) == 1
