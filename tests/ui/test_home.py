"""Parts that the routes share: bodies that never come, and looks at the folders that others overtake."""

import asyncio
from pathlib import Path

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Message

from loadrig.archive.index import RunIndex
from loadrig.archive.labels import LabelsChange
from loadrig.ui.home import Home, body_of
from tests.archive.test_index import make_run


def test_a_browser_that_leaves_before_its_body_came_is_no_fault_of_the_server() -> None:
    async def receive() -> Message:
        return {"type": "http.disconnect"}

    request = Request({"type": "http", "method": "PATCH", "path": "/", "headers": []}, receive)
    with pytest.raises(HTTPException) as raised:
        asyncio.run(body_of(request, LabelsChange))
    assert raised.value.status_code == 400


def test_what_changes_while_the_folders_are_looked_at_is_seen_by_the_next_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_run(tmp_path, "first", 1, name="first")
    home = Home(tmp_path)
    refresh = RunIndex.refresh

    def overtaken(index: RunIndex, most_s: float) -> bool:
        is_whole = refresh(index, most_s)
        make_run(tmp_path, "second", 2, name="second")
        home.look_again()
        return is_whole

    with monkeypatch.context() as patch:
        patch.setattr(RunIndex, "refresh", overtaken)
        assert asyncio.run(home.ask(RunIndex.count)) == 1
    assert asyncio.run(home.ask(RunIndex.count)) == 2
    home.close()
