"""Sabotage of the clock: the wall clock is set while load runs.

Not the machine's clock, which others use: a small library (LD_PRELOAD) stands between the rig with its
generator and the C library, and shows both another wall time from the moment a file appears. Monotonic
time it passes on untouched, as setting a clock does.
"""

import functools
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.sabotage.harness import Impossible, Sabotage, SabotageOutcome, SabotageRig, plan, serving

SOURCE = r"""
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long step(void) {
    const char *file = getenv("STEP_FILE"), *by = getenv("STEP_S");
    return file && by && access(file, F_OK) == 0 ? atol(by) : 0;
}
int clock_gettime(clockid_t which, struct timespec *now) {
    int failed = (int)syscall(SYS_clock_gettime, which, now);
    if (!failed && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE)) now->tv_sec += step();
    return failed;
}
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    struct timespec exact;
    int failed = clock_gettime(CLOCK_REALTIME, &exact);
    if (!failed && now) { now->tv_sec = exact.tv_sec; now->tv_usec = exact.tv_nsec / 1000; }
    return failed;
}
time_t time(time_t *at) {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (at) *at = exact.tv_sec;
    return exact.tv_sec;
}
"""


@functools.cache
def _library() -> tuple["tempfile.TemporaryDirectory[str]", Path]:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise Impossible("a C compiler (apt install gcc)")
    folder = tempfile.TemporaryDirectory()  # goes when the process does
    source, library = Path(folder.name) / "clock.c", Path(folder.name) / "clock.so"
    source.write_text(SOURCE, encoding="ascii")
    subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-o", str(library), str(source)], check=True)
    return folder, library


def _set_by(folder: Path, seconds: int) -> SabotageOutcome:
    step = folder / "step"
    environment = {"LD_PRELOAD": str(_library()[1]), "STEP_FILE": str(step), "STEP_S": str(seconds)}
    with serving() as port, SabotageRig(plan(port, "rate: 300/1s"), folder, environment=environment) as rig:
        rig.generator()
        step.touch()
        return rig.end()


def set_forward(folder: Path) -> SabotageOutcome:
    """Return an hour forward."""
    return _set_by(folder, 3600)


def set_back(folder: Path) -> SabotageOutcome:
    """Two minutes back."""
    return _set_by(folder, -120)


SABOTAGES = (
    Sabotage("a wall clock set forward by an hour", "clock", "forward by 1 ?h", set_forward, ("disturbed",)),
    Sabotage(
        "a wall clock set back by two minutes",
        "clock",
        "back by 2 ?m",
        set_back,
        ("disturbed",),
        is_variant=True,
    ),
)
