from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.errors import PlanError
from loadrig.base.running import Address
from loadrig.target import command, external, gunicorn, uvicorn
from loadrig.target._knobs import FreeKnob
from loadrig.target._server import interpreter


def code_of(raised: pytest.ExceptionInfo[PlanError]) -> str:
    return raised.value.problems[0].code


@pytest.mark.parametrize(
    ("bind", "address"),
    [
        ("127.0.0.1:8000", Address("127.0.0.1", 8000)),
        ("127.0.0.1:0", Address("127.0.0.1", 0)),
        ("[::1]:80", Address("::1", 80)),
        (":9000", Address("127.0.0.1", 9000)),
        ("unix:run/shop.sock", Address("localhost", 0, unix="run/shop.sock")),
    ],
)
def test_the_address_of_gunicorn_is_known_before_it_starts(bind: str, address: Address) -> None:
    assert gunicorn.where(gunicorn.Options("shop:app", bind=bind)) == address


@pytest.mark.parametrize("bind", ["8000", "localhost:http", "127.0.0.1:70000", ""])
def test_a_bind_that_is_no_address_is_refused(bind: str) -> None:
    with pytest.raises(PlanError) as raised:
        gunicorn.where(gunicorn.Options("shop:app", bind=bind))
    assert code_of(raised) == "target.bad-address"


def test_a_socket_path_that_the_system_does_not_allow_is_refused_before_the_start(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    options = gunicorn.Options("shop:app", bind="unix:" + "x" * 120)
    with pytest.raises(PlanError) as raised:
        gunicorn.start(options, {}, tmp_path, tmp_path)
    assert code_of(raised) == "target.bad-address"
    (problem,) = raised.value.problems
    assert str(gunicorn.UNIX_PATH_BYTES) in problem.why
    assert problem.what.replace(str(tmp_path), "FOLDER") == snapshot


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://127.0.0.1:8000", Address("127.0.0.1", 8000)),
        ("http://shop.test/a?b=c", Address("shop.test", 80)),
        ("https://[::1]/", Address("::1", 443, "https")),
        ("127.0.0.1:8000/x", Address("127.0.0.1", 8000)),
    ],
)
def test_the_address_of_an_external_server_is_in_its_url(url: str, address: Address) -> None:
    assert external.where(external.Options(url)) == address


@pytest.mark.parametrize("url", ["ftp://a/", "http://", "http://a:99999/"])
def test_a_url_without_a_server_in_it_is_refused(url: str) -> None:
    with pytest.raises(PlanError) as raised:
        external.where(external.Options(url))
    assert code_of(raised) == "target.bad-address"


def test_a_command_may_be_one_text_or_a_list() -> None:
    assert command._words(("./server --name 'a b'",)) == ["./server", "--name", "a b"]
    assert command._words(("./server", "--name", "a b")) == ["./server", "--name", "a b"]


@pytest.mark.parametrize("argv", [("./server 'open",), ("",), ("   ",)])
def test_a_command_that_cannot_be_split_is_refused(argv: tuple[str, ...]) -> None:
    with pytest.raises(PlanError) as raised:
        command._words(argv)
    assert code_of(raised) == "target.bad-command"


def test_a_command_that_is_not_told_its_port_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError) as raised:
        command.start(command.Options(("./server",)), {}, tmp_path, tmp_path)
    assert code_of(raised) == "target.no-port"


def test_an_address_of_another_machine_cannot_be_listened_on(tmp_path: Path) -> None:
    options = command.Options(("./server {port}",), address=command.ListenPlace(host="192.0.2.77"))
    with pytest.raises(PlanError) as raised:
        command.start(options, {}, tmp_path, tmp_path)
    assert code_of(raised) == "target.bad-address"


def test_the_knobs_of_a_command_are_those_it_declares_and_their_kind_is_guessed() -> None:
    declared = {
        "pool": FreeKnob("--pool {}", low=1, high=64, cost=1),
        "gc": FreeKnob(env="GC", words=("fast", "small")),
        "cache": FreeKnob("--cache"),
        "name": FreeKnob("--name {}", doc="Its name."),
    }
    knobs = command.knobs(command.Options(("./server {port}",), knob_flags=declared))
    assert {name: knob.kind for name, knob in knobs.items()} == {
        "pool": "int", "gc": "word", "cache": "flag", "name": "text",
    }  # fmt: skip
    assert (knobs["pool"].low, knobs["pool"].high, knobs["pool"].cost) == (1, 64, 1)
    assert knobs["gc"].words == ("fast", "small")
    assert knobs["name"].doc == "Its name."


def test_an_interpreter_may_be_the_folder_of_its_environment(tmp_path: Path) -> None:
    (tmp_path / "venv/bin").mkdir(parents=True)
    assert interpreter("venv", tmp_path) == str(tmp_path / "venv/bin/python")
    assert interpreter("venv/bin/python", tmp_path) == str(tmp_path / "venv/bin/python")
    assert interpreter("python3.13", tmp_path) == "python3.13"


def test_ports_chosen_at_the_start_are_said_as_zero() -> None:
    assert uvicorn.where(uvicorn.Options("shop:app")).port == 0
    assert command.where(command.Options(("./server {port}",))).port == 0


@pytest.mark.parametrize("url", ["http://[:.0.1", "http://[::1", "http://[x]/"])
def test_an_address_in_broken_brackets_is_refused(url: str) -> None:
    with pytest.raises(PlanError) as raised:
        external.where(external.Options(url))
    assert code_of(raised) == "target.bad-address"
