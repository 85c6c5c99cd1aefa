"""Delay: the way from the server to a dependency gets longer, by the rig's own proxy in front of it.

## What it changes

Each question that the server sends to the dependency is held for a moment before it is handed on.
Answers are not, so every sequential round trip takes that much longer, once.
Opening a connection takes no longer: its handshake is the kernel's.
Nothing is changed in the dependency itself.

## What it needs

A server that the rig starts, and whose plan names the dependency's port in `env` or in its arguments: it is
started with the proxy's port instead.
A dependency that listens on TCP.
A server whose own files say where the dependency is, or that speaks to it over a Unix socket, cannot be led
through the proxy.

## What it proves and refutes

A response that takes longer by several times the delay makes as many round trips, one after the other.
Where throughput of a fixed number of users falls while the CPU has time, what waits for the dependency is
the limit: workers, threads, a pool.
Throughput that stays refutes that, and speaks for a CPU.

## How it is undone

The delay is set to nothing, which holds from the next question on.
The proxy ends when the rig does, whatever ended it; the server that was started with its port is the rig's.
A lease names its process while it lasts.

## Cost

The delay itself; one of 2 ms was 2.05 to 2.1 ms, as a sleeping core wakes up a little late (the counters
say by how much).
Without a delay the proxy adds 15 to 40 µs to a round trip of 60, and takes as much of a core, which the
server may want itself (redis on the loopback, 2 virtual cores, Linux 6.18).
So what is compared is the way through the proxy with and without a delay, never without the proxy.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from loadrig.base import members
from loadrig.base.effects import ServerEffect
from loadrig.base.errors import VoidError
from loadrig.base.loopback import is_loopback
from loadrig.base.setting import Setting
from loadrig.base.unavailable import Unavailable
from loadrig.base.units import show_duration
from loadrig.interventions import Change, Lever, Scene, Setter, Step
from loadrig.interventions._proxy import Proxy, numeric
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.interventions import InterventionsDependencyDelayErrors
from loadrig.language.en.interventions import InterventionsDependencyDelayTexts
from loadrig.plan.model import Plan

TEXTS = texts_of(InterventionsDependencyDelayTexts)
ERRORS = texts_of(InterventionsDependencyDelayErrors)

EFFECTS: tuple[ServerEffect, ...] = (
    ServerEffect(
        "opens a port",
        TEXTS.proxy_rig_loopback,
        "prove",
    ),
)

NAME = TEXTS.name
CHANGE: Change = "delay"
IS_LIVE = True

CODE = "prove.no-proxy"
"""Code of the error where no proxy can be in front of the dependency."""

ARGUMENTS = ("argv", "args")
"""Options of targets that hold words of a command line."""

VARIABLES = "env"
"""Option of targets that holds variables of the server."""

_HOST_WORD = re.compile(r"(HOST|HOSTNAME|ADDR|ADDRESS|SERVER)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Inserted:
    """A proxy in front of a dependency, and what to start so that the server goes through it.

    plan, setting: what is to be started instead of the given ones. name: name of the dependency. named: what
    was changed, where the plan names the dependency: "env REDIS_PORT", "argv".
    """

    plan: Plan
    setting: Setting
    name: str
    proxy: Proxy
    named: tuple[str, ...] = ()

    def is_used(self) -> bool:
        """Return whether the server has connected through the proxy; else it is not delayed."""
        return self.proxy.counters().accepted > 0


@contextmanager
def insert(
    plan: Plan, setting: Setting, name: str, host: str, port: int, log: Path, cpus: Sequence[int] = ()
) -> Iterator[Inserted]:
    """Keep a proxy in front of the dependency `name` at host and port, as long as the context lasts.

    The server must be started within it, with the plan that it gives. log: for what the proxy's process has
    to say. cpus: where it runs. Raises Unavailable (prove.no-proxy) where no server can be led through it.
    """
    if host.startswith(("/", "@", "unix:")) or not port:
        raise Unavailable.of(ERRORS.unix_socket(name, host), code=CODE)
    if not getattr(members.load("loadrig.target", plan.target.member), "STARTS", True):
        raise Unavailable.of(ERRORS.foreign_server(name), code=CODE)
    there = DependencyAddress(host, numeric(host, port), port)
    if not (named := _named(plan.target.options, there)):
        raise _not_named(plan, name, there)
    with Proxy(there.number, port, log, cpus) as proxy:
        options = _redirected_options(plan.target.options, there, proxy)
        changed = replace(plan, target=replace(plan.target, options=options))
        yield Inserted(changed, setting, name, proxy, named)


def able(lever: Lever, scene: Scene) -> Step:
    """Raise Unavailable: a server that runs cannot be led through a proxy. See `insert` and `step`."""
    del scene
    raise Unavailable.of(ERRORS.no_proxy(lever.component), code=CODE)


def step(inserted: Inserted, delay_s: float, response_s: float = 0.0) -> Step:
    """Return the step that delays the way to the dependency by delay_s seconds.

    response_s: mean response time without it, in seconds, by which the ratio of the capacity is known: where
    each request makes one round trip on the path that limits, the elasticity by it is 1.
    """
    longer = show_duration(delay_s)
    return Step(
        Lever(CHANGE, inserted.name),
        TEXTS.way_longer(inserted.name, longer),
        response_s / (response_s + delay_s) if response_s else None,
        lambda: _held(inserted.proxy, delay_s),
        TEXTS.each_round_trip(inserted.name, longer),
    )


@contextmanager
def _held(proxy: Proxy, delay_s: float) -> Iterator[Setter]:
    def change(is_changed: bool) -> None:
        proxy.set(delay_s=delay_s if is_changed else 0.0)

    try:
        yield change
    finally:
        # A proxy that has died delays nothing, and the change that failed for it has raised already.
        with suppress(VoidError):
            proxy.set()


@dataclass(frozen=True, slots=True)
class DependencyAddress:
    """Address at which a dependency listens. host: as it was named; number: the IP address."""

    host: str
    number: str
    port: int

    @property
    def is_here(self) -> bool:
        """Whether it is on this machine's loopback.

        Its proxy then has the same address, and another port.
        """
        return is_loopback(self.number)

    def is_meant(self, host: str | None) -> bool:
        """Return whether the host before the port in a text can be this one; None: there is no host."""
        host = host.strip("[]") if host else host
        if not self.is_here:
            return host in (self.host.strip("[]"), self.number)
        # A word may be a name of this machine (`redis:6379`); a number is the address of another machine.
        return not host or is_loopback(host) or not (":" in host or "." in host)


def _pattern(port: int) -> "re.Pattern[str]":
    """Return a pattern of a port, with the host before it where there is one: `redis://127.0.0.1:6379/0`.

    The port is a whole number. After a letter it counts only where that is a short option: `-p6379`. Before
    an @ it is a password.
    """
    host = r"(?:(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_][\w.-]*):)?"
    return re.compile(rf"(?:(?<![\w.])|(?<=(?<!\S)-[A-Za-z])){host}{port}(?![\w@]|\.\d)")


def _names(text: str, there: DependencyAddress) -> bool:
    return any(there.is_meant(match["host"]) for match in _pattern(there.port).finditer(text))


def _redirected(text: str, there: DependencyAddress, proxy: Proxy) -> str:
    def replacement(match: "re.Match[str]") -> str:
        if not there.is_meant(match["host"]):
            return match[0]
        if there.is_here:
            return match[0].removesuffix(str(there.port)) + str(proxy.port)
        return f"{proxy.host}:{proxy.port}"

    return _pattern(there.port).sub(replacement, text)


def _named(options: Any, there: DependencyAddress) -> tuple[str, ...]:
    """Return where a target's options name a dependency: "argv", "env REDIS_PORT"."""
    words = [key for key in ARGUMENTS if any(_names(word, there) for word in getattr(options, key, ()))]
    env = getattr(options, VARIABLES, {})
    variables = [name for name, value in env.items() if _names(value, there)]
    variables += [name for pair in _pairs(env, there) for name in pair]
    return (*words, *(f"{VARIABLES} {name}" for name in variables))


def _redirected_options(options: Any, there: DependencyAddress, proxy: Proxy) -> Any:
    """Return a target's options, with the proxy named where they named the dependency."""
    own = {field.name for field in fields(options)}
    changes: dict[str, Any] = {
        key: tuple(_redirected(word, there, proxy) for word in getattr(options, key))
        for key in ARGUMENTS
        if key in own
    }
    if VARIABLES in own:
        env = getattr(options, VARIABLES)
        changes[VARIABLES] = {name: _redirected(value, there, proxy) for name, value in env.items()}
        for host, port in _pairs(env, there):
            changes[VARIABLES] |= {host: proxy.host, port: str(proxy.port)}
    return replace(options, **changes)


def _pairs(env: Mapping[str, str], there: DependencyAddress) -> list[tuple[str, str]]:
    """Return variables that name host and port of another machine apart: REDIS_HOST and REDIS_PORT.

    On another machine the port alone is not enough: only the host beside it says whose port it is.
    """
    if there.is_here:
        return []
    hosts = {name: _HOST_WORD.sub("PORT", name) for name, value in env.items() if there.is_meant(value)}
    return [(host, port) for host, port in hosts.items() if port != host and env.get(port) == str(there.port)]


def _not_named(plan: Plan, name: str, there: DependencyAddress) -> Unavailable:
    own = [field.name for field in fields(plan.target.options) if field.name in (*ARGUMENTS, VARIABLES)]
    options = ERRORS.one_or_other.join(own) or ERRORS.any_option
    address = f"{there.host}:{there.port}"
    wanted = ERRORS.port(str(there.port)) if there.is_here else address
    variable = re.sub(r"[^A-Z0-9]+", "_", name.upper())
    wording = ERRORS.unnamed_address(plan.target.member, wanted, name, options, variable, address)
    return Unavailable.of(wording, code=CODE)
