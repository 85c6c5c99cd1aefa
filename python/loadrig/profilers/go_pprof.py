"""Go: the CPU profile that the program takes of itself, fetched from its /debug/pprof.

## What it reads

GET /debug/pprof/profile?seconds=N of the first address of the server that has it: the option `at`, the
address that is loaded, then its other listening sockets. A Go program has it after
`import _ "net/http/pprof"` where it serves http.DefaultServeMux, often on a port of its own.

## How to read it

The time is CPU time, sampled by the runtime 100 times a second of each core. The profile is kept as the
program wrote it. Inlined functions are seen. A program that is starved of CPU answers late or not at all.

## Cost

Nothing of its own but one request. Throughput of a server that burns CPU, in turn with times when it was
not profiled: −6 % ± 11 %, and 50 ms beyond its time.
Measured on Linux 6.18, two cores that others used too; ± is the 95 % interval of eight pairs.
"""

import http.client
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

from loadrig.base import sockets
from loadrig.base.component import Component
from loadrig.base.effects import ServerEffect
from loadrig.base.loopback import reached
from loadrig.base.members import only
from loadrig.base.running import Address
from loadrig.base.shape import option
from loadrig.base.unavailable import Unavailable
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.profilers_members import ProfilersGoErrors
from loadrig.profilers._pprof import MOST_BYTES, NotPprof, decoded
from loadrig.profilers._shot import GRACE_S, LOOK_S, Capture, Shot, address_of, family, too_late

ERRORS = texts_of(ProfilersGoErrors)

EFFECTS: tuple[ServerEffect, ...] = (
    ServerEffect("asks the server", "To profile itself, by a page that it has."),
)

ONLY = {"runtime": ("go",)}

NAME = "Go pprof"
RANK = 1

PATH = "/debug/pprof/profile"

ASK_S = 2.0
"""Seconds that an address may take to say that it has no such page."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the profiler: the address of the pages."""

    at: str | None = option(
        "HOST:PORT of the pages; by default every address that the server listens on is asked.",
        default=None,
        example="127.0.0.1:6060",
    )


fits = only(ONLY)


def take(options: Options, component: Component, shot: Shot) -> Capture:
    """Ask for a profile of some seconds. Raises Unavailable."""
    reasons = []
    for address in _addresses(options, component):
        if shot.stop.is_set():
            raise too_late()
        # This page holds nothing of the program, and no other server answers it in this form.
        status, body = _get(address, "/debug/pprof/symbol", ASK_S, shot)
        if status != 200 or not body.startswith(b"num_symbols"):
            place = f"{address.host}:{address.port}"
            reasons.append(ERRORS.answers_otherwise(place) if status else ERRORS.is_silent(place))
            continue
        # The page takes whole seconds only.
        seconds = max(1, round(shot.seconds))
        began_ns = time.monotonic_ns()
        status, body = _get(address, f"{PATH}?seconds={seconds}", seconds + GRACE_S, shot)
        ended_ns = time.monotonic_ns()
        if status != 200:
            raise _refused(address, status, body)
        try:
            profile = decoded(body)
        except NotPprof as error:
            wording = ERRORS.no_profile(address.url + PATH, str(error))
            raise Unavailable.of(wording, code="probe.not-that") from None
        return Capture(profile, component.pid, began_ns, ended_ns, pprof=body)
    tried = "; ".join(reasons) or ERRORS.listens_nowhere
    raise Unavailable.of(ERRORS.no_pages(component.name, tried), code="probe.no-answer")


def _addresses(options: Options, component: Component) -> Iterator[Address]:
    """Yield the addresses to ask, each once."""
    if options.at:
        yield address_of(options.at)
        return
    addresses = [component.address, *component.listens]
    asked = dict.fromkeys(
        _reachable(address) for address in addresses if address is not None and address.unix is None
    )
    yield from asked
    if component.pid is not None:
        listening = {listener.inode: listener for listener in sockets.listeners()}
        for inodes in sockets.holders(listening, family(component.pid)).values():
            for inode in inodes:
                address = _reachable(Address(listening[inode].address, listening[inode].port))
                if address not in asked:
                    asked[address] = None
                    yield address


def _reachable(address: Address) -> Address:
    """Return where an address is asked: a wildcard on the loopback."""
    return Address(reached(address.host), address.port, address.scheme)


def _get(address: Address, path: str, timeout_s: float, shot: Shot) -> tuple[int, bytes]:
    """Return status and body of a page; status 0 where nothing answered, or something other than HTTP.

    Raises Unavailable if the load ends meanwhile.
    """
    kind = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
    connection = kind(address.host, address.port, timeout=timeout_s)
    done = threading.Event()

    def cut() -> None:
        while not done.wait(LOOK_S):
            if shot.stop.is_set() and (used := connection.sock) is not None:
                used.shutdown(socket.SHUT_RDWR)
                return

    guard = threading.Thread(target=cut, name="loadrig-pprof", daemon=True)
    try:
        connection.connect()
        guard.start()
        connection.request("GET", path, headers={"Connection": "close"})
        answer = connection.getresponse()
        return answer.status, answer.read(MOST_BYTES)
    except (OSError, http.client.HTTPException):
        if shot.stop.is_set():
            raise too_late() from None
        return 0, b""
    finally:
        done.set()
        if guard.is_alive():
            guard.join()
        connection.close()


def _refused(address: Address, status: int, body: bytes) -> Unavailable:
    where = f"{address.host}:{address.port}"
    if not status:
        return Unavailable.of(ERRORS.not_sent(where), code="probe.no-answer")
    lines = body.decode("utf-8", "replace").strip().splitlines()
    why = lines[-1] if lines else ERRORS.status_of(str(status))
    return Unavailable.of(ERRORS.refused(where, why, "WriteTimeout" in why), code="probe.refused")
