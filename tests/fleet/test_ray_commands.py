"""The command line on hosts of Ray that have networks of their own: three generators on three hosts."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.fleet.ray_commands import GENERATORS, HURT_SECONDS, PER_SECOND, SECONDS
from tests.fleet.test_ray_networks import outcome_of

pytest.importorskip("ray", reason="Ray is not installed: pip install 'loadrig[fleet]'")

pytestmark = [
    # A cluster of Ray takes a core to start.
    pytest.mark.nightly,
    pytest.mark.integration,
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="namespaces take root: run the tests by sudo"),
    pytest.mark.skipif(shutil.which("unshare") is None, reason="unshare is not installed"),
    pytest.mark.skipif(shutil.which("ip") is None, reason="ip is not installed: apt-get install iproute2"),
]

HOSTS = ["10.77.0.11", "10.77.0.12", "10.77.0.13"]

Json = dict[str, Any]


def outcome(scenario: str, folder: Path) -> Json:
    """Return what became of a command; nothing of it is left on any host, here, or in a lease."""
    ended = outcome_of(scenario, folder, "ray_commands")
    assert (ended["carriers"], ended["folders"], ended["leases"]) == ([], [], [])
    return ended


def reasons(result: Json, check: str) -> list[str]:
    """Return what a check has against a trial, without its notes."""
    reasons = result["validity"]["reasons"]
    return [each["text"] for each in reasons if each["check"] == check and each["level"] != "note"]


def test_three_generators_on_three_hosts_make_the_load_of_a_command(folder: Path) -> None:
    ended = outcome("whole", folder)
    assert ended["code"] in (0, 111), ended["words"]
    result = ended["result"]
    generators = result["fleet"]["generators"]
    assert [each["name"] for each in generators] == ["1", "2", "3"]
    assert sorted(each["host"] for each in generators) == HOSTS
    assert sorted(ended["by_host"]) == [host.replace("77", "78") for host in HOSTS]
    dues = [each["due"] for each in generators]
    assert sum(dues) == pytest.approx(SECONDS * PER_SECOND, abs=GENERATORS)
    assert max(dues) - min(dues) <= 1
    assert sum(ended["by_host"].values()) >= sum(each["sent"] for each in generators)
    # The load of other hosts, by whichever of their addresses, is no stranger's.
    assert not reasons(result, "G16")


def test_a_command_goes_on_where_a_generator_and_then_a_host_is_killed(folder: Path) -> None:
    ended = outcome("hurt", folder)
    assert ended["code"] in (0, 111), ended["words"]
    result = ended["result"]
    generators = result["fleet"]["generators"]
    assert sum(each["due"] for each in generators) == pytest.approx(
        HURT_SECONDS * PER_SECOND, abs=2 * GENERATORS
    )
    lost = [each for each in generators if each["lost"]]
    assert len(lost) == 2
    for each in lost:
        assert each["lost_after_s"] < each["taken_over_after_s"] < HURT_SECONDS
        assert each["missed"] > 0
    hosts = [each["host"] for each in generators]
    assert ended["killed_generator"] in hosts
    assert ended["killed_host"] not in hosts
    assert reasons(result, "G18")
    assert not reasons(result, "G16")


def test_the_host_that_cannot_reach_the_server_is_named_before_any_load(folder: Path) -> None:
    ended = outcome("unreachable", folder)
    assert ended["code"] == 120, ended["words"]
    assert "fleet.no-way-to-target" in ended["words"]
    assert [host for host in HOSTS if host in ended["words"]] == HOSTS[2:]
    assert not ended["out"], "the same folder is free for another try"


def test_a_command_that_is_killed_leaves_nothing_on_any_host(folder: Path) -> None:
    ended = outcome("killed", folder)
    before = ended["before"]
    assert len(before["alive"]) == GENERATORS
    assert len(before["carriers"]) == len(before["folders"]) == 1
    assert len(before["leases"]) == 2
    assert ended["silent_s"] < 15
