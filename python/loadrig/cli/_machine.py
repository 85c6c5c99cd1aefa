"""What `loadrig doctor` looks at: whether this machine and this installation can run trials well."""

import importlib.util
import os
import platform
import resource
import shutil
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from loadrig.base import cgroups, leases, lost_groups
from loadrig.base.units import show_number
from loadrig.trial.reasons import VERBS

if TYPE_CHECKING:
    from loadrig.trial.split import Split

Status = Literal["ok", "note", "warn", "bad"]

FDS_WANTED = 16_384
"""Ten thousand connections are a common test; each is a descriptor."""

PORTS_WANTED = 20_000
"""With fewer, a client that closes its connections runs out at 333 a second: each keeps its port 60 s."""

LATE_S = 0.0005
"""G2 calls a trial disturbed when the generator is late by more than 100 µs at p99, gravely at 500 µs."""

PROGRAMS = {
    "nginx": ("the benchmark of the generator", "apt install nginx-light"),
    "wrk": ("the comparison with wrk", "apt install wrk"),
}
MODULES = {
    "gunicorn": ("the target gunicorn and the demo", "pip install 'loadrig[demo]'"),
    "uvicorn": ("the target uvicorn", "pip install 'loadrig[demo]'"),
    "flask": ("the demo", "pip install 'loadrig[demo]'"),
}


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at. status: ok; note (optional and not there); warn (trials may suffer); bad.

    found: what it is, in a few words. mend: what to type or do, empty where nothing needs doing.
    """

    name: str
    status: Status
    found: str
    code: str
    mend: str = ""


def look() -> Iterator[Check]:
    """Every check, in the order of how much depends on it; about 0.3 s."""
    yield python()
    yield native()
    yield cores()
    yield control_groups()
    yield descriptors()
    yield ports()
    yield time_wait_reuse()
    yield clock()
    yield timer()
    yield governor()
    yield from calibration()
    yield left_over()
    yield from optional()


def _text(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""


def python() -> Check:
    """Which interpreter runs. An older one than 3.11 does not get this far."""
    found = f"{platform.python_version()} ({sys.executable})"
    return Check("python", "ok", found, code="doctor.python")


def native() -> Check:
    """Whether the Rust engine loads."""
    try:
        module = importlib.import_module("loadrig._native")
    except ImportError as error:
        return Check(
            "engine",
            "bad",
            f"does not load: {error}",
            code="doctor.engine",
            mend="make, or pip install loadrig again",
        )
    return Check("engine", "ok", str(getattr(module, "__file__", "built in")), code="doctor.engine")


def cores() -> Check:
    """Whether generator and server can have cores of their own."""
    allowed = sorted(os.sched_getaffinity(0))
    found = f"{len(allowed)} (numbers {', '.join(map(str, allowed))})"
    if len(allowed) < 2:
        mend = "give this machine a second core, or run the server on another machine"
        return Check(
            "cores",
            "warn",
            f"{found}: generator and server disturb each other",
            code="doctor.cores",
            mend=mend,
        )
    return Check("cores", "ok", found, code="doctor.cores")


def control_groups() -> Check:
    """Whether a server can be given a group of its own, which counts dead workers' CPU time."""
    kind = cgroups.kind()
    if kind == "none":
        mend = "mount the cgroup file system, or go without: CPU time is then taken from the processes"
        return Check("cgroups", "warn", "none mounted", code="doctor.cgroups", mend=mend)
    own = cgroups.of()
    folder = own.get("cpuacct") or own.get("cpu") or own["2"]
    if not os.access(folder, os.W_OK):
        mend = "run it by `systemd-run --user --scope`, or go without: CPU time is taken from the processes"
        return Check(
            "cgroups", "warn", f"{kind}, {folder} may not be written", code="doctor.cgroups", mend=mend
        )
    return Check("cgroups", "ok", f"{kind}, {folder} may be written", code="doctor.cgroups")


def descriptors() -> Check:
    """How many connections the generator may hold. It raises its own soft limit to the hard one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY:
        return Check("descriptors", "ok", "no limit", code="doctor.descriptors")
    found = f"{hard:,} at most (now {soft:,})"
    if hard < FDS_WANTED:
        mend = f"raise the hard limit: `ulimit -Hn {FDS_WANTED * 4}` as root, or in /etc/security/limits.conf"
        return Check("descriptors", "warn", found, code="doctor.descriptors", mend=mend)
    return Check("descriptors", "ok", found, code="doctor.descriptors")


def ports() -> Check:
    """How many connections a second can be opened and closed to one address without end."""
    words = _text("/proc/sys/net/ipv4/ip_local_port_range").split()
    if len(words) != 2:
        return Check("ports", "note", "the range cannot be read", code="doctor.ports")
    low, high = int(words[0]), int(words[1])
    n = high - low + 1
    found = f"{n:,} ({low}-{high}): {n // 60} new connections a second to one address without reuse"
    if n < PORTS_WANTED:
        mend = "sysctl -w net.ipv4.ip_local_port_range='10240 65535', or keep connections alive"
        return Check("ports", "warn", found, code="doctor.ports", mend=mend)
    return Check("ports", "ok", found, code="doctor.ports")


def time_wait_reuse() -> Check:
    """Whether ports in TIME_WAIT are used again for loopback connections."""
    value = _text("/proc/sys/net/ipv4/tcp_tw_reuse")
    meaning = {"0": "never", "1": "for all connections", "2": "for loopback connections"}.get(
        value, "unknown"
    )
    if value == "0":
        mend = "sysctl -w net.ipv4.tcp_tw_reuse=2, or keep connections alive"
        return Check("tw-reuse", "warn", f"{value}: {meaning}", code="doctor.tw-reuse", mend=mend)
    return Check("tw-reuse", "ok", f"{value}: {meaning}" if value else meaning, code="doctor.tw-reuse")


def clock() -> Check:
    """What the monotonic clock is read from."""
    source = _text("/sys/devices/system/clocksource/clocksource0/current_clocksource")
    resolution_ns = time.clock_getres(time.CLOCK_MONOTONIC) * 1e9
    found = f"{source or 'unknown source'}, resolution {resolution_ns:.0f} ns"
    if source in ("hpet", "acpi_pm", "jiffies") or resolution_ns > 1000:
        mend = "boot with clocksource=tsc if the processor has it; reading this clock is slow"
        return Check("clock", "warn", found, code="doctor.clock", mend=mend)
    return Check("clock", "ok", found, code="doctor.clock")


def timer(sleeps: int = 50) -> Check:
    """How late this machine wakes a sleeper: the floor of the generator's own lateness."""
    late = []
    for _ in range(sleeps):
        before = time.monotonic()
        time.sleep(0.001)
        late.append(time.monotonic() - before - 0.001)
    median, worst = statistics.median(late), max(late)
    found = f"a sleeper wakes {median * 1e6:.0f} µs late (median of {sleeps}), {worst * 1e6:.0f} µs at worst"
    if median > LATE_S:
        mend = "stop what else runs here; a virtual machine may need a host that is less shared"
        return Check("timer", "warn", found, code="doctor.timer", mend=mend)
    return Check("timer", "ok", found, code="doctor.timer")


def governor() -> Check:
    """Whether the cores keep their speed."""
    paths = Path("/sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor")
    found = sorted({_text(str(path)) for path in paths} - {""})
    if not found:
        return Check(
            "governor", "ok", "not controlled here (a virtual machine, or no driver)", code="doctor.governor"
        )
    if found != ["performance"]:
        mend = "cpupower frequency-set -g performance (as root)"
        return Check("governor", "warn", ", ".join(found), code="doctor.governor", mend=mend)
    return Check("governor", "ok", "performance", code="doctor.governor")


def calibration() -> Iterator[Check]:
    """What the generator can do at most here, and whether one agrees with two: checks G10 and G13."""
    from loadrig.trial.calibration import known

    found = known()
    if found is None:
        what = "not done, so the checks G10 and G13 are left out"
        mend = "loadrig doctor --calibrate (half a minute; let nothing else run)"
        yield Check("calibration", "note", what, code="doctor.calibration", mend=mend)
        return
    most, honest = show_number(found.per_second), show_number(found.honest_per_second)
    text = f"this machine can generate {most} requests a second with one thread; half of that, {honest}/s,"
    text += f" is the honest limit (measured {found.measured or 'earlier'})"
    yield Check("calibration", "ok", text, code="doctor.calibration")
    if found.split is not None:
        yield split(found.split)


def split(found: "Split") -> Check:
    """How one generator compared with two that share its load, for check G13."""
    name, code, at = "split", "doctor.split", f"at {show_number(found.per_second)}/s"
    rate, p99 = f"rate {found.rate:+.2%}", f"p99 {found.p99:+.0%}"
    match found.level:
        case "agree":
            return Check(name, "ok", f"one generator and two agree {at}: {rate}, {p99}", code=code)
        case "undecided":
            what = f"not decided {at} ({rate}, {p99}), so check G13 is left out: {found.why_undecided}"
            mend = "loadrig doctor --calibrate while nothing else runs"
            if not found.has_cores:
                mend = "on a machine with three cores: loadrig doctor --calibrate"
            return Check(name, "note", what, code=code, mend=mend)
    what = f"one generator differs from two {at}: {rate}, {p99}; that {VERBS[found.level]} every trial (G13)"
    mend = "see timer, cores and governor above; stop what else runs, then loadrig doctor --calibrate"
    return Check(name, "warn", what, code=code, mend=mend)


def left_over() -> Check:
    """What a killed rig left."""
    stale = leases.stale() + lost_groups.found()
    if stale:
        found = f"{len(stale)} from a rig that was killed: " + "; ".join(str(lease) for lease in stale)
        return Check("leftovers", "warn", found, code="doctor.leftovers", mend="loadrig doctor --clean")
    folder = leases.folder()
    alone = leases.left_alone()
    if alone:
        found = f"none of this rig's; {len(alone)} left alone: " + "; ".join(
            f"{lease.what} ({lease.reason})" for lease in alone
        )
        mend = f"where nothing of them is left, remove their files in {folder}"
        return Check("leftovers", "note", found, code="doctor.leftovers", mend=mend)
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    if not os.access(nearest, os.W_OK):
        mend = "set XDG_STATE_HOME to a folder that may be written"
        found = f"none known; {folder} cannot be written, so a killed rig's would not be known"
        return Check("leftovers", "warn", found, code="doctor.leftovers", mend=mend)
    return Check("leftovers", "ok", "none", code="doctor.leftovers")


def optional() -> Iterator[Check]:
    """Programs and modules that only some commands need."""
    for name, (use, mend) in PROGRAMS.items():
        path = shutil.which(name)
        if path:
            yield Check(name, "ok", path, code="doctor.optional")
        else:
            yield Check(name, "note", f"not installed; needed for {use}", code="doctor.optional", mend=mend)
    for name, (use, mend) in MODULES.items():
        if importlib.util.find_spec(name):
            yield Check(name, "ok", "installed", code="doctor.optional")
        else:
            yield Check(name, "note", f"not installed; needed for {use}", code="doctor.optional", mend=mend)
