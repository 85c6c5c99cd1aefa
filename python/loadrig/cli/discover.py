"""`loadrig discover URL`: the server at an address, its settings, and what it talks to."""

import argparse
import json

from loadrig.base.component import Component
from loadrig.base.errors import PlanError, Problem, Span
from loadrig.base.exits import Exit
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.cli import CliDiscoverErrors

ERRORS = texts_of(CliDiscoverErrors)

HELP = """
Look at a server of this machine: what it is, how it is set, and what it talks to.

  loadrig discover http://127.0.0.1:8000/       the process that listens there, and its dependencies
  loadrig discover :8000 --for 10s              look longer: only what is connected meanwhile is found
  loadrig discover --pid 4711 --json            by a process of its tree; for machines
  loadrig discover :8000 --as-plan > plan.yaml  a plan to go on from

Nothing is changed, started or sent: all of it is read from /proc. Passwords, tokens and keys are
masked. Connections may exist only under load: let requests run meanwhile.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add = parser.add_argument
    add("where", metavar="URL", nargs="?", help="http://HOST:PORT/PATH, :PORT, or a socket's path")
    add("--pid", type=int, metavar="N", help="a process of the server (default: who listens at URL)")
    add("--for", dest="look_for", default="3s", metavar="TIME", help="how long to look (default: 3s)")
    add("--json", action="store_true", help="print the map as JSON (default: a tree)")
    add("--as-plan", action="store_true", help="print a plan that loads URL (default: the map)")


def run(arguments: argparse.Namespace) -> int:
    """Discover and print the map. Raises TargetError if nothing is there, PlanError for a wrong address."""
    from loadrig.base.documents import plain
    from loadrig.discovery import discover, document_of

    if arguments.where is None and arguments.pid is None:
        raise PlanError.of(
            ERRORS.nothing_to_look_at, code="cli.wrong-argument", where=Span("loadrig discover")
        )
    service_map = discover(arguments.where, pid=arguments.pid, look_for_s=_seconds(arguments.look_for))
    if arguments.json:
        document = {"schema": "loadrig.discover/1", **plain(document_of(service_map))}
        print(json.dumps(document, indent=2, ensure_ascii=False))
    elif arguments.as_plan:
        from loadrig.discovery.as_plan import as_plan

        print(as_plan(service_map, _url(arguments.where, service_map.components[0])), end="")
    else:
        from loadrig.discovery.text import lines

        print("\n".join(lines(service_map)))
    return Exit.FINE


def _seconds(text: str) -> float:
    from loadrig.plan.amounts import read_amount
    from loadrig.plan.node import Scalar

    seconds = read_amount("duration", Scalar(Span("--for"), text, text), "--for")
    if isinstance(seconds, Problem):
        raise PlanError(seconds)
    return seconds


def _url(where: str | None, server: Component) -> str:
    """Return what to load: the URL as it was typed, else the address that was found."""
    from loadrig.discovery.as_plan import url_of

    if where and "://" in where:
        return where
    if server.address is None:
        raise PlanError.of(ERRORS.no_listener(str(server.pid)), code="plan.url", where=Span("--as-plan"))
    return url_of(server.address)
