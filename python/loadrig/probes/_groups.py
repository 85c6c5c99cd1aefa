"""The numbers that a control group keeps, in v1 and v2 form, as metrics of the same names.

Source: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/ of the kernel; v2 counts time in
microseconds, v1 in nanoseconds.
"""

from collections.abc import Mapping
from pathlib import Path

from loadrig.base import cgroups
from loadrig.probes._session import parse_pairs, parse_pressure, read


def read_v2(folder: Path) -> dict[str, float]:
    """Return the metrics of a v2 group; missing files (the root's, a controller's) give none."""
    metrics: dict[str, float] = {}
    cpu = parse_pairs(read(folder / "cpu.stat") or "")
    for name, metric in (("usage_usec", "usage_s"), ("user_usec", "user_s"), ("system_usec", "system_s")):
        if name in cpu:
            metrics[metric] = cpu[name] / 1e6
    metrics.update(cgroups.limits_in(cgroups.UNIFIED, folder))
    if "quota_cores" in metrics:
        metrics["periods"] = cpu.get("nr_periods", 0)
        metrics["throttled_periods"] = cpu.get("nr_throttled", 0)
        metrics["throttled_s"] = cpu.get("throttled_usec", 0) / 1e6
    pressure = parse_pressure(read(folder / "cpu.pressure") or "")
    if "some" in pressure:
        metrics["stalled_cpu_s"] = pressure["some"]
    events = parse_pairs(read(folder / "memory.events") or "")
    for name, metric in (("max", "memory_limit_hits"), ("oom_kill", "oom_kills")):
        if name in events:
            metrics[metric] = events[name]
    metrics.update(
        _numbers(
            folder,
            ("memory.current", "memory_bytes"), ("memory.peak", "memory_peak_bytes"),
            ("pids.current", "pids"),
        )
    )  # fmt: skip
    return {**metrics, **_refaults(folder, metrics)}


def read_v1(controller: str, folder: Path) -> dict[str, float]:
    """Return the metrics of a v1 group of a controller."""
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
            metrics = _numbers(
                folder,
                ("memory.usage_in_bytes", "memory_bytes"), ("memory.max_usage_in_bytes", "memory_peak_bytes"),
                ("memory.failcnt", "memory_limit_hits"),
            )  # fmt: skip
            metrics.update(cgroups.limits_in("memory", folder))
            metrics.update(_refaults(folder, metrics))
            kills = parse_pairs(read(folder / "memory.oom_control") or "").get("oom_kill")
            return metrics if kills is None else {**metrics, "oom_kills": kills}
        case "pids":
            return {**_numbers(folder, ("pids.current", "pids")), **cgroups.limits_in("pids", folder)}
    return {}


def _refaults(folder: Path, metrics: Mapping[str, float]) -> dict[str, float]:
    """Return how many pages were read back, of a group with a limit on its memory.

    In v1 the counts of a group with those of its children begin with "total_".
    """
    if "memory_limit_bytes" not in metrics:
        return {}
    stat = parse_pairs(read(folder / "memory.stat") or "")
    counts = [
        stat.get(f"total_workingset_refault_{kind}", stat.get(f"workingset_refault_{kind}"))
        for kind in ("file", "anon")
    ]
    readable = [count for count in counts if count is not None]
    return {"memory_refaults": float(sum(readable))} if readable else {}


def _quota_v1(folder: Path) -> dict[str, float]:
    limits = cgroups.limits_in("cpu", folder)
    if not limits:
        return {}
    stat = parse_pairs(read(folder / "cpu.stat") or "")
    return {
        **limits,
        "periods": stat.get("nr_periods", 0),
        "throttled_periods": stat.get("nr_throttled", 0),
        "throttled_s": stat.get("throttled_time", 0) / 1e9,
    }


def _numbers(folder: Path, *wanted: tuple[str, str]) -> dict[str, float]:
    """Return the numbers in files. wanted: (file, metric); "max" and missing files give none."""
    numbers = {}
    for name, metric in wanted:
        text = (read(folder / name) or "").strip()
        if text.lstrip("-").isdecimal():
            numbers[metric] = float(text)
    return numbers
