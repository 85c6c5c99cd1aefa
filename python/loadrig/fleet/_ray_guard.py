"""Look whether just anybody may use a cluster of Ray: who may runs programs on every host."""

import os
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from loadrig.base.safe_python import safe_python

ANSWERS_WITHIN_S = 20.0
"""Longest wait for what a head says to somebody without a token, in seconds: Ray takes two to be loaded and,
where it is refused, some to give up."""

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
"""Sockets of this machine's network namespace."""

LISTENS = "0A"
"""State of a socket that listens, in those tables."""

TURNS_AWAY = b"InvalidAuthToken"
"""Word of Ray for a token that is missing or wrong."""

Standing: TypeAlias = Literal["", "open", "token", "silent"]
"""Reason to join a head not: others may use it too, it wants another token, it says nothing to one without.
Empty where there is none."""

Answer: TypeAlias = Literal["answers", "turns away", "silent"]


def standing(address: str, environment: Mapping[str, str], *, unguarded: bool) -> Standing:
    """Return why the head at an address is not to be joined.

    It may be joined where it listens to this machine alone, speaks TLS with both sides' certificates (Ray
    knows no other), or turns somebody away who has no token; unguarded: or in any case. It never may where it
    turns us away. environment: ours, by which Ray finds its own settings.
    """
    answer = _answer(address, environment)
    if answer == "turns away":
        return "token"
    if unguarded or is_private(address) or is_guarded(address, environment):
        return ""
    return "silent" if answer == "silent" and not has_token(environment) else "open"


def is_guarded(address: str, environment: Mapping[str, str]) -> bool:
    """Return whether a head that we may use turns away somebody without a token, or without certificates."""
    # A head without TLS is not to be joined with it.
    if environment.get("RAY_USE_TLS", "0").lower() in ("1", "true"):
        return True
    return has_token(environment) and _answer(address, _without_token(environment)) != "answers"


def has_token(environment: Mapping[str, str]) -> bool:
    """Return whether we bring a token."""
    return environment.get("RAY_AUTH_MODE", "").lower() == "token"


def _without_token(environment: Mapping[str, str]) -> Mapping[str, str]:
    bare = {name: value for name, value in environment.items() if not name.startswith("RAY_AUTH_")}
    return {**bare, "RAY_AUTH_MODE": "disabled"}


def is_private(address: str) -> bool:
    """Return whether whoever listens at an address listens to this machine alone."""
    return is_loopback(address) and not listens_everywhere(int(address.rpartition(":")[2]))


def is_loopback(address: str) -> bool:
    """Return whether an address is only of this machine."""
    host = address.rpartition(":")[0].strip("[]")
    return host in ("localhost", "::1") or host.startswith("127.")


def listens_everywhere(port: int, tables: Iterable[Path] = TABLES) -> bool:
    """Return whether a port of this machine takes connections at all of its addresses."""
    for table in tables:
        if not table.exists():
            continue  # a machine without IPv6
        for row in table.read_text(encoding="ascii").splitlines()[1:]:
            _, local, _, state, *_ = row.split()
            ip, _, digits = local.partition(":")
            if state == LISTENS and int(digits, 16) == port and not ip.strip("0"):
                return True
    return False


def _answer(address: str, environment: Mapping[str, str]) -> Answer:
    """Return what a head says to somebody with these settings: by Ray's own command, as it connects."""
    words = ["health-check", "--skip-version-check", "--address", address]
    try:
        answer = subprocess.run(
            safe_python("-m", "ray.scripts.scripts", *words),
            env=dict(environment),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=ANSWERS_WITHIN_S, check=False, cwd=os.path.sep,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "silent"
    if answer.returncode == 0:
        return "answers"
    return "turns away" if TURNS_AWAY in answer.stdout else "silent"
