from pathlib import Path, PurePosixPath

import pytest

from loadrig.base.cgroups import (
    UNIFIED,
    Mount,
    everybody,
    folder_in,
    folders,
    group_for,
    parse_membership,
    parse_mounts,
    upwards,
)

HYBRID = """\
22 1 0:20 / /proc rw,relatime - proc proc rw
30 29 0:26 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct
31 29 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
32 29 0:28 / /sys/fs/cgroup/unified rw shared:4 master:1 - cgroup2 cgroup2 rw,nsdelegate
"""


def test_mounts_tell_v1_controllers_and_v2_apart() -> None:
    v1 = Path("/sys/fs/cgroup")
    assert parse_mounts(HYBRID) == [
        Mount(v1 / "cpu,cpuacct", PurePosixPath("/"), frozenset({"cpu", "cpuacct"}), 1),
        Mount(v1 / "memory", PurePosixPath("/"), frozenset({"memory"}), 1),
        Mount(v1 / "unified", PurePosixPath("/"), frozenset(), 2),
    ]


def test_a_path_with_a_space_is_read() -> None:
    line = r"31 29 0:27 / /mnt/my\040groups rw - cgroup2 none rw"
    assert parse_mounts(line)[0].folder == Path("/mnt/my groups")


def test_membership_is_by_controller_and_v2_has_none() -> None:
    text = "5:cpu,cpuacct:/a\n4:memory:/b:c\n1:name=systemd:/s\n0::/u\n"
    assert parse_membership(text) == {
        "cpu": "/a", "cpuacct": "/a", "memory": "/b:c", "name=systemd": "/s", "": "/u",
    }  # fmt: skip


def test_folders_join_mounts_and_membership() -> None:
    by_controller = folders({"cpu": "/a", "memory": "/", "": "/u"}, parse_mounts(HYBRID))
    v1 = Path("/sys/fs/cgroup")
    assert by_controller == {"cpu": v1 / "cpu,cpuacct/a", "memory": v1 / "memory", "2": v1 / "unified/u"}


@pytest.mark.parametrize(
    ("root", "path", "expected"),
    [
        ("/", "/x/y", "/sys/cg/x/y"),
        ("/docker/abc", "/docker/abc", "/sys/cg"),
        ("/docker/abc", "/docker/abc/x", "/sys/cg/x"),
        ("/docker/abc", "/docker/other", None),
        ("/docker/abc", "/", "/sys/cg"),
    ],
)
def test_a_container_sees_its_own_part_of_the_tree(root: str, path: str, expected: str | None) -> None:
    mount = Mount(Path("/sys/cg"), PurePosixPath(root), frozenset(), 2)
    assert folder_in(mount, path) == (Path(expected) if expected else None)


@pytest.mark.parametrize(
    ("controllers", "mounted", "expected"),
    [
        (("cpu",), ("cpu", "memory"), "cpu"),
        (("cpuacct", "cpu"), ("cpu", UNIFIED), "cpu"),
        (("cpu",), ("memory", UNIFIED), UNIFIED),
        (("cpu",), ("memory",), None),
        (("cpu",), (), None),
    ],
)
def test_a_controller_is_looked_for_in_v1_before_the_v2_tree(
    controllers: tuple[str, ...], mounted: tuple[str, ...], expected: str | None
) -> None:
    group = group_for({name: Path("/groups") / name for name in mounted}, *controllers)
    assert group == (None if expected is None else (expected, Path("/groups") / expected))


def test_the_way_up_ends_at_the_top_of_the_same_tree() -> None:
    mounted = parse_mounts(HYBRID)
    v1 = Path("/sys/fs/cgroup")
    assert list(upwards("cpu", v1 / "cpu,cpuacct/a/b", mounted)) == [
        v1 / "cpu,cpuacct/a/b", v1 / "cpu,cpuacct/a", v1 / "cpu,cpuacct",
    ]  # fmt: skip
    assert list(upwards("2", v1 / "unified/u", mounted)) == [v1 / "unified/u", v1 / "unified"]


def test_everybody_in_a_group_is_also_in_those_below(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    for place, pids in (("", "1\n"), ("a", ""), ("a/b", "2\n3\n")):
        (tmp_path / place / "cgroup.procs").write_text(pids)
    assert everybody(tmp_path) == {1, 2, 3}
    assert everybody(tmp_path / "a") == {2, 3}
    assert everybody(tmp_path / "gone") == set()
