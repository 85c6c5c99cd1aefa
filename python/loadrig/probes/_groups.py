"""The numbers that a control group keeps, in v1 and v2 form, as metrics of the same names.

Source: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/ of the kernel; v2 counts time in
microseconds, v1 in nanoseconds.
"""

from pathlib import Path

from loadrig.base import cgroups
from loadrig.probes._session import parse_pairs, parse_pressure, read


def read_v2(folder: Path) -> dict[str, float]:
    """Metrics of a v2 group; files that are not there (the root's, a controller's) give none."""
    found: dict[str, float] = {}
    cpu = parse_pairs(read(folder / "cpu.stat") or "")
    for name, metric in (("usage_usec", "usage_s"), ("user_usec", "user_s"), ("system_usec", "system_s")):
        if name in cpu:
            found[metric] = cpu[name] / 1e6
    found.update(cgroups.limits_in("2", folder))
    if "quota_cores" in found:
        found["periods"] = cpu.get("nr_periods", 0)
        found["throttled_periods"] = cpu.get("nr_throttled", 0)
        found["throttled_s"] = cpu.get("throttled_usec", 0) / 1e6
    pressure = parse_pressure(read(folder / "cpu.pressure") or "")
    if "some" in pressure:
        found["stalled_cpu_s"] = pressure["some"]
    events = parse_pairs(read(folder / "memory.events") or "")
    for name, metric in (("max", "memory_limit_hits"), ("oom_kill", "oom_kills")):
        if name in events:
            found[metric] = events[name]
    found.update(
        _numbers(
            folder,
            ("memory.current", "memory_bytes"), ("memory.peak", "memory_peak_bytes"),
            ("pids.current", "pids"),
        )
    )  # fmt: skip
    return found


def read_v1(controller: str, folder: Path) -> dict[str, float]:
    """Metrics of a v1 group of one controller."""
    match controller:
        case "cpuacct":
            names = (
                ("cpuacct.usage", "usage_s"),
                ("cpuacct.usage_user", "user_s"),
                ("cpuacct.usage_sys", "system_s"),
            )
            return {metric: ns / 1e9 for metric, ns in _numbers(folder, *names).items()}
        case "cpu":
            return _quota_v1(folder)
        case "memory":
            found = _numbers(
                folder,
                ("memory.usage_in_bytes", "memory_bytes"), ("memory.max_usage_in_bytes", "memory_peak_bytes"),
                ("memory.failcnt", "memory_limit_hits"),
            )  # fmt: skip
            found.update(cgroups.limits_in("memory", folder))
            kills = parse_pairs(read(folder / "memory.oom_control") or "").get("oom_kill")
            return found if kills is None else {**found, "oom_kills": kills}
        case "pids":
            return {**_numbers(folder, ("pids.current", "pids")), **cgroups.limits_in("pids", folder)}
    return {}


def _quota_v1(folder: Path) -> dict[str, float]:
    found = cgroups.limits_in("cpu", folder)
    if not found:
        return {}
    stat = parse_pairs(read(folder / "cpu.stat") or "")
    return {
        **found,
        "periods": stat.get("nr_periods", 0),
        "throttled_periods": stat.get("nr_throttled", 0),
        "throttled_s": stat.get("throttled_time", 0) / 1e9,
    }


def _numbers(folder: Path, *wanted: tuple[str, str]) -> dict[str, float]:
    """Files that hold one number: (file, metric). "max" and missing files give none."""
    found = {}
    for name, metric in wanted:
        text = (read(folder / name) or "").strip()
        if text.lstrip("-").isdecimal():
            found[metric] = float(text)
    return found
