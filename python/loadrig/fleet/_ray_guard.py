"""Look whether just anybody may use a cluster of Ray: who may runs programs on every host."""

import os
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from loadrig.base.safe_python import safe_python

ANSWERS_WITHIN_S = 20.0
"""Longest wait for what a head says to somebody without a token, in seconds: Ray takes two to be loaded and,
where it is refused, some to give up."""

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
"""Sockets of this machine's network namespace."""

LISTENS = "0A"
"""State of a socket that listens, in those tables."""


def is_open(address: str, environment: Mapping[str, str]) -> bool:
    """Return whether the head at an address is to be refused, as others may use it too.

    It is not where it listens to this machine alone, speaks TLS with both sides' certificates (Ray knows no
    other), or turns somebody away who has no token. environment: ours, by which Ray finds its own settings.
    """
    if is_loopback(address) and not listens_everywhere(int(address.rpartition(":")[2])):
        return False
    if environment.get("RAY_USE_TLS", "0").lower() in ("1", "true"):
        return False  # a head without it is not to be joined with it
    has_token = environment.get("RAY_AUTH_MODE", "").lower() == "token"
    return not has_token or _answers_anybody(address, environment)


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


def _answers_anybody(address: str, environment: Mapping[str, str]) -> bool:
    """Return whether a head answers somebody without a token: by Ray's own command, as it connects."""
    bare = {name: value for name, value in environment.items() if not name.startswith("RAY_AUTH_")}
    words = ["health-check", "--skip-version-check", "--address", address]
    try:
        answer = subprocess.run(
            safe_python("-m", "ray.scripts.scripts", *words),
            env={**bare, "RAY_AUTH_MODE": "disabled"},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            timeout=ANSWERS_WITHIN_S, check=False, cwd=os.path.sep,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return False
    return answer.returncode == 0
