"""Stacks folded into classes of work by the table: recorded stacks of each runtime, and the table itself."""

from collections import Counter

import pytest

from loadrig.profilers import Folder, Frame, Own, Profile, Stack, Work, fold
from loadrig.profilers._classes import table
from loadrig.profilers._formats import KERNEL, of_perf
from loadrig.profilers._lines import called_on

STDLIB = "/usr/lib/python3.11"
SITE = "/venv/lib/python3.11/site-packages"
APP = "/srv/shop/app.py"


def py(*calls: str) -> tuple[Frame, ...]:
    """Frames of Python, outermost first: "function file"; of C code that a line calls "function() [c]"."""
    frames = []
    for call in calls:
        function, _, file = call.partition(" ")
        frames.append(Frame(function, module="[c]") if file == "[c]" else Frame(function, file, 10))
    return tuple(frames)


def named(*functions: str, module: str = "") -> tuple[Frame, ...]:
    """Frames known by their functions alone, outermost first."""
    return tuple(Frame(function, module=module) for function in functions)


HTTP = (f"serve_forever {STDLIB}/socketserver.py", f"handle {STDLIB}/http/server.py")
GO = ("net/http.(*conn).serve", "main.list")
VIEW = "view " + APP
CLIENT = "connect " + SITE

STACKS = [
    # CPython, as py-spy tells them
    ("cpython", py(*HTTP, VIEW), Work("own", "")),
    ("cpython", py(*HTTP, VIEW, f"sort {STDLIB}/bisect.py"), Work("own", "")),
    ("cpython", py(*HTTP, VIEW, f"JSONEncoder.iterencode {STDLIB}/json/encoder.py"),
     Work("serialise", "json")),
    ("cpython", py(*HTTP, VIEW, f"dump_python {SITE}/pydantic/main.py"), Work("serialise", "validation")),
    ("cpython", py(*HTTP, VIEW, "zlib.compress() [c]"), Work("compress", "zlib")),
    ("cpython", py(*HTTP, VIEW, f"compress {STDLIB}/gzip.py"), Work("compress", "zlib")),
    ("cpython", py(*HTTP, VIEW, "WORD.sub() [c]"), Work("regex", "re")),
    ("cpython", py(*HTTP, VIEW, f"sub {STDLIB}/re/__init__.py"), Work("regex", "re")),
    ("cpython", py(*HTTP, VIEW, f"Logger._log {STDLIB}/logging/__init__.py"), Work("log", "logging")),
    ("cpython", py(*HTTP, VIEW, f"SSLSocket.read {STDLIB}/ssl.py"), Work("tls", "ssl")),
    (
        "cpython",
        py(f"get_request {APP}", f"wrap_socket {STDLIB}/ssl.py", f"SSLSocket.do_handshake {STDLIB}/ssl.py"),
        Work("connect", "TLS handshake"),
    ),
    ("cpython", py(*HTTP, VIEW, f"create_connection {STDLIB}/socket.py"), Work("connect", "sockets")),
    ("cpython", py(*HTTP, VIEW, f"{CLIENT}/psycopg/connection.py"), Work("connect", "sockets")),
    ("cpython", py(*HTTP, VIEW, f"execute {SITE}/psycopg/connection.py"), Work("other", "psycopg")),
    ("cpython", py(*HTTP, f"SocketIO.readinto {STDLIB}/socket.py"), Work("kernel_net", "sockets")),
    ("cpython", py(*HTTP, VIEW, "os.stat() [c]"), Work("kernel_file", "files")),
    ("cpython", py(*HTTP, VIEW, "gc.collect() [c]"), Work("collector", "gc.collect")),
    (
        "cpython",
        py(VIEW, "_find_and_load <frozen importlib._bootstrap>", f"<module> {SITE}/yaml/__init__.py",
           f"compile {STDLIB}/re/__init__.py"),
        Work("import", "import"),
    ),
    # A server that is started by an import serves below it for ever: that is no import.
    (
        "cpython",
        py("_find_and_load <frozen importlib._bootstrap>", f"<module> {APP}", *HTTP, VIEW),
        Work("own", ""),
    ),
    ("cpython", py(*HTTP, VIEW, f"render {SITE}/jinja2/environment.py"), Work("other", "jinja2")),
    # The main function of the program called the loop, which is not its own code.
    ("cpython", py(f"<module> {APP}", f"run {STDLIB}/asyncio/runners.py"), Work("other", "asyncio")),
    (
        "cpython",
        py(f"__call__ {SITE}/starlette/middleware/gzip.py", f"dispatch {SITE}/starlette/routing.py"),
        Work("other", "starlette"),
    ),
    # Go, as its own profile tells them
    ("go", named(*GO), Work("own", "")),
    ("go", named(*GO, "fmt.Fprintln"), Work("own", "")),
    ("go", named(*GO, "encoding/json.(*Encoder).Encode", "reflect.Value.Field"), Work("serialise", "json")),
    ("go", named(*GO, "encoding/json.Marshal", "main.Price.MarshalJSON"), Work("own", "")),
    ("go", named(*GO, "compress/gzip.(*Writer).Close", "compress/flate.(*compressor).deflate"),
     Work("compress", "gzip")),
    ("go", named(*GO, "regexp.(*Regexp).doExecute"), Work("regex", "regexp")),
    ("go", named(*GO, "log/slog.(*Logger).Info", "os.(*File).Write"), Work("log", "logging")),
    ("go", named(*GO, "os.(*File).Write"), Work("kernel_file", "files")),
    ("go", named("runtime.gcBgMarkWorker", "runtime.gcDrain"), Work("collector", "marking and sweeping")),
    ("go", named(*GO, "runtime.mallocgc", "runtime.gcAssistAlloc1"),
     Work("collector", "marking and sweeping")),
    ("go", named("net/http.(*conn).serve", "net.(*conn).Write", "syscall.write"),
     Work("kernel_net", "sockets")),
    ("go", named("net/http.(*conn).serve", "crypto/tls.(*Conn).HandshakeContext", "crypto/rsa.sign"),
     Work("connect", "TLS handshake")),
    ("go", named("net/http.(*conn).serve", "net/textproto.(*Reader).ReadLine"), Work("other", "net/http")),
    # The JVM, as async-profiler tells them
    ("jvm", named("shop.Web.list", "com.fasterxml.jackson.databind.ObjectMapper.writeValue"),
     Work("serialise", "json")),
    ("jvm", (*named("shop.Web.list"), Frame("deflate_fast", module="/usr/lib/libz.so.1")),
     Work("compress", "zlib")),
    ("jvm", named("shop.Web.list", "java.util.regex.Pattern$Loop.match"), Work("regex", "java.util.regex")),
    ("jvm", named("shop.Web.list", "org.hibernate.engine.Session.flush"),
     Work("other", "org.hibernate.engine")),
    # Node by perf, and by V8's inspector
    ("node", (Frame("list", APP, 4), *named("v8::internal::JsonStringifier::Serialize_", module="node")),
     Work("serialise", "json")),
    ("node", (Frame("list", APP, 4), *named("v8::internal::Heap::Scavenge", module="node")),
     Work("collector", "V8")),
    ("node", (Frame("list", APP, 4), *named("RegExp:(a+)+$", module="/tmp/perf-1.map")),
     Work("regex", "RegExp")),
    ("node", (Frame("list", APP, 4), Frame("processChunkSync", "node:zlib", 9)), Work("compress", "zlib")),
    ("node", (Frame("list", APP, 4),), Work("own", "")),
    # Native code and the kernel, by perf
    ("native", named("main", "serve", module="/srv/shop"), Work("own", "")),
    ("native", (*named("serve", module="/srv/shop"), *named("memcpy", module="/usr/lib/libc.so.6")),
     Work("own", "")),
    ("native", (*named("ngx_worker"), Frame("[unknown]", module="/usr/lib/x86_64-linux-gnu/libz.so.1.2.13")),
     Work("compress", "zlib")),
    ("native", named("serve", "SSL_write", module="/srv/shop"), Work("tls", "OpenSSL")),
    ("native", named("serve", "SSL_do_handshake", "EVP_DigestSign", module="/srv/shop"),
     Work("connect", "TLS handshake")),
    ("native", named("ngx_http_regex_exec", module="/usr/sbin/nginx")
     + named("match", module="/usr/lib/libpcre2-8.so.0"), Work("regex", "PCRE")),
    ("native", named("ExecScan", "heap_getnextslot", "heapgetpage", module="/usr/bin/postgres"),
     Work("scan", "sequential scans")),
    ("native", named("__x64_sys_sendto", "tcp_sendmsg", "memcpy", module=KERNEL),
     Work("kernel_net", "sockets")),
    ("native", named("ksys_write", "vfs_write", "ext4_file_write_iter", module=KERNEL),
     Work("kernel_file", "files")),
    ("native", named("ksys_write", "vfs_write", "sock_write_iter", "tcp_push", module=KERNEL),
     Work("kernel_net", "sockets")),
    ("native", named("__sys_accept4", "inet_csk_accept", "lock_sock_nested", module=KERNEL),
     Work("connect", "sockets")),
    ("native", named("asm_exc_page_fault", "clear_page", module=KERNEL), Work("other", "kernel")),
]  # fmt: skip


def own_of(runtime: str) -> Own:
    return Own(runtime, {"native": ("/srv/shop",), "jvm": ("shop",)}.get(runtime, ()))


@pytest.mark.parametrize(("runtime", "frames", "work"), STACKS)
def test_what_a_stack_spends_its_time_on(runtime: str, frames: tuple[Frame, ...], work: Work) -> None:
    assert Folder(own_of(runtime)).work_of(Stack(frames)) == work


def test_every_class_but_the_rest_has_a_stack_in_every_runtime_that_could_have_one() -> None:
    covered = Counter(work.work for _, _, work in STACKS)
    assert set(covered) == set(table().classes)


def test_threads_of_the_collector_of_a_jvm_are_known_by_their_names() -> None:
    stack = Stack(named("[unknown]", module="libjvm.so"), "GC Thread#0")
    assert Folder(Own("jvm")).work_of(stack).work == "collector"
    assert Folder(Own("jvm")).work_of(Stack(stack.frames, "http-1")).work == "other"


def test_every_rule_says_why_and_is_of_a_runtime_that_is_known() -> None:
    rules = [rule for found in table().rules.values() for rule in found]
    assert {rule.runtime for rule in rules} == {"cpython", "go", "jvm", "node", "native", "kernel"}
    for rule in rules:
        assert rule.why.endswith("."), rule
        assert rule.on in {"file", "function", "module", "thread", "line"}, rule


def test_folding_loses_no_time_and_no_sample() -> None:
    profile = Profile("cpu", 10_000_000)
    for number, (_, frames, _) in enumerate(STACKS, 1):
        profile.add(Stack(frames), number, number * 10_000_000)
    folded = fold(profile, Own("cpython"))
    assert folded.total_ns == profile.time_ns
    assert sum(folded.samples.values()) == profile.count
    assert sum(folded.functions.values()) == profile.time_ns


@pytest.mark.parametrize(
    ("line", "callee"),
    [
        ("    return zlib.compress(DATA, 9)", "zlib.compress()"),
        ('    WORD.sub("x", text)', "WORD.sub()"),
        ("    self.socket.sendall(body)  # zlib.compress(body) was slower", "self.socket.sendall()"),
        ("    found = [row for row in rows if row.ok]", ""),
        ("    sock.sendall(zlib.compress(DATA))", ""),  # two kinds of work: nobody knows which one ran
        ("# re.sub(", ""),
    ],
)
def test_the_c_function_that_a_line_calls(line: str, callee: str) -> None:
    assert called_on(line) == callee


def test_functions_of_a_perf_map_have_their_names_files_and_lines() -> None:
    text = (
        "node  41/41  10101010 \n"
        "\t7f841afc6a61 JS:*hot /srv/shop/app.js:3:14 (/tmp/perf-41.map)\n"
        "\t7f841afc6a62 LazyCompile:~ file:///srv/a%20b/app.mjs:7:1 (/tmp/perf-41.map)\n"
        "\t7f841afc6a63 py::view:/srv/shop/app.py (/tmp/perf-41.map)\n"
        "\t7f841afc6a64 Builtins_JSEntry (/tmp/perf-41.map)\n\n"
    )
    (stack,) = of_perf(text).stacks
    assert stack.frames == (
        Frame("Builtins_JSEntry", module="/tmp/perf-41.map"),
        Frame("view", "/srv/shop/app.py"),
        Frame("(anonymous)", "/srv/a b/app.mjs", 7),
        Frame("hot", "/srv/shop/app.js", 3),
    )
