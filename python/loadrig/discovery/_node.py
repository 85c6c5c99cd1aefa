"""Programs that Node runs: by the script, and the packages that its package.json asks for."""

import json
import os
import re
from collections.abc import Iterator, Sequence
from typing import Any

from loadrig.discovery._identity import Identity
from loadrig.discovery._seen import VisibleProcess

_WITH_A_VALUE = frozenset((
    "-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--title",
))  # fmt: skip
_SERVERS = {
    "next": "next", "@nestjs/core": "nest", "nuxt": "nuxt", "express": "express", "fastify": "fastify",
    "koa": "koa", "@hapi/hapi": "hapi", "restify": "restify", "@adonisjs/core": "adonis",
}  # fmt: skip
"""Package -> kind, frameworks before what they are built upon: an app of Nest is not called express."""


def node_program(process: VisibleProcess) -> Identity:
    """Return the server that a Node process runs."""
    script = script_of(process.argv)
    title = process.argv[0] if process.argv else ""
    if not script and (titled := re.match(r"next-server \(v([\w.-]+)\)", title)):
        return Identity("next", titled[1], "next")
    label = os.path.splitext(os.path.basename(script))[0] or "node"
    for folder in _upwards(os.path.dirname(os.path.join(process.folder, script))):
        text = process.text(f"{folder}/package.json")
        if not text:
            continue
        wanted = _parsed(text)
        label = str(wanted.get("name") or label)
        for package, kind in _SERVERS.items():
            if package in {**_mapping(wanted, "dependencies"), **_mapping(wanted, "devDependencies")}:
                return Identity(kind, _version(process, folder, package), label)
        break
    return Identity("program", label=label)


def script_of(argv: Sequence[str]) -> str:
    """Return the script of a Node command line; "" where it has none."""
    place = 1
    while place < len(argv):
        word = argv[place]
        if word in ("-e", "--eval", "-p", "--print"):
            return ""
        if not word.startswith("-"):
            return word
        place += 2 if word in _WITH_A_VALUE else 1
    return ""


def _upwards(folder: str) -> Iterator[str]:
    while True:
        yield folder
        if folder in ("", "/"):
            return
        folder = os.path.dirname(folder)


def _version(process: VisibleProcess, folder: str, package: str) -> str:
    for place in _upwards(folder):
        if text := process.text(f"{place}/node_modules/{package}/package.json"):
            return str(_parsed(text).get("version", ""))
    return ""


def _parsed(text: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def _mapping(facts: dict[str, Any], key: str) -> dict[str, Any]:
    value = facts.get(key)
    return value if isinstance(value, dict) else {}
