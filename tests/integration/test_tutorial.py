"""The tutorial's commands, typed one after the other as a reader would, against a server of this machine."""

import re
import shlex
from pathlib import Path

import pytest

from loadrig.base.exits import Exit
from tests.house.places import ROOT
from tests.integration import servers
from tests.integration.program import loadrig, was_spoilt

pytestmark = pytest.mark.integration

PAGE = ROOT / "docs" / "guide" / "tutorial.md"

LEFT_BEHIND = ("runs/first/report.html", "first.lines", "first.md", "first.csv", "first.xml", "first.yaml")
"""Files that the page speaks of."""


def lines() -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def test_every_command_of_the_tutorial_does_what_the_page_says(tmp_path: Path) -> None:
    assert len(lines()) >= 8
    with servers.serving(servers.ok, keep_open=True) as port:
        for line in lines():
            # A reader has ten seconds, and a test has one.
            text = line.replace("127.0.0.1:8000", f"127.0.0.1:{port}").replace("-z 10s", "-z 1s")
            command, _, to = text.partition(" > ")
            program, *words = shlex.split(command)
            assert program == "loadrig"
            ran = loadrig(*words, cwd=tmp_path)
            is_spoilt = ran.code == Exit.VOID and was_spoilt(tmp_path / "runs" / "first")
            assert ran.code == Exit.FINE or is_spoilt, (line, ran.out, ran.err)
            if to:
                (tmp_path / to).write_text(ran.out, encoding="utf-8")
    assert [name for name in LEFT_BEHIND if not (tmp_path / name).stat().st_size] == []
