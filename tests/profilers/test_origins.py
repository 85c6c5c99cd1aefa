"""The program's own code, its libraries, the language and the kernel are told apart; sums are right."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from loadrig.base.component import SERVER, Component
from loadrig.base.documents import typed
from loadrig.discovery._elf import go_build
from loadrig.profilers import Own, Profile, Stack, StackFrame, origin_of, own_of, summary
from loadrig.profilers._formats import KERNEL, NATIVE
from loadrig.profilers._own import packages_of_jvm, packages_of_python
from tests.servers import go

PYTHON, NODE = Own("cpython"), Own("node")
SHOP, SPRING = Own("jvm", ("com.shop",)), Own("jvm")
GO = Own("go", ("github.com/acme/shop",))
NATIVE_SHOP = Own("native", ("/srv/shop/server",))
LIB = "/usr/lib/x86_64-linux-gnu"


@pytest.mark.parametrize(
    ("frame", "own", "origin"),
    [
        (StackFrame("search", "/srv/shop/search.py", 3), PYTHON, "own"),
        (StackFrame("<module>", "<string>", 1), PYTHON, "own"),
        (StackFrame("__create_fn__.<locals>.__init__", "<string>", 2), PYTHON, "runtime"),
        (StackFrame("<module>", "/srv/shop/.venv/bin/gunicorn", 10), PYTHON, "library"),
        (StackFrame("dumps", "/usr/lib/python3.11/json/__init__.py", 231), PYTHON, "runtime"),
        (
            StackFrame("dumps", "/srv/me/.pyenv/versions/3.13.2/lib/python3.13/json/__init__.py", 1),
            PYTHON,
            "runtime",
        ),
        (StackFrame("_find_and_load", "<frozen importlib._bootstrap>", 1176), PYTHON, "runtime"),
        (
            StackFrame("wsgi_app", "/srv/.venv/lib/python3.11/site-packages/flask/app.py", 9),
            PYTHON,
            "library",
        ),
        (StackFrame("get", "/usr/lib/python3/dist-packages/requests/api.py", 9), PYTHON, "library"),
        (
            StackFrame("search", "/x/lib/python3.12/site-packages/shop/views.py", 1),
            Own("cpython", ("shop",)),
            "own",
        ),
        (StackFrame("deflate", module=f"{LIB}/libz.so.1"), PYTHON, "library"),
        (StackFrame("_PyEval_EvalFrameDefault", module="/usr/bin/python3.11"), PYTHON, "runtime"),
        (StackFrame("com.shop.Search.rank"), SHOP, "own"),
        (StackFrame("com.acme.Json.write"), SHOP, "library"),
        (StackFrame("java.util.HashMap.get"), SHOP, "runtime"),
        (StackFrame("javax.crypto.Cipher.update"), SHOP, "runtime"),
        (StackFrame("javax.servlet.http.HttpServlet.service"), SPRING, "library"),
        (StackFrame("org.apache.coyote.Processor.run"), SPRING, "library"),
        (StackFrame("de.acme.Search.rank"), SPRING, "own"),
        (StackFrame("Search.rank"), SPRING, "own"),
        (StackFrame("JavaThread::run", module="libjvm.so"), SHOP, "runtime"),
        (StackFrame("stub", module=NATIVE), SHOP, "runtime"),
        (StackFrame("crc", module="libsnappyjava.so"), SHOP, "library"),
        (StackFrame("main.(*server).find"), GO, "own"),
        (StackFrame("github.com/acme/shop/search.Rank[go.shape.int]"), GO, "own"),
        (StackFrame("github.com/acme/shopping.Rank"), GO, "library"),
        (StackFrame("gopkg.in/yaml%2ev3.Unmarshal"), GO, "library"),
        (StackFrame("net/http.(*conn).serve"), GO, "runtime"),
        (StackFrame("slices.SortFunc[go.shape.[]github.com/x/y.T]"), GO, "runtime"),
        (StackFrame("vendor/golang.org/x/net/http2/hpack.Decode"), GO, "runtime"),
        (StackFrame("memeqbody"), GO, "runtime"),
        (StackFrame("handler", "/srv/shop/app.js", 3), NODE, "own"),
        (StackFrame("next", "/srv/shop/node_modules/express/lib/router.js", 3), NODE, "library"),
        (StackFrame("emit", "node:events", 500), NODE, "runtime"),
        (StackFrame("(garbage collector)"), NODE, "runtime"),
        (StackFrame("hot", module="/srv/shop/server"), NATIVE_SHOP, "own"),
        (StackFrame("SSL_read", module=f"{LIB}/libssl.so.3"), NATIVE_SHOP, "library"),
        (StackFrame("malloc", module=f"{LIB}/libc.so.6"), NATIVE_SHOP, "runtime"),
        (StackFrame("memcpy", module="/lib/libc-2.31.so"), NATIVE_SHOP, "runtime"),
        (StackFrame("tcp_sendmsg", module=KERNEL), NATIVE_SHOP, "kernel"),
        (StackFrame("tcp_sendmsg", module=KERNEL), PYTHON, "kernel"),
    ],
)
def test_whose_a_frame_is(frame: StackFrame, own: Own, origin: str) -> None:
    assert origin_of(frame, own) == origin
    assert origin_of(frame, typed(Own, own.to_json(), "events.jsonl")) == origin


@pytest.mark.parametrize(
    ("argv", "packages"),
    [
        ("gunicorn -w 2 -b :80 shop.wsgi:app", ("shop",)),
        ("python -m uvicorn --port 80 shop:create()", ("shop",)),
        ("python -m shop.server --fast", ("shop",)),
        ("python server.py 127.0.0.1:8000", ()),
    ],
)
def test_the_package_of_a_python_application(argv: str, packages: tuple[str, ...]) -> None:
    assert packages_of_python(argv.split()) == packages


@pytest.mark.parametrize(
    ("argv", "packages"),
    [
        ("java -Xmx1g -cp a.jar:b.jar com.shop.web.Main --port 80", ("com.shop",)),
        ("java --module-path mods -m shop/io.shop.Main", ("io.shop",)),
        ("java -cp x org.apache.catalina.startup.Bootstrap start", ()),
        ("java -cp x Main", ()),
        ("java Main.java", ()),
        ("java -jar missing.jar", ()),
        ("java", ()),
    ],
)
def test_the_package_of_a_jvm_application(argv: str, packages: tuple[str, ...], tmp_path: Path) -> None:
    assert packages_of_jvm(argv.split(), tmp_path) == packages


def test_a_jar_tells_the_class_that_a_framework_starts_for_it(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "shop.jar", "w") as jar:
        jar.writestr(
            "META-INF/MANIFEST.MF",
            "Manifest-Version: 1.0\r\nMain-Class: org.springframework.boot.loader.JarLauncher\r\n"
            "Start-Class: com.shop.reall\r\n y.Application\r\n",
        )
    assert packages_of_jvm(["java", "-jar", "shop.jar"], tmp_path) == ("com.shop",)


def test_a_go_program_says_its_module_and_others_do_not(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("module example.org/shop\n")
    (tmp_path / "main.go").write_text("package main\n\nfunc main() {}\n")
    offline = {**os.environ, "GOPROXY": "off", "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=mod"}
    subprocess.run([go.go(), "build", "-o", "shop", "."], cwd=tmp_path, check=True, env=offline)
    build = go_build(tmp_path / "shop")
    assert build is not None
    assert build.module == "example.org/shop"
    assert go_build(Path(sys.executable)) is None
    assert go_build(tmp_path / "nothing") is None


def test_of_a_native_program_its_file_is_its_own_code() -> None:
    component = Component(SERVER, "program", runtime="native", pid=os.getpid())
    assert own_of(component, os.getpid()).names == (os.path.realpath(sys.executable),)
    assert own_of(component, 2**22 + 1).names == ()


# --- sums -----------------------------------------------------------------------------------------


def test_self_and_total_count_each_stack_once_and_recursion_too() -> None:
    app, walk, json = (
        StackFrame("app", "/srv/app.py", 1),
        StackFrame("walk", "/srv/app.py", 9),
        StackFrame("dumps", "/usr/lib/python3.11/json/x.py", 4),
    )
    profile = Profile()
    profile.add(Stack((app, walk, walk, walk)), 6, 60)
    profile.add(Stack((app, StackFrame("walk", "/srv/app.py", 12), json)), 3, 30)
    profile.add(Stack((app,)), 1, 10)
    profile_summary = summary(profile, PYTHON)
    assert (profile_summary.samples, profile_summary.time_ns) == (10, 100)
    assert profile_summary.shares == {"own": 0.7, "library": 0.0, "runtime": 0.3, "kernel": 0.0}
    uses = {use.name: use for use in profile_summary.functions}
    assert (uses["walk"].self_share, uses["walk"].total_share, uses["walk"].line) == (0.6, 0.9, 9)
    assert (uses["app"].self_share, uses["app"].total_share) == (0.1, 1.0)
    assert [use.name for use in profile_summary.functions] == ["walk", "dumps", "app"]
    assert [use.name for use in profile_summary.own(5)] == ["walk", "app"]


def test_a_profile_of_nothing_has_no_functions() -> None:
    assert summary(Profile(), PYTHON).functions == ()
