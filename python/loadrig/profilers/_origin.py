"""Origin of a frame's code: the program's own, a library's, the language's, or the kernel's.

Pure: what tells a program's own code (see `_own`) is kept in the recording with its profile.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from loadrig.profilers._formats import KERNEL
from loadrig.profilers._stacks import StackFrame

Origin = Literal["own", "library", "runtime", "kernel"]

ORIGINS: Mapping[Origin, str] = {
    "own": "own code",
    "library": "libraries",
    "runtime": "language and its standard library",
    "kernel": "kernel",
}
"""Name of every origin, for a reader."""


@dataclass(frozen=True, slots=True)
class Own:
    """Names that tell the program's own code from other code. runtime: as of a Component.

    names: packages (Python, JVM), the module (Go) or the program's file (native code); may be empty.
    """

    runtime: str = ""
    names: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data, for the facts of an event."""
        return {"runtime": self.runtime, "names": list(self.names)}


def origin_of(frame: StackFrame, own: Own) -> Origin:
    """Return the origin of a frame's code: own, library, runtime or kernel."""
    if frame.module == KERNEL:
        return "kernel"
    if own.runtime == "cpython" and frame.file:
        return _origin_in_python(frame.function, frame.file, own.names)
    if own.runtime == "jvm" and not frame.module:
        return _origin_in_jvm(frame.function, own.names)
    if own.runtime == "go":
        return _origin_in_go(frame, own.names)
    if own.runtime == "node" and not frame.module:
        return _origin_in_node(frame)
    return _origin_in_native(frame, own)


# --- by runtime -----------------------------------------------------------------------------------

_INSTALLED = re.compile(r"/(?:site|dist)-packages/(?P<package>[^/]+)")
_SCRIPT = re.compile(r"/bin/[^/.]+$")
"""Pattern of the program that pip puts beside the interpreter for `gunicorn` and the like."""

_STDLIB = re.compile(r"/lib(?:64)?/(?:python|pypy)3?[\d.]*(?:\.zip)?/")


def _origin_in_python(function: str, file: str, names: tuple[str, ...]) -> Origin:
    # Code that dataclasses write has the file "<string>", as the program's own code in `python -c` has.
    if file.startswith("<frozen") or (file == "<string>" and function.startswith("__create_fn__")):
        return "runtime"
    if _SCRIPT.search(file):
        return "library"
    installed = _INSTALLED.search(file)
    if installed:
        return "own" if installed["package"].removesuffix(".py") in names else "library"
    return "runtime" if _STDLIB.search(file) else "own"


JDK = re.compile(
    r"(?:java|jdk|sun|com\.sun|org\.w3c\.dom|org\.xml\.sax|org\.ietf|"
    r"javax\.(?:accessibility|crypto|imageio|lang|management|naming|net|print|script|security|sound|sql|swing|"
    r"tools|xml))\."
)
JVM_LIBRARIES = (
    "akka.", "brave.", "ch.qos.", "cn.hutool.", "co.elastic.", "com.alibaba.", "com.amazonaws.",
    "com.datastax.", "com.fasterxml.", "com.github.", "com.google.", "com.hazelcast.", "com.lmax.",
    "com.microsoft.", "com.mongodb.", "com.mysql.", "com.netflix.", "com.oracle.", "com.rabbitmq.",
    "com.squareup.", "com.zaxxer.", "feign.", "graphql.", "groovy.", "io.dropwizard.", "io.grpc.",
    "io.helidon.", "io.jsonwebtoken.", "io.lettuce.", "io.micrometer.", "io.micronaut.", "io.netty.",
    "io.opentelemetry.", "io.prometheus.", "io.quarkus.", "io.r2dbc.", "io.reactivex.", "io.smallrye.",
    "io.swagger.", "io.undertow.", "io.vertx.", "jakarta.", "javax.", "javassist.", "kotlin.", "kotlinx.",
    "lombok.", "net.bytebuddy.", "net.sf.", "okhttp3.", "okio.", "oracle.", "org.antlr.", "org.apache.",
    "org.aspectj.", "org.bouncycastle.", "org.codehaus.", "org.eclipse.", "org.flywaydb.",
    "org.glassfish.", "org.h2.", "org.hibernate.", "org.infinispan.", "org.jboss.", "org.joda.",
    "org.json.", "org.jooq.", "org.mariadb.", "org.mybatis.", "org.objectweb.", "org.postgresql.",
    "org.quartz.", "org.reactivestreams.", "org.redisson.", "org.slf4j.", "org.springframework.",
    "org.thymeleaf.", "org.xnio.", "org.yaml.", "play.", "reactor.", "redis.clients.", "rx.", "scala.",
    "zipkin2.",
)  # fmt: skip
"""Packages that servers are built of. Used only where the main class does not tell the program's own."""


def _origin_in_jvm(method: str, names: tuple[str, ...]) -> Origin:
    if any(method.startswith(f"{name}.") for name in names):
        return "own"
    if JDK.match(method) or method.startswith("["):
        return "runtime"
    in_a_package = method.count(".") >= 2
    if in_a_package and (names or method.startswith(JVM_LIBRARIES)):
        return "library"
    return "own"


def package_of_go(function: str) -> str:
    """Return the import path in the name of a function: "net/http" for "net/http.(*conn).serve".

    Returns "" for assembly.
    """
    name = function.partition("[")[0]
    folder, slash, last = name.rpartition("/")
    package, dot, _ = last.partition(".")
    return f"{folder}{slash}{package}" if dot else ""


def _origin_in_go(frame: StackFrame, names: tuple[str, ...]) -> Origin:
    package = package_of_go(frame.function)
    if package == "main" or any(package == name or package.startswith(f"{name}/") for name in names):
        return "own"
    # Import paths begin with a domain, but for those of the standard library.
    return "library" if "." in package.partition("/")[0] else "runtime"


def _origin_in_node(frame: StackFrame) -> Origin:
    if not frame.file or frame.file.startswith("node:"):
        return "runtime"
    return "library" if "/node_modules/" in frame.file else "own"


_C_RUNTIME = re.compile(
    r"(?:lib(?:c|m|pthread|rt|dl|stdc\+\+|gcc_s|python3[\d.]*|node"
    r"|jvm|java|jli|jimage|net|nio|verify|zip)[-.\d]*\.so|ld-linux|ld-musl|\[vdso\])"
)


def _origin_in_native(frame: StackFrame, own: Own) -> Origin:
    name = os.path.basename(frame.module)
    if own.runtime not in ("", "native"):
        # Native code below an interpreter or a virtual machine: it belongs to that runtime or to an
        # extension.
        return "library" if ".so" in name and not _C_RUNTIME.match(name) else "runtime"
    if frame.module in own.names:
        return "own"
    if frame.module.startswith("[unknown") or _C_RUNTIME.match(name):
        return "runtime"
    return "library" if ".so" in name else "own"
