"""Needs of a server on its host that no node is sent: its program, its image.

A host that lacks it would fail every setting that it tries, so it is looked for before any load. An image
that `docker run` would fetch is lacking too: no trial waits for minutes until it is there.
"""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from loadrig.base import members
from loadrig.base.documents import Document, Says
from loadrig.plan.model import Plan

ENGINES = ("docker", "podman")
"""Programs that run a container of an image, by the same options."""

LOOKS_WITHIN_S = 20.0
"""Longest wait for an engine to say whether it has an image, in seconds; it takes a tenth."""

SWITCHES = frozenset((
    "detach", "disable-content-trust", "help", "init", "interactive", "no-healthcheck", "no-hosts",
    "oom-kill-disable", "privileged", "publish-all", "quiet", "read-only", "replace", "rm", "sig-proxy",
    "tls-verify", "tty",
))  # fmt: skip
"""Options of `run` without a value, by their long names. Source: `docker run --help`, `podman run --help`."""

SHORT_SWITCHES = frozenset("ditPq")
"""Options of `run` without a value, by their letters."""


class NodeNeeds(Document, frozen=True, kw_only=True):
    """Needs of a server that are not sent to its host."""

    program: Annotated[str, Says("its program: a name that is looked up, or a whole path; empty: any")] = ""
    image: Annotated[str, Says("image of its container, which that program runs; empty: none")] = ""


class NodeLack(Document, frozen=True, kw_only=True):
    """Lack of a host."""

    program: Annotated[str, Says("program that is not there; empty where it is")] = ""
    image: Annotated[str, Says("image that is not there; empty where it is")] = ""
    how: Annotated[str, Says("last line of what the engine said of it")] = ""


def needs_of(plan: Plan) -> NodeNeeds:
    """Return what a plan's server needs; nothing where its target is no command."""
    module = members.load("loadrig.target", plan.target.member)
    words = module.words_of(plan.target.options) if hasattr(module, "words_of") else []
    env = getattr(plan.target.options, "env", {})
    if not words or "PATH" in env or ("/" in words[0] and not Path(words[0]).is_absolute()):
        return NodeNeeds()  # where it is looked for is known once it starts
    is_engine = Path(words[0]).name in ENGINES
    return NodeNeeds(program=words[0], image=image_of(words[1:]) if is_engine else "")


def image_of(words: Sequence[str]) -> str:
    """Return the image that the words after an engine's name run; empty where they run none that is there."""
    rest = list(words)
    if rest[:1] == ["container"]:
        rest = rest[1:]
    if rest[:1] != ["run"]:
        return ""
    rest = rest[1:]
    while rest and rest[0].startswith("-"):
        word = rest.pop(0)
        name, has_value, value = word.lstrip("-").partition("=")
        if name == "pull" and (value or (rest[:1] and rest[0])) in ("always", "newer"):
            return ""
        is_long = word.startswith("--")
        is_switch = name in SWITCHES if is_long else set(name) <= SHORT_SWITCHES
        # The value of a short option may follow its letter at once: -p8000:80.
        is_whole = bool(has_value) or is_switch or (not is_long and len(name) > 1 and not _ends_open(name))
        if not is_whole and rest:
            rest.pop(0)
    return rest[0] if rest else ""


def _ends_open(letters: str) -> bool:
    """Return whether letters are switches, and at last an option whose value is the next word: -itp 80:80."""
    return set(letters[:-1]) <= SHORT_SWITCHES and letters[-1] not in SHORT_SWITCHES


def lack_of(needs: NodeNeeds) -> NodeLack | None:
    """Return what this machine lacks; None where it has all that is needed."""
    if needs.program and shutil.which(needs.program) is None:
        return NodeLack(program=needs.program)
    if not needs.image:
        return None
    order = [needs.program, "image", "inspect", "--format", "{{.Id}}", needs.image]
    try:
        ended = subprocess.run(
            order, capture_output=True, text=True, timeout=LOOKS_WITHIN_S, check=False, env=os.environ
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return NodeLack(image=needs.image, how=str(error))
    if ended.returncode == 0:
        return None
    lines = ended.stderr.strip().splitlines()
    return NodeLack(image=needs.image, how=lines[-1] if lines else "")
