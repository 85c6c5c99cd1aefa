"""A fleet that is refused before any load leaves nothing in the way of the mended plan."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from loadrig.base.errors import PlanError, Problem
from loadrig.base.exits import Exit
from loadrig.cli.__main__ import main
from loadrig.fleet import places
from loadrig.fleet.hosts import Hosts, Seat
from tests.fleet.made_up import MadeUpHosts
from tests.native.test_process import shop

PLAN = """loadrig: 1
target: {{external: "http://127.0.0.1:{port}"}}
workload: {{rate: 10, requests: [{{get: /}}]}}
trial: {{warm_up: 0s, measure: 1s}}
fleet: {{generators: 2}}
"""


class RefusedHosts(MadeUpHosts):
    def start(self, count: int) -> Sequence[Seat]:
        del count
        raise PlanError(Problem(what="no room", mend="add hosts", code="fleet.too-few-hosts"))


def walled() -> MadeUpHosts:
    hosts = MadeUpHosts([0, 0])
    hosts.walled = {1: "refused"}
    return hosts


@pytest.mark.parametrize(
    ("hosts", "code", "status"),
    [
        (RefusedHosts([0, 0]), "fleet.too-few-hosts", Exit.PLAN_WRONG),
        (walled(), "fleet.no-way-to-target", Exit.TARGET_FAILED),
    ],
)
@pytest.mark.parametrize("out", [None, "new", "found"])
def test_a_fleet_that_is_refused_leaves_no_folder(
    hosts: Hosts,
    code: str,
    status: Exit,
    out: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(places, "hosts_of", lambda *_: hosts)
    Path("found").mkdir()
    with shop() as (port, _):
        Path("plan.yaml").write_text(PLAN.format(port=port))
        assert main(["run", "plan.yaml", *(["--out", out] if out else [])]) == status
    assert code in capsys.readouterr().err
    assert sorted(path.name for path in Path().iterdir()) == ["found", "plan.yaml"]
    assert not list(Path("found").iterdir())
