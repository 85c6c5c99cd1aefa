import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base.setting import Value
from loadrig.target import gunicorn, uvicorn
from loadrig.target._knobs import Channel, arguments, environment, show
from loadrig.target._running import joined

TOLD = {
    "workers": Channel("--workers {}"),
    "preload": Channel("--preload"),
    "access_log": Channel("--access-log", no_flag="--no-access-log"),
    "gc": Channel(env="NODE_GC"),
}


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"workers": 4}, ["--workers", "4"]),
        ({"workers": 4.0}, ["--workers", "4"]),
        ({"preload": True}, ["--preload"]),
        ({"preload": False}, []),
        ({"access_log": False}, ["--no-access-log"]),
        ({"gc": "fast"}, []),
        ({"preload": True, "workers": 2}, ["--preload", "--workers", "2"]),
    ],
)
def test_a_setting_becomes_arguments_in_its_order(setting: dict[str, Value], words: list[str]) -> None:
    assert arguments(setting, TOLD) == words


def test_a_knob_told_by_a_variable_goes_to_the_environment() -> None:
    assert environment({"gc": "fast", "workers": 2}, TOLD) == {"NODE_GC": "fast"}


def test_a_knob_that_is_not_declared_is_a_fault_of_the_caller() -> None:
    with pytest.raises(KeyError, match="threads"):
        arguments({"threads": 2}, TOLD)


@given(st.text(min_size=1))
def test_a_value_with_spaces_stays_one_argument(value: str) -> None:
    assert arguments({"workers": value}, TOLD) == ["--workers", value]


@given(st.one_of(st.integers(), st.booleans(), st.text()))
def test_shown_values_never_have_capitals_of_python(value: Value) -> None:
    assert show(value) == (str(value).lower() if isinstance(value, bool) else str(value))


def _settings_of_gunicorn() -> dict[str, str]:
    code = (
        "from gunicorn.config import make_settings\n"
        "for name, setting in make_settings().items(): print(name, ' '.join(setting.cli or []))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30
    )
    return dict(line.split(" ", 1) for line in done.stdout.splitlines())


def test_every_knob_of_gunicorn_is_a_setting_of_the_installed_one_with_that_flag() -> None:
    settings = _settings_of_gunicorn()
    for name, channel in gunicorn._CHANNELS.items():
        flag = (channel.flag or channel.no_flag).split()[0]
        assert flag in settings[name].split(), name


def test_every_knob_of_uvicorn_is_an_option_of_the_installed_one() -> None:
    command = [sys.executable, "-m", "uvicorn", "--help"]
    page = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout
    flags = set(re.findall(r"--[a-z0-9-]+", page))
    for name, channel in uvicorn._CHANNELS.items():
        assert {word for word in (channel.flag.split()[0], channel.no_flag) if word} <= flags, name


def test_what_probes_need_stands_beside_what_the_plan_says() -> None:
    needed = {"PYTHONPATH": "/probe", "GODEBUG": "gctrace=1", "OTHER": "1"}
    own = {"PYTHONPATH": "/shop", "GODEBUG": "x=2", "NODE_OPTIONS": "-q", "OTHER": "2"}
    assert joined(needed, own) == {
        "PYTHONPATH": "/probe:/shop", "GODEBUG": "gctrace=1,x=2", "NODE_OPTIONS": "-q", "OTHER": "2",
    }  # fmt: skip
