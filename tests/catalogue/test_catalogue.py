"""The catalogue of knobs: whole sentences, sensible ranges, and what the installed programs say of it."""

import inspect
from pathlib import Path

import pytest
from gunicorn.config import make_settings

from loadrig.catalogue import look_up, reference
from loadrig.catalogue.entry import Entry, number
from loadrig.catalogue.systems import gunicorn, linux_tcp
from loadrig.target import gunicorn as target

NAMES = tuple(look_up.names())


def _entry(name: str) -> Entry:
    system, _, knob = name.partition(".")
    entry = look_up.entry_of(system, knob)
    assert entry is not None
    return entry


def test_every_system_of_the_issue_is_known() -> None:
    assert set(look_up.systems()) == {
        "gunicorn", "uvicorn", "tomcat", "hikaricp", "jvm", "go", "nginx", "redis_pool", "linux_tcp",
    }  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_knob_says_what_it_does_when_it_matters_and_where_that_is_written(name: str) -> None:
    entry = _entry(name)
    for text in (entry.does, entry.matters):
        assert text[:1].isupper(), text
        assert text.endswith("."), text
    assert entry.default
    assert entry.source
    assert any(part.isdigit() for word in entry.of_version.split() for part in word.split(".")), "no version"


@pytest.mark.parametrize("name", NAMES)
def test_a_range_goes_up_and_a_log_scale_has_no_zero(name: str) -> None:
    entry = _entry(name)
    if entry.low is not None and entry.high is not None:
        assert entry.low < entry.high
        assert entry.scale != "log" or entry.low > 0
    assert bool(entry.words) == (entry.scale == "words")


@pytest.mark.parametrize("name", NAMES)
def test_a_knob_has_a_page_and_a_row(name: str) -> None:
    page = look_up.page(name)
    assert page is not None
    assert page.startswith(f"# {name}: a knob of ")
    assert f"`{_entry(name).name}`" in reference.render()


def test_hyphens_and_underscores_are_alike() -> None:
    assert look_up.page("gunicorn.max-requests") == look_up.page("gunicorn.max_requests")
    assert look_up.page("gunicorn.no-such-knob") is None
    assert look_up.page("no_such_system.workers") is None


def test_defaults_of_gunicorn_are_those_of_the_installed_one() -> None:
    settings = make_settings()
    for name, entry in gunicorn.KNOBS.items():
        default = settings[name].default
        value = entry.default.partition(",")[0]
        assert default is None or value == str(default).lower(), name


def test_what_the_target_can_set_the_catalogue_knows_under_the_same_name() -> None:
    assert set(gunicorn.KNOBS) <= set(target.KNOBS)


@pytest.mark.skipif(not Path("/proc/sys/net/ipv4").is_dir(), reason="no sysctls here")
def test_sysctls_that_are_known_exist_here_or_are_new() -> None:
    new = {"net.ipv4.tcp_tw_reuse_delay"}
    gone = [
        name for name in linux_tcp.KNOBS
        if name not in new and not (Path("/proc/sys") / name.replace(".", "/")).exists()
    ]  # fmt: skip
    assert gone == []


def test_workers_are_replaced_after_their_requests() -> None:
    time = gunicorn.KNOBS["max_requests"].time
    assert time is not None
    assert time.seconds(1000, {"workers": 4}, 200.0) == pytest.approx(20.0)
    assert time.seconds(0, {"workers": 4}, 200.0) is None


def test_ports_end_after_range_over_rate_and_never_after_time_wait() -> None:
    time = linux_tcp.KNOBS["net.ipv4.ip_local_port_range"].time
    assert time is not None
    assert time.seconds("32768 60999", {}, 1800.0) == pytest.approx(28_232 / 1800)
    assert time.seconds("32768 60999", {}, 100.0) == 60.0


def test_a_knob_of_a_command_is_known_by_its_own_name() -> None:
    by_knob = look_up.entries("command", ["GOGC", "workers", "nothing"])
    # `workers` is a knob of two servers: which is meant nobody can say.
    assert set(by_knob) == {"GOGC"}
    assert set(look_up.entries("gunicorn", ["workers"])) == {"workers"}


@pytest.mark.parametrize(("value", "wanted"), [(3, 3.0), (True, None), ("3", None), (None, None)])
def test_only_numbers_are_numbers(value: object, wanted: float | None) -> None:
    assert number(value) == wanted  # type: ignore[arg-type]


def test_pages_are_plain_text_without_lines_too_long_for_a_terminal() -> None:
    for name in look_up.names():
        page = look_up.page(name) or ""
        assert all(len(line) <= 130 for line in page.splitlines()), name
        assert inspect.cleandoc(page) == page.rstrip()
