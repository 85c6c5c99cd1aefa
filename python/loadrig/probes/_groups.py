"""The numbers that a control group keeps, in v1 and v2 form, as metrics of the same names.

Source: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/ of the kernel; v2 counts time in
microseconds, v1 in nanoseconds.
"""

from pathlib import Path

from loadrig.probes._session import parse_pairs, parse_pressure, read

_NO_LIMIT_BYTES = 1 << 60
"""v1 writes "no limit" as the greatest multiple of a page below 2^63."""


def parse_cpu_max(text: str) -> float | None:
    """v2 cpu.max, "quota period" in microseconds: cores allowed, None for "max"."""
    quota, _, period = text.partition(" ")
    return None if quota == "max" else int(quota) / int(period)


def read_v2(folder: Path) -> dict[str, float]:
    """Metrics of a v2 group; files that are not there (the root's, a controller's) give none."""
    found: dict[str, float] = {}
    cpu = parse_pairs(read(folder / "cpu.stat") or "")
    for name, metric in (("usage_usec", "usage_s"), ("user_usec", "user_s"), ("system_usec", "system_s")):
        if name in cpu:
            found[metric] = cpu[name] / 1e6
    quota = parse_cpu_max(read(folder / "cpu.max") or "max")
    if quota is not None:
        found["quota_cores"] = quota
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
            ("memory.max", "memory_limit_bytes"), ("pids.current", "pids"), ("pids.max", "pids_limit"),
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
                ("memory.limit_in_bytes", "memory_limit_bytes"), ("memory.failcnt", "memory_limit_hits"),
            )  # fmt: skip
            if found.get("memory_limit_bytes", 0) >= _NO_LIMIT_BYTES:
                del found["memory_limit_bytes"]
            kills = parse_pairs(read(folder / "memory.oom_control") or "").get("oom_kill")
            return found if kills is None else {**found, "oom_kills": kills}
        case "pids":
            return _numbers(folder, ("pids.current", "pids"), ("pids.max", "pids_limit"))
    return {}


def _quota_v1(folder: Path) -> dict[str, float]:
    numbers = _numbers(folder, ("cpu.cfs_quota_us", "quota"), ("cpu.cfs_period_us", "period"))
    # No limit is written as -1.
    if numbers.get("quota", -1) <= 0 or not numbers.get("period"):
        return {}
    stat = parse_pairs(read(folder / "cpu.stat") or "")
    return {
        "quota_cores": numbers["quota"] / numbers["period"],
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
