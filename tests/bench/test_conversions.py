"""A table of what becomes of tests that others wrote."""

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bench.lab import Bench
from bench.modes import conversions


def measured(*files: str) -> dict[str, Any]:
    lab = cast("Bench", SimpleNamespace(options={"files": files}, versions={}))
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
    summary = conversions.summarise(measured(f"own/shop={tmp_path}"))
    by_tool = {row["tool"]: row for row in summary["projects"]}
    assert by_tool.keys() == {"curl", "locust"}
    assert (by_tool["curl"]["tests"], by_tool["curl"]["plans"]) == (4, 4)
    if shutil.which("curl"):
        assert [by_tool["curl"][key] for key in ("compared", "same", "listed")] == [2, 1, 1]
    assert by_tool["locust"]["refused"] == {"import.nothing-in-it": 1}
    assert [by_tool["locust"][key] for key in ("plans", "requests", "dropped")] == [1, 1, 1]
    assert not list(tmp_path.glob("**/touched"))
    table, refused = conversions.tables(summary)
    assert table.count("\n") == 4
    assert "import.nothing-in-it" in refused


def test_without_files_the_way_to_name_them_is_said() -> None:
    with pytest.raises(SystemExit, match="--files"):
        measured()
