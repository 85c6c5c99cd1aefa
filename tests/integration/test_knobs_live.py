"""Knobs of a command, read back from the server that runs: from /proc, its control group, its files, its JVM.

Sysctls are in test_sysctls_live.py.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from loadrig.base import cgroups, processes
from loadrig.base.errors import PlanError
from loadrig.base.setting import Value
from loadrig.base.units import Seconds
from loadrig.target import Running, command
from loadrig.target._knobs import FreeKnob
from loadrig.target._ready import Ready
from tests.integration.started import base, nothing_left, problem_of, wait_until, workers_of
from tests.servers import java
from tests.servers._daemon import program

__all__ = ["base", "nothing_left"]  # fixtures

pytestmark = [pytest.mark.integration, pytest.mark.timeout(60)]

SERVER = (sys.executable, "server.py", "{port}")


def started(
    base: Path, setting: dict[str, Value], argv: tuple[str, ...] = SERVER, **options: object
) -> Running:
    """Start a server with a setting. options: of the command, knob_flags among them."""
    ready = {"ready": Ready(within=Seconds(30)), **options}
    return command.start(command.Options(argv, **ready), setting, base / "run", base)  # type: ignore[arg-type]


def words_of(pid: int | None) -> list[str]:
    return Path(f"/proc/{pid}/cmdline").read_bytes().decode().rstrip("\0").split("\0")


def variables_of(pid: int | None) -> dict[str, str]:
    entries = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    return dict(entry.split("=", 1) for entry in entries if "=" in entry)


# --- flags and variables ----------------------------------------------------------------------------


def test_flags_and_variables_of_a_setting_are_those_of_the_process(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("POOL_SIZE", raising=False)
    knobs = {
        "workers": FreeKnob("--workers {}"),
        "cache": FreeKnob("--cache"),
        "pool": FreeKnob(env="POOL_SIZE", low=1, high=64),
    }
    for pool, is_cached in ((7, True), (40, False)):
        with started(base, {"workers": 3, "cache": is_cached, "pool": pool}, knob_flags=knobs) as running:
            pid = running.target.pid
            flags = ["--workers", "3", *(["--cache"] if is_cached else [])]
            assert words_of(pid)[3:] == flags
            assert variables_of(pid)["POOL_SIZE"] == str(pool)
    # Nothing of it stays with the rig, from which the next server inherits.
    assert "POOL_SIZE" not in os.environ
    with started(base, {}) as running:
        assert "POOL_SIZE" not in variables_of(running.target.pid)


# --- files ------------------------------------------------------------------------------------------

NGINX = """\
{user}daemon off;
worker_processes {{{{ workers }}}};
pid {folder}/nginx.pid;
error_log stderr;
events {{ worker_connections {{{{connections}}}}; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  keepalive_requests {{{{keepalive}}}};
  server {{ listen 127.0.0.1:{port}; location / {{ return 200 "ok"; }} }}
}}
"""


def test_a_server_runs_with_the_file_that_was_filled_from_its_template(base: Path, free_port: int) -> None:
    nginx = program("nginx", "apt-get install nginx-light")
    template = base / "nginx.template.conf"
    user = "user root; " if os.getuid() == 0 else ""
    text = NGINX.format(user=user, folder=base, port=free_port)
    template.write_text(text)
    knobs = {
        "workers": FreeKnob(low=1, high=8),
        "connections": FreeKnob(low=16, high=4096),
        "keepalive": FreeKnob(low=1, high=1000, default="77"),
    }
    for workers, connections in ((1, 64), (3, 128)):
        with started(
            base, {"workers": workers, "connections": connections},
            (nginx, "-c", "{file:nginx.conf}", "-p", str(base), "-e", "stderr"),
            address=command.ListenPlace(port=free_port), files={"nginx.conf": template.name},
            knob_flags=knobs,
        ) as running:  # fmt: skip
            pid = running.target.pid
            wait_until(lambda n=workers, pid=pid: len(workers_of(pid)) == n)  # type: ignore[misc]
            file = words_of(pid)[0].split(" -c ")[1].split()[0]  # nginx writes its title over its words
            assert Path(file).is_relative_to(base / "run")
            dumped = subprocess.run(
                [nginx, "-T", "-c", file, "-e", "stderr"],
                capture_output=True,
                text=True,
                check=True,
                timeout=20,
            ).stdout
            assert f"worker_connections {connections};" in dumped
            assert "keepalive_requests 77;" in dumped
            assert "{{" not in dumped
    assert template.read_text() == text


# --- cores and quotas -------------------------------------------------------------------------------


def test_a_server_is_held_on_as_many_cores_as_its_knob_says(base: Path) -> None:
    knobs = {"cores": FreeKnob(limit="cpus", low=1, high=512)}
    before = os.sched_getaffinity(0)
    for count in sorted({1, len(before)}):
        with started(base, {"cores": count}, knob_flags=knobs) as running:
            assert running.target.pid is not None
            held = os.sched_getaffinity(running.target.pid)
            assert len(held) == count
            assert held <= before
    assert os.sched_getaffinity(0) == before


def own_quota() -> float | None:
    return cgroups.limits().get("quota_cores")


def test_a_quota_is_that_of_a_group_that_goes_with_the_server(base: Path) -> None:
    if os.geteuid() != 0 or not {"cpu", "2"} & cgroups.of().keys():
        pytest.skip("a control group with a CPU quota takes root and mounted control groups")
    knobs = {"cores": FreeKnob(limit="cpu_quota", low=0.1, high=8)}
    before = own_quota()
    for cores in (0.3, 0.5):
        with started(base, {"cores": cores}, knob_flags=knobs) as running:
            pid = running.target.pid
            assert pid is not None
            assert cgroups.limits(pid)["quota_cores"] == pytest.approx(cores)
            group = cgroups.of(pid).get("cpu") or cgroups.of(pid)["2"]
            assert group.name.startswith("loadrig-")
            assert own_quota() == before
        assert not group.exists()
        assert running.stop().left == ()
    with started(base, {}, knob_flags=knobs) as running:
        assert running.target.pid is not None
        assert cgroups.limits(running.target.pid).get("quota_cores") == before


# --- the JVM ----------------------------------------------------------------------------------------

JVM = {
    "heap": FreeKnob(jvm="-Xmx{}", kind="size"),
    "collector": FreeKnob(jvm="-XX:+Use{}GC", words=("Serial", "Parallel")),
    "touch": FreeKnob(jvm="-XX:+AlwaysPreTouch"),
    "pool": FreeKnob(jvm="-Dshop.pool={}", low=1, high=64),
}
MIB = 1 << 20


def jvm(base: Path, setting: dict[str, Value], *options: str, **more: object) -> Running:
    argv = (str(java.jdk() / "bin" / "java"), *options, "-cp", str(java.classes()), "Plain", "{port}", "2")
    return started(base, setting, argv, knob_flags=JVM, **more)


def told_by(running: Running, what: str) -> str:
    """Return what the JVM itself says, by jcmd."""
    words = [str(java.jdk() / "bin" / "jcmd"), str(running.target.pid), *what.split()]
    return subprocess.run(words, capture_output=True, text=True, check=True, timeout=30).stdout


def flags_of(running: Running) -> dict[str, str]:
    lines = told_by(running, "VM.flags -all").splitlines()
    fields = [line.replace(":=", "=").split() for line in lines if "=" in line]
    return {field[1]: field[3] for field in fields if len(field) > 3 and field[2] == "="}


@pytest.mark.parametrize(
    ("heap", "collector", "touch"), [("64MiB", "Serial", True), ("96MiB", "Parallel", False)]
)
def test_a_jvm_runs_with_the_options_of_its_setting(
    base: Path, heap: str, collector: str, touch: bool
) -> None:
    setting: dict[str, Value] = {"heap": heap, "collector": collector, "touch": touch, "pool": 9}
    with jvm(base, setting) as running:
        flags = flags_of(running)
        assert int(flags["MaxHeapSize"]) == int(heap.removesuffix("MiB")) * MIB
        assert flags[f"Use{collector}GC"] == "true"
        assert flags["AlwaysPreTouch"] == str(touch).lower()
        assert "shop.pool=9" in told_by(running, "VM.system_properties")
    assert "JAVA_TOOL_OPTIONS" not in os.environ or "Xmx" not in os.environ["JAVA_TOOL_OPTIONS"]


def test_what_the_rig_and_the_plan_tell_a_jvm_is_not_lost_to_a_knob(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Dgiven.by=shell -Xmx200m")
    with jvm(base, {"heap": "64MiB"}) as running:
        assert "given.by=shell" in told_by(running, "VM.system_properties")
        assert int(flags_of(running)["MaxHeapSize"]) == 64 * MIB
    with jvm(base, {"heap": "64MiB"}, env={"JAVA_TOOL_OPTIONS": "-Dgiven.by=plan"}) as running:
        assert "given.by=plan" in told_by(running, "VM.system_properties")
        assert int(flags_of(running)["MaxHeapSize"]) == 64 * MIB


@pytest.mark.parametrize(
    ("setting", "word"),
    [
        ({"heap": "64MiB"}, "-Xmx80m"),
        ({"collector": "Serial"}, "-XX:+UseParallelGC"),
        ({"touch": True}, "-XX:-AlwaysPreTouch"),
    ],
)
def test_an_option_that_the_command_line_would_overrule_is_refused(
    base: Path, setting: dict[str, Value], word: str
) -> None:
    with pytest.raises(PlanError) as refused:
        jvm(base, setting, word)
    problem = problem_of(refused)
    assert problem.code == "target.knob-overruled"
    assert word in problem.what


def test_a_jvm_takes_what_its_command_line_says_last(base: Path) -> None:
    """Show why an option that stands in both is refused; where this no longer holds, it need not be."""
    with jvm(base, {}, "-Xmx80m", env={"JAVA_TOOL_OPTIONS": "-Xmx64m"}) as running:
        assert int(flags_of(running)["MaxHeapSize"]) == 80 * MIB


def test_other_options_in_the_command_line_are_no_matter(base: Path) -> None:
    with jvm(
        base, {"heap": "64MiB"}, "-Xms32m", "-XX:+UseSerialGC", "-XX:+UseStringDeduplication"
    ) as running:
        assert int(flags_of(running)["MaxHeapSize"]) == 64 * MIB
        assert processes.start_of(running.target.pid or 0) is not None
