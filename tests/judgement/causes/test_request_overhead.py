"""Compression, serialisation, TLS and logging, told from profiles and from looks at the lock."""

from dataclasses import replace
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.work import hot_function, work_of_python
from loadrig.profilers import Folder, KeptProfile, classes_of
from loadrig.profilers._origin import Own
from loadrig.profilers._pprof import encoded
from loadrig.profilers._stacks import Profile, Stack, StackFrame
from loadrig.recording.window import Window
from tests.judgement.causes._workers import accused, roots, server, why_not

GO = Own("go", ("shop",))
HANDLER = (StackFrame("net/http.(*conn).serve"), StackFrame("main.list"))
FLATE = (
    *HANDLER,
    StackFrame("compress/gzip.(*Writer).Close"),
    StackFrame("compress/flate.(*compressor).deflate"),
)
JSON = (*HANDLER, StackFrame("encoding/json.(*Encoder).Encode"), StackFrame("reflect.Value.Field"))
SENT = (
    *HANDLER,
    StackFrame("encoding/json.(*Encoder).Encode"),
    StackFrame("net/http.(*response).Write"),
    StackFrame("syscall.write"),
)
WORK = (*HANDLER, StackFrame("main.search"))


def profile_of(
    folder: Path, stacks: dict[tuple[StackFrame, ...], int], own: Own = GO, used: float = 0.97
) -> KeptProfile:
    """Return a profile of five seconds: of each stack, outermost call first, so many samples of 10 ms."""
    profile = Profile("cpu", 10_000_000, 0, 5_000_000_000)
    for frames, count in stacks.items():
        profile.add(Stack(frames), count, count * 10_000_000)
    path = folder / "server.pb.gz"
    path.write_bytes(encoded(profile))
    return KeptProfile("server", "a profiler", "high", Window(0, 5_000_000_000), None, used, own, path)


def full(folder: Path, stacks: dict[tuple[StackFrame, ...], int], cpu: float = 0.97) -> Case:
    """Return a Go server that fills its one core, and its profile."""
    case = server("program", "go", ok=5000.0, users=32.0, alone_s=0.0003, cpu=cpu, beside=0.01)
    return replace(case.build(), profiles=(profile_of(folder, stacks),))


def test_compression_that_fills_the_cpu_comes_before_the_cpu(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    first = roots(full(tmp_path, {FLATE: 390, WORK: 110}))[0]
    assert (first.cause, first.detail, first.verdict) == ("request_overhead", "compression", "likely")
    assert first.gain is not None
    assert first.gain > 1.3
    assert first.effect == snapshot
    assert "host_cpu" not in accused(full(tmp_path, {FLATE: 390, WORK: 110}))
    assert first.decides == snapshot


def test_a_function_without_a_symbol_is_not_told_as_what_keeps_the_cpu_busy(tmp_path: Path) -> None:
    nameless = (*HANDLER, StackFrame("[unknown]", module="/usr/sbin/php-fpm8.2"))
    for stack, is_told in ((WORK, True), (nameless, False)):
        case = full(tmp_path, {stack: 500})
        assert (hot_function(case, case.server) is not None) is is_told


@pytest.mark.parametrize(("share", "cause"), [(390, "request_overhead"), (60, "host_cpu")])
def test_files_written_for_each_request_are_too_much_from_a_fifth_on(
    tmp_path: Path, share: int, cause: str
) -> None:
    written = (*HANDLER, StackFrame("main.audit"), StackFrame("os.(*File).Write"))
    first = roots(full(tmp_path, {written: share, WORK: 500 - share}))[0]
    assert (first.cause, first.detail) == (cause, "file access" if cause == "request_overhead" else "")


def test_a_tenth_is_told_beside_the_cpu_and_not_before_it(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    findings = roots(full(tmp_path, {JSON: 75, WORK: 425}))
    assert [(finding.cause, finding.verdict) for finding in findings] == [("host_cpu", "likely")]
    assert why_not(full(tmp_path, {JSON: 75, WORK: 425}), "request_overhead").why == snapshot


def test_less_than_a_tenth_is_cleared(tmp_path: Path) -> None:
    assert "request_overhead" not in accused(full(tmp_path, {JSON: 30, WORK: 470}))


def test_an_idle_cpu_has_nothing_to_save(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    clearance = why_not(full(tmp_path, {FLATE: 390, WORK: 110}, cpu=0.4), "request_overhead")
    assert clearance.why == snapshot


def test_where_somebody_else_takes_the_cpu_that_comes_first(tmp_path: Path) -> None:
    case = server("program", "go", ok=600.0, users=32.0, alone_s=0.0003, cpu=0.55, beside=0.43)
    crowded = replace(case.build(), profiles=(profile_of(tmp_path, {FLATE: 390, WORK: 110}),))
    assert [root.cause for root in roots(crowded)] == ["noisy_neighbour"]


def test_few_samples_weigh_less(tmp_path: Path) -> None:
    few = roots(full(tmp_path, {FLATE: 12, WORK: 8}))
    many = roots(full(tmp_path, {FLATE: 300, WORK: 200}))
    weights = [
        next(finding.weight for finding in findings if finding.cause == "request_overhead")
        for findings in (few, many)
    ]
    assert weights[0] < weights[1]


def test_what_an_encoder_sends_is_not_its_own(tmp_path: Path) -> None:
    shares = {
        row.work: row.share for row in classes_of(profile_of(tmp_path, {JSON: 50, SENT: 50, WORK: 100}))
    }
    assert shares["serialise"] == pytest.approx(0.25)


def test_own_code_below_an_encoder_is_own_code(tmp_path: Path) -> None:
    below = (*JSON, StackFrame("main.Price.MarshalJSON"), StackFrame("fmt.Sprintf"))
    assert {row.work for row in classes_of(profile_of(tmp_path, {below: 10}))} == {"own"}


def test_what_compression_of_python_did_without_the_lock_counts_as_its(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    own = Own("cpython", ("app",))
    library = "/venv/lib/python3.11/site-packages/gunicorn/http/message.py"
    stacks = {
        (StackFrame("handle", library), StackFrame("compress", "/usr/lib/python3.11/gzip.py")): 10,
        (StackFrame("handle", library),): 190,
    }
    case = server(ok=600.0, users=8.0, alone_s=0.002, cpu=0.97, beside=0.01, settings={"-w": "2"}, workers=2)
    case.counter("server", "process.cpu_user_s", "tree", 0.9)
    profiled = replace(case.build(), profiles=(replace(profile_of(tmp_path, stacks, own), sees_all=False),))
    overhead = {root.cause: root for root in roots(profiled)}["request_overhead"]
    assert overhead.detail == "compression"
    assert [evidence.text for evidence in overhead.evidence] == snapshot


def test_looks_at_the_lock_tell_without_a_profile() -> None:
    case = server(ok=850.0, users=8.0, alone_s=0.001, cpu=0.97, beside=0.01, settings={"-w": "2"}, workers=2)
    frames = [{"frame": "JSONEncoder.iterencode (json/encoder.py:205)", "share": 0.59}]
    case.event(5, "gil_top", "server", frames=frames, looks=36)
    overhead = {root.cause: root for root in roots(case)}["request_overhead"]
    assert overhead.detail == "serialisation"


def test_a_profile_that_is_gone_says_nothing(tmp_path: Path) -> None:
    case = full(tmp_path, {FLATE: 100})
    (tmp_path / "server.pb.gz").unlink()
    assert "request_overhead" not in accused(case)


@pytest.mark.parametrize(
    ("runtime", "frame", "work"),
    [
        ("go", StackFrame("compress/flate.(*compressor).deflate", module="/srv/shop"), "compress"),
        ("go", StackFrame("github.com/klauspost/compress/zstd.(*Encoder).Write"), "compress"),
        ("go", StackFrame("crypto/tls.(*Conn).serverHandshake"), "connect"),
        ("go", StackFrame("log.(*Logger).Printf"), "log"),
        ("go", StackFrame("catalog.List"), None),
        ("go", StackFrame("github.com/go-chi/chi/v5/middleware.(*Compressor).Handler.func1"), None),
        ("jvm", StackFrame("java.util.zip.Deflater.deflateBytesBytes"), "compress"),
        ("jvm", StackFrame("com.fasterxml.jackson.databind.ObjectMapper.writeValue"), "serialise"),
        ("jvm", StackFrame("sun.security.ssl.SSLSocketImpl.startHandshake"), "tls"),
        ("jvm", StackFrame("ch.qos.logback.core.AppenderBase.doAppend"), "log"),
        ("jvm", StackFrame("org.apache.catalina.valves.AbstractAccessLogValve.invoke"), None),
        ("jvm", StackFrame("deflate", module="/usr/lib/x86_64-linux-gnu/libz.so.1.2.13"), "compress"),
        ("cpython", StackFrame("iterencode", "/usr/lib/python3.11/json/encoder.py"), "serialise"),
        ("cpython", StackFrame("emit", "/usr/lib/python3.11/logging/__init__.py"), "log"),
        ("cpython", StackFrame("__call__", "/venv/starlette/middleware/gzip.py"), None),
        ("cpython", StackFrame("do_handshake", "/usr/lib/python3.11/ssl.py"), "connect"),
        ("cpython", StackFrame("render", "/venv/lib/python3.11/site-packages/jinja2/environment.py"), None),
        ("node", StackFrame("processChunkSync", "node:zlib"), "compress"),
        ("node", StackFrame("log", "node:internal/console/constructor"), "log"),
        ("node", StackFrame("list", "/srv/shop/json.js"), None),
    ],
)
def test_functions_and_their_classes(runtime: str, frame: StackFrame, work: str | None) -> None:
    classed = Folder(Own(runtime, ("shop",))).work_of_frame(frame)
    around = {"compress", "serialise", "tls", "log", "connect"}
    assert (classed.work if classed is not None and classed.work in around else None) == work


def test_functions_as_the_probe_names_them() -> None:
    assert work_of_python("JSONEncoder.iterencode (json/encoder.py:205)") == "serialise"
    assert work_of_python("burn (app.py:8)") is None
    assert work_of_python("something without a place") is None
