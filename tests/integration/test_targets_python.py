"""Gunicorn and uvicorn with their knobs, found by their port, watched while a worker dies."""

import dataclasses
import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from loadrig.base import processes, sockets
from loadrig.base.component import of_target
from loadrig.base.errors import TargetError
from loadrig.base.series import Event, Sample
from loadrig.base.setting import Value
from loadrig.base.units import Seconds
from loadrig.probes import Place
from loadrig.probes import process as process_probe
from loadrig.target import external, gunicorn, uvicorn
from loadrig.target._knobs import FreeKnob
from loadrig.target._ready import Ready
from loadrig.target._server import free_port
from tests.integration.started import (
    base,
    get,
    hears,
    nothing_left,
    problem_of,
    start_gunicorn,
    wait_until,
    workers_of,
)

__all__ = ["base", "nothing_left"]  # fixtures

pytestmark = pytest.mark.integration


def test_gunicorn_runs_with_its_setting_and_answers(base: Path) -> None:
    setting: dict[str, Value] = {
        "worker_class": "gthread",
        "workers": 2,
        "threads": 3,
        "preload_app": True,
        "keepalive": 5,
    }
    with start_gunicorn(base, setting) as running:
        assert get(running.target.address) == {"body": "ok"}
        assert running.facts["gunicorn"]
        assert any("Using worker: gthread" in line for line in running.last_lines(50))
        argv = " ".join(running.target.argv)
        assert "--threads 3 --preload --keep-alive 5" in argv
        # Ready means that one worker has answered; the other may still be on its way.
        wait_until(lambda: len([*filter(hears, workers_of(running.target.pid))]) == 2)
        assert running.stop().how == "asked"
    assert sockets.listeners_at("127.0.0.1", running.target.address.port) == []


@pytest.mark.parametrize("member", [gunicorn, uvicorn])
def test_a_knob_of_the_application_is_told_by_its_variable(base: Path, member: ModuleType) -> None:
    app = "shop:async_app" if member is uvicorn else "shop:app"
    options = member.Options(app, app_knobs={"pool": FreeKnob(env="POOL_SIZE", low=1, high=50)})
    assert member.knobs(options)["pool"].kind == "int"
    with member.start(options, {"pool": 7, "workers": 1}, base / "run", base) as running:
        environment = Path(f"/proc/{running.target.pid}/environ").read_bytes().split(b"\0")
        assert b"POOL_SIZE=7" in environment
        assert "POOL" not in " ".join(running.target.argv).upper()


def test_gunicorn_may_be_bound_to_a_unix_socket_and_ipv6(base: Path) -> None:
    with start_gunicorn(base, {}, bind="unix:g.sock") as running:
        assert running.target.address.unix == str(base / "g.sock")
        attached = external.start(external.Options("http://localhost", unix="g.sock"), {}, base, base)
        assert attached.target.pid == running.target.pid
    assert not (base / "g.sock").exists()
    with start_gunicorn(base, {}, bind="[::1]:0") as running:
        assert get(running.target.address) == {"body": "ok"}


def test_gunicorn_leaves_no_control_socket_in_the_home_folder(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(base / "home"))
    (base / "home").mkdir()
    with start_gunicorn(base, {}) as running:
        get(running.target.address)
    assert list((base / "home").iterdir()) == []


@pytest.mark.parametrize(("app", "missing"), [("nosuch:app", "nosuch"), ("shop:nosuch", "nosuch")])
def test_an_app_that_is_not_there_is_said_by_module_or_variable(base: Path, app: str, missing: str) -> None:
    for member in (gunicorn, uvicorn):
        with pytest.raises(TargetError) as raised:
            member.start(member.Options(app), {}, base / "run", base)
        problem = problem_of(raised)
        assert problem.code == "target.app-not-found"
        assert repr(missing) in problem.what


def test_uvicorn_with_workers_that_never_come_up_is_not_waited_for(base: Path) -> None:
    options = uvicorn.Options("nosuch:app", ready=Ready(http="/", within=Seconds(50)))
    with pytest.raises(TargetError) as raised:
        uvicorn.start(options, {"workers": 2}, base / "run", base)
    assert problem_of(raised).code == "target.app-not-found"


def test_an_app_that_fails_for_another_reason_shows_its_traceback(base: Path) -> None:
    (base / "shop.py").write_text("import no_such_dependency\n")
    with pytest.raises(TargetError) as raised:
        start_gunicorn(base, {})
    problem = problem_of(raised)
    assert problem.code == "target.exited"
    assert any(line.startswith("ModuleNotFoundError: ") for line in problem.detail)


LIBRARIES = {"gevent": "gevent", "tornado": "tornado", "eventlet": "eventlet"}


@pytest.mark.parametrize("worker_class", LIBRARIES)
def test_a_worker_class_without_its_library_is_refused(base: Path, worker_class: str) -> None:
    if importlib.util.find_spec(LIBRARIES[worker_class]):
        pytest.skip(f"{worker_class} is installed here, so nothing is missing")
    with pytest.raises(TargetError) as raised:
        start_gunicorn(base, {"worker_class": worker_class})
    problem = problem_of(raised)
    assert problem.code == "target.knob-unsupported"
    assert worker_class in problem.what


@pytest.mark.parametrize(("knob", "value"), [("loop", "uvloop"), ("http", "httptools")])
def test_a_loop_or_parser_without_its_library_is_refused(base: Path, knob: str, value: str) -> None:
    if importlib.util.find_spec(value):
        pytest.skip(f"{value} is installed here, so nothing is missing")
    with pytest.raises(TargetError) as raised:
        uvicorn.start(uvicorn.Options("shop:async_app"), {knob: value}, base / "run", base)
    problem = problem_of(raised)
    assert problem.code == "target.knob-unsupported"
    assert value in problem.what


def test_a_setting_that_the_installed_version_lacks_is_refused() -> None:
    with pytest.raises(TargetError) as raised:
        gunicorn._raise_if_unsupported({"http_parser": "fast"}, ["workers"], "20.1.0")
    problem = problem_of(raised)
    assert problem.code == "target.knob-unsupported"
    assert "20.1.0" in problem.what
    assert "'http_parser'" in problem.what


def test_an_interpreter_without_the_server_says_how_to_install_it(base: Path) -> None:
    (base / "bin").mkdir()
    bare = base / "bin/python"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n')
    bare.chmod(0o755)
    with pytest.raises(TargetError) as raised:
        start_gunicorn(base, {}, python=".")
    problem = problem_of(raised)
    assert problem.code == "target.not-found"
    assert f"{bare} -m pip install gunicorn" in problem.mend


def test_uvicorn_runs_an_app_and_a_factory_with_its_setting(base: Path) -> None:
    for options in (uvicorn.Options("shop:async_app"), uvicorn.Options("shop:make_app", factory=True)):
        with uvicorn.start(options, {"workers": 2, "timeout_keep_alive": 9}, base / "run", base) as running:
            assert get(running.target.address) == {"body": "ok"}
            assert "--workers 2 --timeout-keep-alive 9" in " ".join(running.target.argv)
            assert "--no-access-log" in running.target.argv
            assert running.facts["uvicorn"]


def test_an_external_server_is_found_by_its_port_as_the_root_of_its_tree(base: Path) -> None:
    with start_gunicorn(base, {"workers": 2}) as running:
        url = running.target.address.url
        with external.start(external.Options(f"{url}/search?q=1"), {}, base, base) as attached:
            assert attached.target.pid == running.target.pid
            assert attached.notes == ()
            assert attached.alive()
            assert attached.stop().how == "left_alone"
        assert running.alive()
    assert not attached.alive()


def test_nothing_that_listens_is_an_error_and_another_machine_is_not_looked_at(base: Path) -> None:
    port = free_port("127.0.0.1")
    with pytest.raises(TargetError) as raised:
        external.start(external.Options(f"http://127.0.0.1:{port}"), {}, base, base)
    assert problem_of(raised).code == "target.not-listening"
    with external.start(external.Options("http://192.0.2.1:80"), {}, base, base) as running:
        assert running.target.pid is None
        assert running.alive()


def test_a_pid_that_does_not_exist_is_said(base: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    with pytest.raises(TargetError) as raised:
        external.start(external.Options("http://192.0.2.1:80", pid=gone.pid), {}, base, base)
    assert problem_of(raised).code == "target.no-process"


@pytest.mark.parametrize("with_group", [True, False])
def test_a_worker_that_dies_is_an_event_and_its_cpu_time_stays(base: Path, with_group: bool) -> None:
    with start_gunicorn(base, {"workers": 2}) as running:
        target = running.target
        if with_group and target.cgroup is None:
            pytest.skip(f"no cgroup can be made here: {running.notes}")
        component = of_target(dataclasses.replace(target, cgroup=target.cgroup if with_group else None))
        assert target.pid is not None
        wait_until(lambda: len(workers_of(target.pid)) == 2)
        session = process_probe.attach(process_probe.Options(), component, Place())
        before = cpu_of(session.sample(0))
        victim, other = workers_of(target.pid)
        os.kill(victim, signal.SIGKILL)
        wait_until(lambda: len({*workers_of(target.pid)} - {victim, other}) == 1 and not is_there(victim))
        after = cpu_of(session.sample(10**9))
        events: list[Event] = session.events()
        session.detach()
    assert after >= before > 0
    assert [event.subject for event in events if event.kind == "process_died"] == [f"pid:{victim}"]
    assert len([event for event in events if event.kind == "process_born"]) == 1


def is_there(pid: int) -> bool:
    return processes.stat(pid) is not None


def cpu_of(samples: list[Sample]) -> float:
    (value,) = [sample.value for sample in samples if (sample.metric, sample.subject) == ("cpu_s", "tree")]
    return value
