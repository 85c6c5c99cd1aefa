"""Part of the lab tomcat-db that is ours to test without a JVM: the database's share of a core as a knob."""

import subprocess
import sys
from pathlib import Path

import pytest

from loadrig.base import cgroups
from loadrig.labs.bundled import HERE
from tests.servers.quota import quota
from tests.servers.redis import started_redis

GIVE_CORES = HERE / "tomcat-db" / "give_cores.py"


@pytest.mark.integration
def test_whoever_listens_at_the_port_gets_the_cores(tmp_path: Path) -> None:
    # Any program that listens will do in place of the database.
    with started_redis(tmp_path) as redis, quota(redis.pid, 0.5):
        assert cgroups.limits(redis.pid)["quota_cores"] == 0.5
        subprocess.run([sys.executable, str(GIVE_CORES), str(redis.port), "0.25"], check=True, timeout=20)
        assert cgroups.limits(redis.pid)["quota_cores"] == 0.25
        redis.process.kill()
        redis.process.wait()


def test_a_port_at_which_nobody_listens_is_told(free_port: int) -> None:
    argv = [sys.executable, str(GIVE_CORES), str(free_port), "0.25"]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode != 0
    assert f"nobody listens at 127.0.0.1:{free_port}" in done.stderr
