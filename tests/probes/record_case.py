"""Record what a probe reads into a folder, so that a bug report becomes a test.

    python -m tests.probes.record_case PROBE CASE TICK [PID]

TICK is 0 for the first sample and 1 for the second. The files are copied below
tests/probes/recorded/PROBE/CASE/tickTICK/ as they lie below /. Write options.yaml (options of the
probe, and `pid`), run the tests, read the expected.json that they propose, and keep it if it is true.
"""

import os
import sys
from pathlib import Path

from loadrig.base import cgroups, processes

RECORDED = Path(__file__).with_name("recorded")

FILES = {
    "system_cpu": ("proc/stat", "proc/schedstat", "proc/loadavg", "proc/pressure/cpu"),
    "memory": ("proc/meminfo", "proc/vmstat", "proc/pressure/memory"),
    "disks": ("proc/diskstats", "proc/pressure/io", "sys/block/*/size"),
    "network": ("proc/net/dev", "sys/class/net/*/speed"),
    "cpu_clock": (
        "proc/cpuinfo",
        "sys/devices/system/cpu/cpu*/cpufreq/scaling_cur_freq",
        "sys/devices/system/cpu/cpu*/thermal_throttle/core_throttle_count",
    ),
    "tcp_sockets": (
        "proc/net/tcp",
        "proc/net/tcp6",
        "proc/net/sockstat",
        "proc/net/snmp",
        "proc/net/netstat",
    ),
}
GROUP_FILES = (
    "cpu.stat", "cpu.max", "cpu.pressure", "memory.events", "memory.current", "memory.peak", "memory.max",
    "pids.current", "pids.max", "cpuacct.usage", "cpuacct.usage_user", "cpuacct.usage_sys",
    "cpu.cfs_quota_us", "cpu.cfs_period_us", "memory.usage_in_bytes", "memory.max_usage_in_bytes",
    "memory.limit_in_bytes", "memory.failcnt", "memory.oom_control",
)  # fmt: skip


def copy(path: Path, into: Path) -> None:
    """Copy the text of a kernel's file, if it is there."""
    try:
        text = path.read_bytes()
    except OSError:
        return
    into.parent.mkdir(parents=True, exist_ok=True)
    into.write_bytes(text)


def record_host(probe: str, tick: Path) -> None:
    """Copy the files of a probe of the host."""
    for pattern in FILES[probe]:
        for path in Path("/").glob(pattern):
            copy(path, tick / path.relative_to("/"))


def record_processes(pid: int, tick: Path) -> None:
    """Copy what the probe process reads of a tree."""
    for member in processes.tree(pid, processes.table()):
        source, target = Path(f"/proc/{member}"), tick / f"proc/{member}"
        for name in ("stat", "smaps_rollup", "limits"):
            copy(source / name, target / name)
        for thread in os.listdir(source / "task"):
            for name in ("status", "schedstat"):
                copy(source / "task" / thread / name, target / "task" / thread / name)
        for name in os.listdir(source / "fd"):
            (target / "fd").mkdir(exist_ok=True)
            (target / "fd" / name).write_bytes(b"")


def record_threads(pid: int, tick: Path) -> None:
    """Copy what the probe thread_states counts of a tree."""
    for member in processes.tree(pid, processes.table()):
        source, target = Path(f"/proc/{member}"), tick / f"proc/{member}"
        copy(source / "stat", target / "stat")
        for thread in os.listdir(source / "task"):
            for name in ("stat", "schedstat"):
                copy(source / "task" / thread / name, target / "task" / thread / name)


def record_groups(pid: int, tick: Path) -> None:
    """Copy the groups of a process: by controller, its own at the end of the path, up to the mount."""
    mounts = {name or "2": m.folder for m in cgroups.mounts() for name in m.controllers or ("",)}
    for controller, folder in cgroups.of(pid).items():
        if controller not in ("cpu", "cpuacct", "memory", "pids", "2"):
            continue
        while True:
            below = folder.relative_to(mounts[controller])
            for name in GROUP_FILES:
                copy(folder / name, tick / controller / below / name)
            if folder == mounts[controller]:
                break
            folder = folder.parent


def main(probe: str, case: str, tick: str, pid: str = "0") -> None:
    """Record one tick of one case."""
    folder = RECORDED / probe / case / f"tick{tick}"
    folder.mkdir(parents=True, exist_ok=True)
    if probe == "process":
        record_processes(int(pid), folder)
    elif probe == "thread_states":
        record_threads(int(pid), folder)
    elif probe == "cgroup":
        record_groups(int(pid), folder)
    else:
        record_host(probe, folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
