"""Stacks folded into classes of work by the table: recorded stacks of each runtime, and the table itself."""

from collections import Counter

import pytest

from loadrig.profilers import Folder, Own, Profile, Stack, StackFrame, StackWork, fold
from loadrig.profilers._classes import table
from loadrig.profilers._formats import KERNEL, of_perf
from loadrig.profilers._lines import called_on

STDLIB = "/usr/lib/python3.11"
SITE = "/venv/lib/python3.11/site-packages"
APP = "/srv/shop/app.py"


def py(*calls: str) -> tuple[StackFrame, ...]:
    """Frames of Python, outermost first: "function file"; of C code that a line calls "function() [c]"."""
    frames = []
    for call in calls:
        function, _, file = call.partition(" ")
        frames.append(StackFrame(function, module="[c]") if file == "[c]" else StackFrame(function, file, 10))
    return tuple(frames)


def named(*functions: str, module: str = "") -> tuple[StackFrame, ...]:
    """Frames known by their functions alone, outermost first."""
    return tuple(StackFrame(function, module=module) for function in functions)


HTTP = (f"serve_forever {STDLIB}/socketserver.py", f"handle {STDLIB}/http/server.py")
GO = ("net/http.(*conn).serve", "main.list")
VIEW = "view " + APP
CLIENT = "connect " + SITE

STACKS = [
    # CPython, as py-spy tells them
    ("cpython", py(*HTTP, VIEW), StackWork("own", "")),
    ("cpython", py(*HTTP, VIEW, f"sort {STDLIB}/bisect.py"), StackWork("own", "")),
    ("cpython", py(*HTTP, VIEW, f"JSONEncoder.iterencode {STDLIB}/json/encoder.py"),
     StackWork("serialise", "json")),
    ("cpython", py(*HTTP, VIEW, f"dump_python {SITE}/pydantic/main.py"),
     StackWork("serialise", "validation")),
    ("cpython", py(*HTTP, VIEW, "zlib.compress() [c]"), StackWork("compress", "zlib")),
    ("cpython", py(*HTTP, VIEW, f"compress {STDLIB}/gzip.py"), StackWork("compress", "zlib")),
    ("cpython", py(*HTTP, VIEW, "WORD.sub() [c]"), StackWork("regex", "re")),
    ("cpython", py(*HTTP, VIEW, f"sub {STDLIB}/re/__init__.py"), StackWork("regex", "re")),
    ("cpython", py(*HTTP, VIEW, f"Logger._log {STDLIB}/logging/__init__.py"), StackWork("log", "logging")),
    ("cpython", py(*HTTP, VIEW, f"SSLSocket.read {STDLIB}/ssl.py"), StackWork("tls", "ssl")),
    (
        "cpython",
        py(f"get_request {APP}", f"wrap_socket {STDLIB}/ssl.py", f"SSLSocket.do_handshake {STDLIB}/ssl.py"),
        StackWork("connect", "TLS handshake"),
    ),
    ("cpython", py(*HTTP, VIEW, f"create_connection {STDLIB}/socket.py"), StackWork("connect", "sockets")),
    ("cpython", py(*HTTP, VIEW, f"{CLIENT}/psycopg/connection.py"), StackWork("connect", "sockets")),
    ("cpython", py(*HTTP, VIEW, f"execute {SITE}/psycopg/connection.py"), StackWork("other", "psycopg")),
    ("cpython", py(*HTTP, f"SocketIO.readinto {STDLIB}/socket.py"), StackWork("kernel_net", "sockets")),
    ("cpython", py(*HTTP, VIEW, "os.stat() [c]"), StackWork("kernel_file", "files")),
    ("cpython", py(*HTTP, VIEW, "gc.collect() [c]"), StackWork("collector", "gc.collect")),
    (
        "cpython",
        py(VIEW, "_find_and_load <frozen importlib._bootstrap>", f"<module> {SITE}/yaml/__init__.py",
           f"compile {STDLIB}/re/__init__.py"),
        StackWork("import", "import"),
    ),
    # A server that is started by an import serves below it for ever: that is no import.
    (
        "cpython",
        py("_find_and_load <frozen importlib._bootstrap>", f"<module> {APP}", *HTTP, VIEW),
        StackWork("own", ""),
    ),
    ("cpython", py(*HTTP, VIEW, "exec() [c]"), StackWork("compile", "compile")),
    ("cpython", py(*HTTP, VIEW, "engine.exec() [c]"), StackWork("own", "")),
    ("cpython", py(*HTTP, VIEW, f"generate {SITE}/jinja2/compiler.py", f"sub {STDLIB}/re/__init__.py"),
     StackWork("compile", "templates")),
    ("cpython", py(*HTTP, VIEW, f"render {SITE}/jinja2/environment.py"), StackWork("other", "jinja2")),
    # The main function of the program called the loop, which is not its own code.
    ("cpython", py(f"<module> {APP}", f"run {STDLIB}/asyncio/runners.py"), StackWork("other", "asyncio")),
    (
        "cpython",
        py(f"__call__ {SITE}/starlette/middleware/gzip.py", f"dispatch {SITE}/starlette/routing.py"),
        StackWork("other", "starlette"),
    ),
    # Go, as its own profile tells them
    ("go", named(*GO), StackWork("own", "")),
    ("go", named(*GO, "fmt.Fprintln"), StackWork("own", "")),
    ("go", named(*GO, "encoding/json.(*Encoder).Encode", "reflect.Value.Field"),
     StackWork("serialise", "json")),
    ("go", named(*GO, "encoding/json.Marshal", "main.Price.MarshalJSON"), StackWork("own", "")),
    ("go", named(*GO, "compress/gzip.(*Writer).Close", "compress/flate.(*compressor).deflate"),
     StackWork("compress", "gzip")),
    ("go", named(*GO, "regexp.(*Regexp).doExecute"), StackWork("regex", "regexp")),
    ("go", named(*GO, "html/template.(*Template).Parse", "text/template/parse.Parse"),
     StackWork("compile", "templates")),
    ("go", named(*GO, "log/slog.(*Logger).Info", "os.(*File).Write"), StackWork("log", "logging")),
    ("go", named(*GO, "os.(*File).Write"), StackWork("kernel_file", "files")),
    ("go", named("runtime.gcBgMarkWorker", "runtime.gcDrain"),
     StackWork("collector", "marking and sweeping")),
    ("go", named(*GO, "runtime.mallocgc", "runtime.gcAssistAlloc1"),
     StackWork("collector", "marking and sweeping")),
    ("go", named("net/http.(*conn).serve", "net.(*conn).Write", "syscall.write"),
     StackWork("kernel_net", "sockets")),
    ("go", named("net/http.(*conn).serve", "crypto/tls.(*Conn).HandshakeContext", "crypto/rsa.sign"),
     StackWork("connect", "TLS handshake")),
    ("go", named("net/http.(*conn).serve", "net/textproto.(*Reader).ReadLine"),
     StackWork("other", "net/http")),
    # The JVM, as async-profiler tells them
    ("jvm", named("shop.Web.list", "com.fasterxml.jackson.databind.ObjectMapper.writeValue"),
     StackWork("serialise", "json")),
    ("jvm", (*named("shop.Web.list"), StackFrame("deflate_fast", module="/usr/lib/libz.so.1")),
     StackWork("compress", "zlib")),
    ("jvm", named("shop.Web.list", "java.util.regex.Pattern$Loop.match"),
     StackWork("regex", "java.util.regex")),
    ("jvm", named("shop.Web.list", "org.hibernate.engine.Session.flush"),
     StackWork("other", "org.hibernate.engine")),
    # Node by perf, and by V8's inspector
    ("node", (StackFrame("list", APP, 4), *named("v8::internal::JsonStringifier::Serialize_", module="node")),
     StackWork("serialise", "json")),
    ("node", (StackFrame("list", APP, 4), *named("v8::internal::Heap::Scavenge", module="node")),
     StackWork("collector", "V8")),
    ("node", (StackFrame("list", APP, 4), *named("RegExp:(a+)+$", module="/tmp/perf-1.map")),
     StackWork("regex", "RegExp")),
    ("node", (StackFrame("list", APP, 4), StackFrame("processChunkSync", "node:zlib", 9)),
     StackWork("compress", "zlib")),
    ("node", (StackFrame("list", APP, 4),), StackWork("own", "")),
    # Native code and the kernel, by perf
    ("native", named("main", "serve", module="/srv/shop"), StackWork("own", "")),
    ("native", (*named("serve", module="/srv/shop"), *named("memcpy", module="/usr/lib/libc.so.6")),
     StackWork("own", "")),
    ("native",
     (*named("ngx_worker"), StackFrame("[unknown]", module="/usr/lib/x86_64-linux-gnu/libz.so.1.2.13")),
     StackWork("compress", "zlib")),
    ("native", named("execute_ex", "compile_file", "zendparse", "lex_scan", module="/usr/sbin/php-fpm8.2"),
     StackWork("compile", "scripts")),
    ("native", named("execute_ex", "compile_filer", module="/usr/sbin/php-fpm8.2"), StackWork("own", "")),
    ("native", named("serve", "SSL_write", module="/srv/shop"), StackWork("tls", "OpenSSL")),
    ("native", named("serve", "SSL_do_handshake", "EVP_DigestSign", module="/srv/shop"),
     StackWork("connect", "TLS handshake")),
    ("native", named("ngx_http_regex_exec", module="/usr/sbin/nginx")
     + named("match", module="/usr/lib/libpcre2-8.so.0"), StackWork("regex", "PCRE")),
    ("native", named("ExecScan", "heap_getnextslot", "heapgetpage", module="/usr/bin/postgres"),
     StackWork("scan", "sequential scans")),
    ("native", named("__x64_sys_sendto", "tcp_sendmsg", "memcpy", module=KERNEL),
     StackWork("kernel_net", "sockets")),
    ("native", named("ksys_write", "vfs_write", "ext4_file_write_iter", module=KERNEL),
     StackWork("kernel_file", "files")),
    ("native", named("ksys_write", "vfs_write", "sock_write_iter", "tcp_push", module=KERNEL),
     StackWork("kernel_net", "sockets")),
    ("native", named("__sys_accept4", "inet_csk_accept", "lock_sock_nested", module=KERNEL),
     StackWork("connect", "sockets")),
    ("native", named("asm_exc_page_fault", "clear_page", module=KERNEL), StackWork("other", "kernel")),
]  # fmt: skip


def own_of(runtime: str) -> Own:
    return Own(runtime, {"native": ("/srv/shop",), "jvm": ("shop",)}.get(runtime, ()))


@pytest.mark.parametrize(("runtime", "frames", "work"), STACKS)
def test_what_a_stack_spends_its_time_on(
    runtime: str, frames: tuple[StackFrame, ...], work: StackWork
) -> None:
    assert Folder(own_of(runtime)).work_of(Stack(frames)) == work


def test_every_class_but_the_rest_has_a_stack_in_every_runtime_that_could_have_one() -> None:
    covered = Counter(work.work for _, _, work in STACKS)
    assert set(covered) == set(table().classes)


def test_threads_of_the_collector_of_a_jvm_are_known_by_their_names() -> None:
    stack = Stack(named("[unknown]", module="libjvm.so"), "GC Thread#0")
    assert Folder(Own("jvm")).work_of(stack).work == "collector"
    assert Folder(Own("jvm")).work_of(Stack(stack.frames, "http-1")).work == "other"


def test_every_rule_says_why_and_is_of_a_runtime_that_is_known() -> None:
    rules = [rule for rules_of_work in table().rules.values() for rule in rules_of_work]
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
        StackFrame("Builtins_JSEntry", module="/tmp/perf-41.map"),
        StackFrame("view", "/srv/shop/app.py"),
        StackFrame("(anonymous)", "/srv/a b/app.mjs", 7),
        StackFrame("hot", "/srv/shop/app.js", 3),
    )
