"""The pipe between the rig and its observer elsewhere: what is said there is what is heard here."""

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from loadrig import __version__
from loadrig.base.component import Component
from loadrig.base.running import Address
from loadrig.base.series import Event, Sample
from loadrig.base.shape import option
from loadrig.language.events import SENTENCES, event_words
from loadrig.probes._remote.link import why_ended, why_not_started
from loadrig.probes._remote.wire import (
    PackedSamples,
    Packer,
    ReportedComponents,
    Series,
    Unpacker,
    content,
    hand_over,
    line,
    options_from,
    packed_event,
    parsed,
    placed,
    unpacked_event,
    without_process,
)

# --- samples ------------------------------------------------------------------------------------------

words = st.text("abc:/ü ", max_size=3)
values = st.floats(allow_nan=False, allow_infinity=True)
one_sample = st.builds(Sample, st.integers(0, 2**62), words, words, words, values)


def heard(unpacker: Unpacker, text: bytes) -> list[tuple[str, Sample]]:
    unpacked: list[tuple[str, Sample]] = []
    for each in text.splitlines():
        match parsed(each):
            case {"new": new}:
                unpacker.add(content(list[Series], new))
            case {"samples": packed}:
                component, samples = unpacker.samples(content(PackedSamples, packed))
                unpacked += [(component, sample) for sample in samples]
    return unpacked


@given(st.lists(st.tuples(st.sampled_from(["host", "server"]), st.lists(one_sample, max_size=6)), max_size=5))
def test_samples_arrive_as_they_were_sent(ticks: list[tuple[str, list[Sample]]]) -> None:
    packer, unpacker = Packer(), Unpacker()
    for component, samples in ticks:
        arrived = heard(unpacker, packer.lines(samples, component))
        assert arrived == [(component, sample) for sample in samples]


def test_names_go_over_once_and_whole_numbers_are_short() -> None:
    packer = Packer()
    tick = [Sample(5, "process", "threads", "tree", 3.0), Sample(5, "process", "cpu_s", "tree", 0.25)]
    first, second = packer.lines(tick, "server"), packer.lines(tick, "server")
    assert [parsed(each) for each in first.splitlines()] == [
        {"new": [["server", "process", "threads", "tree"], ["server", "process", "cpu_s", "tree"]]},
        {"samples": {"of": 0, "s": [0, 1], "t": [[2, 5]], "v": [3, 0.25]}},
    ]
    assert second == b'{"samples":{"of":0,"t":[[2,5]],"v":[3,0.25]}}\n'


def test_a_component_that_has_nothing_to_say_says_nothing() -> None:
    assert Packer().lines([], "host") == b""


def test_what_was_read_earlier_keeps_its_own_instant() -> None:
    packer, unpacker = Packer(), Unpacker()
    tick = [Sample(9, "p", "a", "", 1.0), Sample(4, "q", "b", "", 2.0), Sample(9, "p", "c", "", math.inf)]
    assert [sample for _, sample in heard(unpacker, packer.lines(tick, "host"))] == tick


def test_times_are_put_on_the_clock_here() -> None:
    packer, unpacker = Packer(), Unpacker()
    messages = [parsed(each) for each in packer.lines([Sample(9, "p", "a", "", 1.0)], "host").splitlines()]
    assert messages[0] is not None
    assert messages[1] is not None
    unpacker.add(content(list[Series], messages[0]["new"]))
    packed = content(PackedSamples, messages[1]["samples"])
    assert unpacker.samples(packed, lambda t_ns: t_ns - 5)[1] == [Sample(4, "p", "a", "", 1.0)]


@pytest.mark.parametrize(
    "packed",
    [
        {"of": 0, "s": [7], "t": [[1, 5]], "v": [1]},
        {"of": 0, "s": [0], "t": [[2, 5]], "v": [1]},
        {"of": 1, "t": [[1, 5]], "v": [1]},
        {"of": 0, "s": [0], "t": 5, "v": [1]},
        {"of": 0, "s": [0], "t": [[1, 5]], "v": ["x"]},
        {"of": 0, "s": [0], "t": [[10**15, 5]], "v": [1]},
        {"of": 0, "s": [0], "t": [[-1, 5]], "v": [1]},
        {"of": 0, "s": [0], "t": [[1, 2**63]], "v": [1]},
        {"of": 0, "s": [0], "t": [[1, -1]], "v": [1]},
        {},
    ],
)
def test_samples_that_nobody_has_packed_are_refused(packed: Mapping[str, object]) -> None:
    unpacker = Unpacker()
    unpacker.add([("host", "p", "m", "")])
    with pytest.raises((LookupError, ValueError)):
        unpacker.samples(content(PackedSamples, packed))


def test_a_series_whose_name_is_no_text_is_refused() -> None:
    with pytest.raises(ValueError, match="str"):
        content(list[Series], [["host", "p", "m", {"a": 1}]])


# --- messages -----------------------------------------------------------------------------------------


DEEP = b'{"notes":' + b"[" * 100_000 + b"]" * 100_000 + b"}"


@pytest.mark.parametrize(
    "text",
    [b"", b"Welcome to web1!", b"3", b"[1]", b"{}", b'{"a":1,"b":2}', b"\xff{", DEEP, b'{"a":"\\uD800"}'],
)
def test_a_line_that_is_no_message_is_told_apart(text: bytes) -> None:
    assert parsed(text) is None


def test_an_event_at_an_instant_that_no_clock_has_shown_is_refused() -> None:
    for t_ns in (-1, 2**63, "x"):
        with pytest.raises(ValueError, match=r"instant|int"):
            unpacked_event([t_ns, "note", "", "text", {}, "", "", {}])


def test_a_message_stands_on_one_line() -> None:
    text = line("notes", ["two\nlines"])
    assert text.count(b"\n") == 1
    assert parsed(text) == {"notes": ["two\nlines"]}


def test_events_arrive_as_they_were_sent() -> None:
    text = event_words(SENTENCES.process_ended, "3", "web")
    event = Event.of(7, "process_died", "pid:3", text, {"pid": 3, "reason": "killed"}, "server")
    assert unpacked_event(json.loads(json.dumps(packed_event(event)))) == event


def test_a_component_has_the_name_of_its_host_and_no_process_of_this_machine() -> None:
    here = Address("127.0.0.1", 6379)
    there = Component(
        "redis", "redis", "native", "7.4", pid=12, start=99, cgroup=Path("/sys/fs/cgroup/x"), log=Path("/l"),
        address=here, listens=(Address("::1", 6379),), argv=("redis-server",), settings={"appendonly": "no"},
    )  # fmt: skip
    message = parsed(line("known", ReportedComponents([without_process(there)], {})))
    assert message is not None
    (arrived,) = content(ReportedComponents, message["known"]).components
    assert placed(arrived, "web1") == Component(
        "web1/redis", "redis", "native", "7.4", address=here, listens=(Address("::1", 6379),),
        argv=("redis-server",), settings={"appendonly": "no"},
    )  # fmt: skip


# --- options and secrets ------------------------------------------------------------------------------


@dataclass(frozen=True)
class PageStub:
    path: str = option("Path.", default="/")
    names: tuple[str, ...] = option("Names.", default=())


@dataclass(frozen=True)
class Options:
    at: str | None = option("Where.", default=None)
    most: int = option("At most.", default=12)
    page: PageStub = option("The page.", factory=PageStub)
    pages: tuple[PageStub, ...] = option("More pages.", default=())
    limits: Mapping[str, tuple[int, ...]] = option("Limits.", factory=dict)
    password_env: str | None = option("Variable.", default=None)
    password_file: str | None = option("File.", default=None)
    ca_file: str | None = option("Certificates.", default=None)


def over_the_pipe(
    options: Options, environment: Mapping[str, str], base: Path
) -> tuple[Options, dict[str, str]]:
    handed = hand_over([("redis", options), ("memory", None)], environment, base)
    document = json.loads(json.dumps(handed.options))
    assert document.keys() == {"redis"}
    return options_from(Options, document["redis"]), handed.secrets


def test_options_arrive_as_they_were_read() -> None:
    options = Options(
        "db:1",
        3,
        PageStub("/m", ("a", "b")),
        (PageStub(), PageStub("/n")),
        {"x": (1, 2)},
        "NOT_SET",
        ca_file="ca.pem",
    )
    assert over_the_pipe(options, {}, Path()) == (options, {})


def test_options_that_were_not_said_stay_those_of_the_other_side() -> None:
    assert hand_over([("redis", Options(most=12))], {}, Path()).options == {"redis": {}}


def test_a_password_of_a_variable_goes_over_beside_the_options() -> None:
    options = Options(password_env="REDIS_PASSWORD")
    arrived, secrets = over_the_pipe(options, {"REDIS_PASSWORD": "s3cret"}, Path())
    assert (arrived, secrets) == (options, {"REDIS_PASSWORD": "s3cret"})


def test_a_password_of_a_file_goes_over_as_a_variable(tmp_path: Path) -> None:
    (tmp_path / "pw").write_text("s3cret\nnot this\n", encoding="utf-8")
    arrived, secrets = over_the_pipe(Options(password_file="pw", ca_file="pw"), {}, tmp_path)
    assert arrived == Options(password_env="LOADRIG_REDIS_PASSWORD", ca_file="pw")
    assert secrets == {"LOADRIG_REDIS_PASSWORD": "s3cret"}


def test_a_password_file_that_is_not_here_is_looked_for_there(tmp_path: Path) -> None:
    options = Options(password_file="/etc/web1/pw")
    assert over_the_pipe(options, {}, tmp_path) == (options, {})


def test_an_option_that_the_other_version_does_not_have_is_named() -> None:
    with pytest.raises(ValueError, match="colour"):
        options_from(Options, {"colour": "red"})


# --- why a command did not lead to an observer --------------------------------------------------------

ENDED = [
    (255, "ssh: Could not resolve hostname web1: Name or service not known", "probe.no-answer"),
    (255, "ssh: connect to host 10.0.0.9 port 22: Connection refused", "probe.no-answer"),
    (255, "Connection closed by 10.0.0.9 port 22", "probe.no-answer"),
    (255, "deploy@web1: Permission denied (publickey,password).", "probe.refused"),
    (255, "Host key verification failed.", "probe.refused"),
    (1, "sudo: a password is required", "probe.refused"),
    (127, "env: ‘/opt/loadrig/bin/python’: No such file or directory", "probe.no-tool"),
    (127, "sh: 1: python3: not found", "probe.no-tool"),
    (127, "bash: line 1: python3: command not found", "probe.no-tool"),
    (126, "env: ‘/opt/loadrig/bin/python’: Permission denied", "probe.no-right"),
    (
        126,
        'OCI runtime exec failed: exec failed: unable to start container process: exec: "python3": '
        "executable file not found in $PATH: unknown\ncommand terminated with exit code 126",
        "probe.no-tool",
    ),
    (1, 'Error from server (NotFound): pods "web-0" not found', "probe.no-answer"),
    (1, "/usr/bin/python3: No module named loadrig", "probe.no-tool"),
    (2, "Unknown option: -P\nusage: python3 [option] ... [-c cmd | -m mod | file | -]", "probe.no-tool"),
    (
        1,
        "/usr/bin/python3: No module named loadrig.probes.__main__; "
        "'loadrig.probes' is a package and cannot be directly executed",
        "probe.version",
    ),
    (1, "ModuleNotFoundError: No module named 'numpy'", "probe.no-answer"),
    (0, "", "probe.no-answer"),
    (None, "", "probe.no-answer"),
]
"""Outputs as the programs really write them: ssh of OpenSSH 10, env of coreutils, dash, bash, sudo, Python
(3.10, which has no -P); kubectl and the runtimes below it as their users report them."""


@pytest.mark.parametrize(("code", "output", "expected"), ENDED)
def test_why_it_ended_is_told_with_what_to_do(
    code: int | None, output: str, expected: str, snapshot: SnapshotAssertion
) -> None:
    why = why_ended(code, output.splitlines(), "ssh web1", "python3")
    assert why.code == expected
    assert (why.reason, why.mend.replace(__version__, "VERSION")) == snapshot


def test_a_command_that_cannot_be_started_is_told_apart() -> None:
    def started(number: int) -> str:
        return why_not_started(["kubectl"], OSError(number, os.strerror(number))).code

    assert (started(2), started(13)) == ("probe.no-tool", "probe.no-right")


def test_a_connection_that_has_worked_is_not_told_to_be_set_up_anew(snapshot: SnapshotAssertion) -> None:
    why = why_ended(-9, ["Welcome to web1"], "ssh web1", "python3", has_answered=True)
    assert why.code == "probe.no-answer"
    assert why.reason == snapshot
