"""The CPU quota of a component, changed on real groups of this machine, and on recorded ones of cgroup v2."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base import cgroups, leases
from loadrig.base.cgroups import Mount
from loadrig.base.component import Component
from loadrig.base.errors import TargetError
from loadrig.base.unavailable import Unavailable
from loadrig.interventions import Lever, Step, _capacity, cpu_quota
from loadrig.labs import quota
from tests.conftest import Deadline
from tests.interventions import busy

CPU = Lever("cpu", "server")


def group_of(pid: int) -> Path:
    groups = cgroups.of(pid)
    return groups.get("cpu") or groups["2"]


def is_v1() -> bool:
    return "cpu" in cgroups.of()


def texts(group: Path) -> tuple[str, ...]:
    """Return what the files of a group say of its quota."""
    names = ("cpu.cfs_quota_us", "cpu.cfs_period_us") if is_v1() else ("cpu.max",)
    return tuple((group / name).read_text().strip() for name in names)


def quota_cores(group: Path) -> float | None:
    return cgroups.limits_in("cpu" if is_v1() else "2", group).get("quota_cores")


def changes_of_ours() -> list[leases.Lease]:
    return [lease for lease in leases.listed() if lease.is_of_change and lease.rig_pid == os.getpid()]


def step_for(component: Component, **used: float) -> Step:
    try:
        return cpu_quota.able(CPU, busy.scene(component, **used))
    except Unavailable as missing:
        pytest.skip(f"{missing.reason}: {missing.mend}")


@pytest.fixture
def group() -> Iterator[quota.QuotaGroup]:
    """Yield a group that allows a quarter of a core."""
    try:
        quota_group = quota.make(0.25)
    except TargetError as missing:
        pytest.skip(missing.problems[0].what)
    with quota_group:
        yield quota_group


@pytest.mark.integration
def test_without_a_quota_it_has_less_while_it_is_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_capacity, "LESS", 0.3)  # enough to be seen on a machine that does other things, too
    with busy.program() as process:
        step, before = step_for(busy.component(process.pid)), group_of(process.pid)
        assert step.ratio == 0.3
        as_it_was = texts(before)
        with step.held() as put:
            assert changes_of_ours()
            assert quota_cores(group_of(process.pid)) is None
            put(True)
            assert quota_cores(group_of(process.pid)) == pytest.approx(0.3)
            part = busy.cores(process.pid)
            put(False)
            assert quota_cores(group_of(process.pid)) is None
        # A program that computes all the time and is held back; how much it gets without a quota depends
        # on its neighbours.
        assert part < 0.45
        assert group_of(process.pid) == before
        assert texts(before) == as_it_was
        assert not list(before.glob(f"loadrig-{os.getpid()}-*"))
        assert not changes_of_ours()


@pytest.mark.integration
def test_a_quota_is_raised_and_is_afterwards_what_it_was_to_the_microsecond(group: quota.QuotaGroup) -> None:
    quota.limit(group.folder, 1 if is_v1() else 2, 25_000)
    if is_v1():
        (group.folder / "cpu.cfs_period_us").write_text("90000")
        (group.folder / "cpu.cfs_quota_us").write_text("22500")
    before = texts(group.folder)
    with busy.program(busy.BURN, *group.prefix) as process:
        busy_in(group, process.pid)
        step = step_for(busy.component(process.pid), server=0.25)
        assert step.ratio == 1.25
        with step.held() as put:
            assert texts(group.folder) == before
            for _ in range(2):
                put(True)
                assert quota_cores(group.folder) == pytest.approx(0.3125)
                put(False)
                assert texts(group.folder) == before
            put(True)
        assert texts(group.folder) == before
        assert group_of(process.pid) == group.folder


def busy_in(group: quota.QuotaGroup, pid: int) -> None:
    """Wait until the process has entered the group."""
    Deadline().wait_for(lambda: cgroups.members(group.folder) == [pid], "the process to enter its group")


@pytest.mark.integration
def test_a_quota_is_lowered_where_others_use_the_rest_of_the_core(group: quota.QuotaGroup) -> None:
    before = texts(group.folder)
    with busy.program(busy.BURN, *group.prefix) as process, busy.program() as beside:
        busy_in(group, process.pid)
        others = busy.component(beside.pid, "beside")
        scene = busy.scene(busy.component(process.pid), others, server=0.25, beside=0.75)
        step = cpu_quota.able(CPU, scene)
        assert step.ratio == 0.8
        with step.held() as put:
            put(True)
            assert quota_cores(group.folder) == pytest.approx(0.2)
        assert texts(group.folder) == before


@pytest.mark.integration
def test_a_quota_that_is_used_by_others_too_is_not_the_components(group: quota.QuotaGroup) -> None:
    with busy.program(busy.BURN, *group.prefix) as process, busy.program(busy.BURN, *group.prefix) as other:
        Deadline().wait_for(lambda: len(cgroups.members(group.folder)) == 2, "both to enter the group")
        scene = busy.scene(
            busy.component(process.pid), busy.component(other.pid, "other"), server=0.1, other=0.1
        )
        no = busy.refusal(cpu_quota, CPU, scene)
    assert no.code == "prove.shared-cgroup"
    assert is_v1() == ("with other" in no.reason)


@pytest.mark.integration
def test_workers_are_held_those_that_are_there_and_those_that_are_born(deadline: Deadline) -> None:
    if not is_v1():
        pytest.skip("cgroup v2 does not divide a group, so nothing is moved")
    with busy.program(busy.FORKING) as process:
        assert process.stdout is not None
        first, before = int(process.stdout.readline()), group_of(process.pid)
        with step_for(busy.component(process.pid)).held() as put:
            put(True)
            quota_group = group_of(process.pid)
            assert quota_group.parent == before
            assert set(cgroups.members(quota_group)) == {process.pid, first}
            process.send_signal(signal.SIGUSR1)
            second = int(process.stdout.readline())
            assert set(cgroups.members(quota_group)) == {process.pid, first, second}
        for pid in (process.pid, first, second):
            assert group_of(pid) == before
        assert not quota_group.exists()


@pytest.mark.integration
def test_a_component_that_ends_meanwhile_ends_nothing_else() -> None:
    with busy.program() as process:
        with step_for(busy.component(process.pid)).held() as put:
            put(True)
            process.kill()
            process.wait()
            put(False)
            put(True)
        assert not changes_of_ours()


def test_what_is_not_here_is_said() -> None:
    no = busy.refusal(cpu_quota, CPU, busy.scene(Component("server", "mariadb")))
    assert no.code == "prove.not-here"


# --- cgroup v2: files as the kernel makes them, in a folder of the test's own ------------------------


@pytest.fixture
def recorded_v2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, Component]]:
    """Yield a tree of cgroup v2 with the group shop.slice/server.service, with our process alone in it."""
    folder = tmp_path / "recorded_v2" / "shop.slice" / "server.service"
    folder.mkdir(parents=True)
    top = tmp_path / "recorded_v2"
    (folder.parent / "cpu.max").write_text("max 100000\n")
    (folder / "cpu.max").write_text("50000 100000\n")
    for emptied in (top, folder.parent):
        (emptied / "cgroup.procs").write_text("")
    monkeypatch.setattr(cgroups, "of", lambda _: {"2": folder})
    monkeypatch.setattr(cgroups, "mounts", lambda: [Mount(top, PurePosixPath("/"), frozenset(), 2)])
    with busy.program("import time; time.sleep(60)") as process:
        (folder / "cgroup.procs").write_text(f"{process.pid}\n")
        yield folder, busy.component(process.pid)


def changed_to(folder: Path, step: Step) -> str:
    """Return what cpu.max says while it is changed; check that it is as before when it is not."""
    before = (folder / "cpu.max").read_text().strip()
    with step.held() as put:
        put(True)
        changed = (folder / "cpu.max").read_text()
        put(False)
        assert (folder / "cpu.max").read_text() == before
        put(True)
    assert (folder / "cpu.max").read_text() == before
    return changed


def test_v2_a_quota_is_raised_in_its_own_period(
    recorded_v2: tuple[Path, Component], snapshot: SnapshotAssertion
) -> None:
    folder, server = recorded_v2
    step = cpu_quota.able(CPU, busy.scene(server, server=0.5))
    assert step.ratio == 1.25
    assert step.title == snapshot
    assert changed_to(folder, step) == "62500 100000"


def test_v2_a_quota_is_lowered_where_the_group_above_allows_no_more(
    recorded_v2: tuple[Path, Component], snapshot: SnapshotAssertion
) -> None:
    folder, server = recorded_v2
    (folder.parent / "cpu.max").write_text("60000 100000\n")
    step = cpu_quota.able(CPU, busy.scene(server, server=0.5))
    assert step.ratio == 0.8
    assert step.title == snapshot
    assert changed_to(folder, step) == "40000 100000"


def test_v2_it_is_the_tightest_quota_above_that_counts(
    recorded_v2: tuple[Path, Component], snapshot: SnapshotAssertion
) -> None:
    folder, server = recorded_v2
    (folder.parent / "cpu.max").write_text("20000 100000\n")
    step = cpu_quota.able(CPU, busy.scene(server, server=0.2))
    assert step.ratio == 0.8
    assert step.title == snapshot
    assert changed_to(folder, step) == "16000 100000"


def test_v2_without_a_quota_it_has_one_of_a_short_period(recorded_v2: tuple[Path, Component]) -> None:
    folder, server = recorded_v2
    (folder / "cpu.max").write_text("max 100000\n")
    assert changed_to(folder, cpu_quota.able(CPU, busy.scene(server, server=0.95))) == "8000 10000"
    # 0.86 of it is in use: it keeps 0.87.
    assert changed_to(folder, cpu_quota.able(CPU, busy.scene(server, server=0.86))) == "8700 10000"


def test_v2_the_kernels_least_quota_is_kept(recorded_v2: tuple[Path, Component]) -> None:
    folder, server = recorded_v2
    (folder.parent / "cpu.max").write_text("1000 20000\n")
    (folder / "cpu.max").write_text("max 10000\n")
    assert changed_to(folder, cpu_quota.able(CPU, busy.scene(server, server=0.05))) == "1000 25000"


def test_v2_a_group_with_others_is_not_divided(recorded_v2: tuple[Path, Component]) -> None:
    folder, server = recorded_v2
    (folder / "cgroup.procs").write_text(f"{server.pid}\n{os.getpid()}\n")
    no = busy.refusal(cpu_quota, CPU, busy.scene(server))
    assert no.code == "prove.shared-cgroup"
    assert "systemd-run" in no.mend


def test_v2_a_tree_that_is_in_several_groups_is_not_held_by_one(
    recorded_v2: tuple[Path, Component], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, _ = recorded_v2
    with busy.program(busy.FORKING) as master:
        worker = int(master.stdout.readline() if master.stdout else 0)
        (folder / "cgroup.procs").write_text(f"{master.pid}\n")
        its = folder.parent / "worker.service"
        monkeypatch.setattr(cgroups, "of", lambda pid: {"2": its if pid == worker else folder})
        no = busy.refusal(cpu_quota, CPU, busy.scene(busy.component(master.pid)))
    assert no.code == "prove.shared-cgroup"
    assert "other than" in no.reason


def test_v2_workers_in_groups_below_are_held_with_it(
    recorded_v2: tuple[Path, Component], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, _ = recorded_v2
    below = folder / "workers"
    below.mkdir()
    with busy.program(busy.FORKING) as master:
        worker = int(master.stdout.readline() if master.stdout else 0)
        (folder / "cgroup.procs").write_text("")
        (below / "cgroup.procs").write_text(f"{master.pid}\n{worker}\n")
        monkeypatch.setattr(cgroups, "of", lambda pid: {"2": below if pid == worker else folder})
        step = cpu_quota.able(CPU, busy.scene(busy.component(master.pid), server=0.5))
        assert changed_to(folder, step) == "62500 100000"


def test_v2_without_the_controller_it_says_how_to_switch_it_on(recorded_v2: tuple[Path, Component]) -> None:
    folder, server = recorded_v2
    (folder / "cpu.max").unlink()
    no = busy.refusal(cpu_quota, CPU, busy.scene(server))
    assert no.code == "prove.no-cgroup"
    assert f"{folder.parent}/cgroup.subtree_control" in no.mend


def test_without_groups_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroups, "of", lambda _: {})
    with busy.program("import time; time.sleep(60)") as process:
        no = busy.refusal(cpu_quota, CPU, busy.scene(busy.component(process.pid)))
    assert no.code == "prove.no-cgroup"


def test_without_the_right_it_says_so(
    recorded_v2: tuple[Path, Component], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, server = recorded_v2
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert busy.refusal(cpu_quota, CPU, busy.scene(server)).code == "prove.no-right"
