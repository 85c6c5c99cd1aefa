"""A run whose server was profiled at low and at high load, for the tests of flame graphs."""

import shutil
from pathlib import Path

from loadrig.base.series import Event
from loadrig.profilers import Own, Profile, Stack, StackFrame, encoded
from loadrig.recording import events
from loadrig.recording.layout import RunFolder, TrialFolder

from .folders import T0, S

OWN = Own("cpython", ("shop",))
SITE = "/srv/.venv/lib/python3.11/site-packages"
RUN = StackFrame("Thread.run", "/usr/lib/python3.11/threading.py", 982)
HANDLE = StackFrame("ThreadWorker.handle", f"{SITE}/gunicorn/workers/gthread.py", 310)
SEARCH = StackFrame("search", "/srv/shop/views.py", 12)
RANK = StackFrame("rank", "/srv/shop/search.py", 33)
TRIGRAMS = StackFrame("trigrams", "/srv/shop/search.py", 17)
RENDER = StackFrame("render", f"{SITE}/jinja2/environment.py", 1290)
NASTY = StackFrame("</script><b>nasty</b>", "/srv/shop/nasty.py", 1)
TINY = StackFrame("tiny", "/srv/shop/views.py", 99)


def profile(ranked: int, rendered: int, tiny: int = 0) -> Profile:
    """Return a profile with so many samples in ranking and in rendering."""
    cpu_profile = Profile("cpu", 10_000_000, 0, 5 * S)
    stacks = {
        (RUN, HANDLE, SEARCH, RANK): ranked // 4,
        (RUN, HANDLE, SEARCH, RANK, TRIGRAMS): ranked - ranked // 4,
        (RUN, HANDLE, SEARCH, RENDER): rendered,
        (RUN, NASTY): 20,
        (RUN, TINY): tiny,
    }
    for frames, count in stacks.items():
        cpu_profile.add(Stack(frames, "worker-1", 7), count, count * 10_000_000)
    return cpu_profile


def profiled(run: Path, folder: Path, *, low: bool = True) -> Path:
    """Return a copy of a run of one trial in which py-spy profiled the server."""
    shutil.copytree(run, folder)
    trial = RunFolder(folder).trial(1)
    trial.profiles.mkdir()
    trial.events.chmod(0o644)
    keep(trial, "high", 70, profile(1000, 300, tiny=1))
    if low:
        keep(trial, "low", 20, profile(300, 600))
    return folder


def keep(trial: TrialFolder, load: str, from_s: int, cpu_profile: Profile, component: str = "server") -> None:
    """Put a profile of 5 s into a recording."""
    path = trial.profile(component, load, "py-spy")
    path.write_bytes(encoded(cpu_profile))
    facts = {
        "profiler": "py-spy", "load": load, "duration_s": 5.0, "path": str(path.relative_to(trial.path)),
        "cpu_s": 0.25, "used_cores": 4.0, "samples": cpu_profile.count, "own": OWN.to_json(),
    }  # fmt: skip
    event = Event(T0 + from_s * S, "profile", "py-spy", "py-spy profiled it", facts, component)
    with trial.events.open("ab") as file:
        file.write(events.line(event))
