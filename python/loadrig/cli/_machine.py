"""Checks of `loadrig doctor`: whether this machine and this installation can run trials well."""

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

from loadrig.base import cgroups, kernel_files, leases, lost_groups
from loadrig.base.units import show_number
from loadrig.language.choice import texts_of
from loadrig.language.en.cli import CliMachineTexts
from loadrig.trial.reasons import VERBS

if TYPE_CHECKING:
    from loadrig.trial.split import GeneratorSplit

TEXTS = texts_of(CliMachineTexts)

Status = Literal["ok", "note", "warn", "bad"]

FDS_WANTED = 16_384
"""Number of descriptors that are wanted: ten thousand connections are a common test, and each is a
descriptor."""

PORTS_WANTED = 20_000
"""Number of ports that are wanted: with fewer, a client that closes its connections runs out at 333 a second,
as each keeps its port 60 s."""

LATE_S = 0.0005
"""Lateness of the generator, in seconds: G2 calls a trial disturbed when it is late by more than 100 µs at
p99, gravely at 500 µs."""

PROGRAMS = {
    "nginx": (TEXTS.benchmark_generator, "apt install nginx-light"),
    "wrk": (TEXTS.comparison_wrk, "apt install wrk"),
}
MODULES = {
    "gunicorn": (TEXTS.target_gunicorn_demo, "pip install 'loadrig[demo]'"),
    "uvicorn": (TEXTS.target_uvicorn, "pip install 'loadrig[demo]'"),
    "flask": (TEXTS.the_demo, "pip install 'loadrig[demo]'"),
}


@dataclass(frozen=True, slots=True)
class Check:
    """Result of a look. status: ok; note (optional and not there); warn (trials may suffer); bad.

    found: what it is, in a few words. mend: what to type or do, empty where nothing needs doing.
    """

    name: str
    status: Status
    found: str
    code: str
    mend: str = ""


def look() -> Iterator[Check]:
    """Yield every check, in the order of how much depends on it; about 0.3 s."""
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
    return (kernel_files.read(path) or "").strip()


def _judged(text: str, mend: str = "", *, code: str) -> Check:
    """Return a check that is well, or that is warned of where there is something to mend."""
    return Check(code.removeprefix("doctor."), "warn" if mend else "ok", text, code, mend)


def python() -> Check:
    """Check which interpreter runs. An older one than 3.11 does not get this far."""
    return _judged(f"{platform.python_version()} ({sys.executable})", code="doctor.python")


def native() -> Check:
    """Check whether the Rust engine loads."""
    try:
        module = importlib.import_module("loadrig._native")
    except ImportError as error:
        mend = TEXTS.make_or_pip
        return Check("engine", "bad", TEXTS.does_not_load(str(error)), code="doctor.engine", mend=mend)
    return _judged(str(getattr(module, "__file__", TEXTS.built_in)), code="doctor.engine")


def cores() -> Check:
    """Check whether generator and server can have cores of their own."""
    allowed = sorted(os.sched_getaffinity(0))
    text, mend = TEXTS.numbers(str(len(allowed)), ", ".join(map(str, allowed))), ""
    if len(allowed) < 2:
        text += TEXTS.generator_server_disturb
        mend = TEXTS.give_machine_second
    return _judged(text, mend, code="doctor.cores")


def control_groups() -> Check:
    """Check whether a server can be given a group of its own.

    The group counts dead workers' CPU time.
    """
    group = cgroups.group_for(cgroups.of(), "cpuacct", "cpu")
    if group is None:
        mend = TEXTS.mount_cgroup_file
        return _judged(TEXTS.none_mounted, mend, code="doctor.cgroups")
    version, folder = "v2" if group.controller == cgroups.UNIFIED else "v1", str(group.folder)
    if os.access(folder, os.W_OK):
        return _judged(TEXTS.may_written(version, folder), code="doctor.cgroups")
    mend = TEXTS.run_systemd_run
    return _judged(TEXTS.may_not_written(version, folder), mend, code="doctor.cgroups")


def descriptors() -> Check:
    """Check how many connections the generator may hold. It raises its own soft limit to the hard one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY:
        return _judged(TEXTS.no_limit, code="doctor.descriptors")
    mend = TEXTS.raise_hard_limit(str(FDS_WANTED * 4))
    text = TEXTS.most_now(f"{hard:,}", f"{soft:,}")
    return _judged(text, mend if hard < FDS_WANTED else "", code="doctor.descriptors")


def ports() -> Check:
    """Check how many connections a second can be opened and closed to one address without end."""
    words = _text("/proc/sys/net/ipv4/ip_local_port_range").split()
    if len(words) != 2:
        return Check("ports", "note", TEXTS.range_cannot_read, code="doctor.ports")
    low, high = int(words[0]), int(words[1])
    n = high - low + 1
    text = TEXTS.new_connections_second(f"{n:,}", str(low), str(high), str(n // 60))
    return _judged(text, TEXTS.widen_ports if n < PORTS_WANTED else "", code="doctor.ports")


def time_wait_reuse() -> Check:
    """Check whether ports in TIME_WAIT are used again for loopback connections."""
    value = _text("/proc/sys/net/ipv4/tcp_tw_reuse")
    meanings = {"0": TEXTS.never, "1": TEXTS.for_all_connections, "2": TEXTS.for_loopback}
    meaning = meanings.get(value, TEXTS.unknown_meaning)
    mend = TEXTS.reuse_ports if value == "0" else ""
    return _judged(f"{value}: {meaning}" if value else meaning, mend, code="doctor.tw-reuse")


def clock() -> Check:
    """Check what the monotonic clock is read from."""
    source = _text("/sys/devices/system/clocksource/clocksource0/current_clocksource")
    resolution_ns = time.clock_getres(time.CLOCK_MONOTONIC) * 1e9
    is_slow = source in ("hpet", "acpi_pm", "jiffies") or resolution_ns > 1000
    mend = TEXTS.boot_clocksource_tsc if is_slow else ""
    text = TEXTS.resolution_ns(source or TEXTS.unknown_source, f"{resolution_ns:.0f}")
    return _judged(text, mend, code="doctor.clock")


def timer(sleeps: int = 50) -> Check:
    """Check how late this machine wakes a sleeper: the floor of the generator's own lateness."""
    late = []
    for _ in range(sleeps):
        before = time.monotonic()
        time.sleep(0.001)
        late.append(time.monotonic() - before - 0.001)
    median, worst = statistics.median(late), max(late)
    text = TEXTS.sleeper_wakes_s(f"{median * 1e6:.0f}", str(sleeps), f"{worst * 1e6:.0f}")
    return _judged(text, TEXTS.stop_what_else if median > LATE_S else "", code="doctor.timer")


def governor() -> Check:
    """Check whether the cores keep their speed."""
    paths = Path("/sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor")
    governors = sorted({_text(str(path)) for path in paths} - {""})
    if not governors:
        return _judged(TEXTS.not_controlled_here, code="doctor.governor")
    mend = "" if governors == ["performance"] else TEXTS.cpupower_frequency_set
    return _judged(", ".join(governors), mend, code="doctor.governor")


def calibration() -> Iterator[Check]:
    """Yield the checks of the generator's ceiling here, and whether one agrees with two (G10 and G13)."""
    from loadrig.trial.calibration import of_this_machine

    record = of_this_machine()
    if record is None:
        what = TEXTS.not_done_so
        yield Check("calibration", "note", what, code="doctor.calibration", mend=TEXTS.calibrate_here)
        return
    most, honest = show_number(record.per_second), show_number(record.honest_per_second)
    text = TEXTS.machine_can_generate(most, honest)
    text += TEXTS.honest_limit_measured(record.measured or TEXTS.measured_earlier)
    yield _judged(text, code="doctor.calibration")
    if record.split is not None:
        yield split(record.split)


def split(record: "GeneratorSplit") -> Check:
    """Check how one generator compared with two that share its load, for check G13."""
    name, code, at = "split", "doctor.split", TEXTS.at_s(show_number(record.per_second))
    rate, p99 = TEXTS.rate(f"{record.rate:+.2%}"), f"p99 {record.p99:+.0%}"
    match record.level:
        case "agree":
            return Check(name, "ok", TEXTS.generator_two_agree(at, rate, p99), code=code)
        case "undecided":
            what = TEXTS.not_decided_so(at, rate, p99, record.why_undecided)
            mend = TEXTS.calibrate_alone
            if not record.has_cores:
                mend = TEXTS.machine_three_cores
            return Check(name, "note", what, code=code, mend=mend)
    what = TEXTS.generator_differs_from(at, rate, p99, VERBS[record.level])
    mend = TEXTS.see_timer_cores
    return Check(name, "warn", what, code=code, mend=mend)


def left_over() -> Check:
    """Check what a killed rig left."""
    stale = leases.stale() + lost_groups.lost_leases()
    if stale:
        text = TEXTS.from_rig_killed(str(len(stale))) + "; ".join(str(lease) for lease in stale)
        return _judged(text, "loadrig doctor --clean", code="doctor.leftovers")
    folder = leases.folder()
    alone = leases.left_alone()
    if alone:
        text = TEXTS.none_rig_alone(str(len(alone))) + "; ".join(
            f"{lease.what} ({lease.reason})" for lease in alone
        )
        mend = TEXTS.where_nothing_them(str(folder))
        return Check("leftovers", "note", text, code="doctor.leftovers", mend=mend)
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    if not os.access(nearest, os.W_OK):
        mend = TEXTS.set_xdg_state
        text = TEXTS.none_cannot_written(str(folder))
        return _judged(text, mend, code="doctor.leftovers")
    return _judged(TEXTS.nothing_left, code="doctor.leftovers")


def optional() -> Iterator[Check]:
    """Yield the checks of programs and modules that only some commands need."""
    places = {name: shutil.which(name) for name in PROGRAMS}
    places |= {name: TEXTS.installed if importlib.util.find_spec(name) else None for name in MODULES}
    for name, (use, mend) in {**PROGRAMS, **MODULES}.items():
        if place := places[name]:
            yield Check(name, "ok", place, code="doctor.optional")
        else:
            yield Check(name, "note", TEXTS.not_installed_needed(use), code="doctor.optional", mend=mend)
