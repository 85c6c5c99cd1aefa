"""Control groups of dead rigs that no lease names: found and removed only where all of it can be proved."""

import os
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from loadrig.base import cgroups, leases, lost_groups
from loadrig.base.cgroups import Mount
from tests.rigs import dead_rig, leased, plain_facts, taken_by

STRANGER = 54321
ANOTHER_SPACE = "pid:[4026532000] time:[4026531834]"


@pytest.fixture(params=[1, 2])
def tree(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let a folder be the only mounted tree of groups, of v1 and of v2."""
    controllers = frozenset({"cpuacct"} if request.param == 1 else set[str]())
    top = tmp_path / "tree"
    (top / "session" / "shell").mkdir(parents=True)
    mount = Mount(top, PurePosixPath("/"), controllers, request.param)
    monkeypatch.setattr(cgroups, "mounts", lambda: [mount, mount])  # it may be mounted twice
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return top / "session" / "shell"


def group_in(folder: Path, end: str = "") -> Path:
    """Make a group as whoever `here` is makes it."""
    group = folder / (leases.group_name(leases.new_name()) + end)
    group.mkdir()
    return group


def lost() -> list[str]:
    return [folder for lease in lost_groups.lost_leases() for folder in plain_facts(lease)["folders"]]


@pytest.mark.parametrize("end", ["", "-quota"])
def test_an_empty_group_of_a_dead_rig_is_found_and_removed_with_those_below_it(tree: Path, end: str) -> None:
    with dead_rig():
        group = group_in(tree, end)
    (group / "worker").mkdir()
    assert lost() == [str(group)]
    (lease,) = lost_groups.lost_leases()
    undone = lost_groups.remove(lease)
    assert (len(undone.done), undone.left) == (1, ())
    assert not group.exists()
    assert lost_groups.lost_leases() == []
    assert lost_groups.remove(lease).left == ()  # somebody else was quicker


def test_a_group_that_another_doctor_removes_at_the_same_moment_is_not_left(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with dead_rig():
        group_in(tree)
    (lease,) = lost_groups.lost_leases()

    def removed_by_another(folder: Path, _: object) -> bool:
        folder.rmdir()
        return False

    monkeypatch.setattr(lost_groups, "_is_lost", removed_by_another)
    assert lost_groups.remove(lease).left == ()


def holds_a_process(group: Path) -> None:
    (group / "cgroup.procs").write_text("1\n")


def holds_one_below(group: Path) -> None:
    (group / "worker").mkdir()
    holds_a_process(group / "worker")


def holds_a_thread(group: Path) -> None:
    (group / "cgroup.events").write_text("populated 1\nfrozen 0\n")


def is_leased(group: Path) -> None:
    with dead_rig():
        leased("cgroup", folders=[str(group)])


def is_a_link(group: Path) -> None:
    group.rmdir()
    (group.parent / "elsewhere").mkdir()
    group.symlink_to(group.parent / "elsewhere")


@pytest.mark.parametrize("spoil", [holds_a_process, holds_one_below, holds_a_thread, is_leased, is_a_link])
def test_a_group_in_which_somebody_may_be_is_left(tree: Path, spoil: Callable[[Path], None]) -> None:
    with dead_rig():
        group = group_in(tree)
    (before,) = lost_groups.lost_leases()
    spoil(group)
    assert lost_groups.lost_leases() == []
    if spoil is not is_leased:
        assert lost_groups.remove(before).done == ()
    assert group.exists()


@pytest.mark.parametrize(
    "facts",
    [
        {},  # this very process, which lives
        {"rig_start": 0},
        {"boot": "another"},
        {"space": ANOTHER_SPACE},
    ],
)
def test_what_cannot_be_proved_to_be_lost_is_left(tree: Path, facts: dict[str, object]) -> None:
    dead = {"rig_start": 1} if facts else {}
    with taken_by(**{**dead, **facts}):
        group = group_in(tree)
    assert lost_groups.lost_leases() == []
    assert group.exists()


@pytest.mark.parametrize("facts", [{"owner": STRANGER}, {"boot": ""}, {"space": ""}, {"rig_start": 0}])
def test_who_cannot_judge_removes_nothing(tree: Path, facts: dict[str, object]) -> None:
    with taken_by(**{**facts, "rig_start": 1}):
        group = group_in(tree)
    with taken_by(**facts):
        assert lost_groups.lost_leases() == []
    assert group.exists()


@pytest.mark.parametrize(
    "name",
    [
        "loadrig-{pid}-1-1",
        "loadrig-{pid}-1-1-{place}-more",
        "my-loadrig-{pid}-1-1-{place}",
        "loadrig-99999999999-1-1-{place}",
        "loadrig-{pid}-1-1-quota",
    ],
)
def test_a_name_that_says_too_little_is_nobodys(tree: Path, name: str) -> None:
    with dead_rig():
        place = leases.group_name("").lstrip("-")
    (tree / name.format(pid=os.getpid(), place=place)).mkdir()
    assert lost_groups.lost_leases() == []


def test_a_group_whose_maker_is_found_alive_in_time_is_kept(tree: Path) -> None:
    with dead_rig():
        group = group_in(tree)
    (lease,) = lost_groups.lost_leases()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("loadrig.base.origins._may_live", lambda *_: True)
        undone = lost_groups.remove(lease)
    assert (undone.done, len(undone.left)) == ((), 1)
    assert group.exists()


def test_a_lease_takes_the_names_of_its_groups_as_its_own(tree: Path) -> None:
    with dead_rig():
        group = group_in(tree)
        leased("cgroup", folders=[str(group)])
    (lease,) = leases.stale()
    assert leases.undo(lease).left == ()
    assert not group.exists()


@pytest.mark.integration
def test_a_group_of_the_kernel_is_removed_and_one_with_a_process_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    own = cgroups.of()
    above = next((own[name] for name in ("cpuacct", "2") if name in own), None)
    if above is None or not os.access(above, os.W_OK):
        pytest.skip("no control group can be made here")
    with taken_by(rig_start=1):
        empty, busy = group_in(above), group_in(above)
    try:
        (busy / "cgroup.procs").write_text(str(os.getpid()))
        mine = [lease for lease in lost_groups.lost_leases() if lease.rig_pid == os.getpid()]
        # Another test's doctor may have removed the empty one already.
        assert [plain_facts(lease)["folders"] for lease in mine] in ([(str(empty),)], [])
        assert [remaining for lease in mine for remaining in lost_groups.remove(lease).left] == []
        assert not empty.exists()
        assert cgroups.members(busy) == [os.getpid()]
    finally:
        (above / "cgroup.procs").write_text(str(os.getpid()))
        cgroups.remove(empty)
        assert cgroups.remove(busy)
