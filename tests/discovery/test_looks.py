"""Cost of a look that finds nothing new, as it does once a few seconds while load runs."""

from pathlib import Path

import pytest

from loadrig.base import processes
from tests.conftest import Deadline
from tests.discovery.test_finder import server_at, talker
from tests.servers.redis import started_redis

pytestmark = pytest.mark.integration


def test_a_look_at_which_nothing_is_new_does_not_read_all_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deadline: Deadline
) -> None:
    with started_redis(tmp_path) as redis, talker(tmp_path, redis.port) as server:
        finder = server_at(server.port)
        deadline.wait_for(lambda: bool(finder.look()), "redis to be found")
        finder.look()

        def read(*_: object) -> None:
            raise AssertionError("all was known")

        with monkeypatch.context() as patched:
            patched.setattr(processes, "table", read)
            assert finder.look() == []
        assert [component.kind for component in finder.map().components][1:] == ["redis"]
