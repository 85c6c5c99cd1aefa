"""`loadrig init`: a first plan, for a server that is named, chosen or found."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from loadrig.base.errors import PlanError, Span
from loadrig.base.exits import Exit
from loadrig.cli._request import add_goal, add_repeated
from loadrig.language.choice import texts_of
from loadrig.language.en.cli import CliInitTexts
from loadrig.language.en.errors.cli import CliInitErrors

if TYPE_CHECKING:
    from loadrig.base.component import Component
    from loadrig.discovery.listening import Listening

TEXTS, ERRORS = texts_of(CliInitTexts), texts_of(CliInitErrors)

HELP = """
Write a first plan for a server of this machine, one that `loadrig check` takes.

  loadrig init                                     shows what listens here, asks, writes loadrig.yaml
  loadrig init http://127.0.0.1:8000/cart          for this server, with this request
  loadrig init :8000 --users 50 --goal 'p95 < 500ms' -o shop.yaml --yes

It asks on a terminal only; elsewhere, and with --yes, the flags and their defaults hold. It looks into
/proc alone and sends the server nothing. A file that is there already is not written over.
"""

PLAN = "loadrig.yaml"
"""File of the plan, where none is named."""

LOOK_FOR_S = 1.0
"""Seconds for which it is watched what a server talks to: most of it is connected at the first look."""

USERS = "10"
"""Users of the plan, where nobody says how many: as `loadrig attack` has."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add = parser.add_argument
    add("url", metavar="URL", nargs="?", help="http://HOST:PORT/PATH, or :PORT (default: what listens here)")
    add("-o", "--out", default=PLAN, metavar="FILE", help=f"the plan's file (default: {PLAN})")
    add("-c", "--users", metavar="N", help=f"users at once (default: {USERS})")
    add_goal(parser, "p95 < 500ms", "none")
    add_repeated(
        parser,
        "--allow",
        "HOST",
        "for a server elsewhere: let traffic go to this host (default: this machine only)",
    )
    add("-y", "--yes", action="store_true", help="ask nothing (default: ask on a terminal)")


def run(arguments: argparse.Namespace) -> int:
    """Write the plan and print its place. Raises PlanError, or TargetError where nothing listens at URL."""
    place = Path(arguments.out)
    # Before anything is asked: whoever has answered should not learn then that it was for nothing.
    if place.exists():
        raise PlanError.of(ERRORS.in_the_way(str(place)), code="init.in-the-way", where=Span("--out"))
    can_ask = not arguments.yes and sys.stdin.isatty() and sys.stdout.isatty()
    url, users, goals = arguments.url, arguments.users, tuple(arguments.goal)
    if url is None:
        url = _listening_url(can_ask=can_ask)
        if can_ask:
            url = url.rstrip("/") + _path(_asked(TEXTS.path, "/", lambda path: {"path": _path(path)}))
    if can_ask:
        users = users or _asked(TEXTS.users, USERS, lambda answer: {"users": answer})
        goals = goals or _goals(_asked(TEXTS.goal, TEXTS.no_goal, lambda goal: {"goals": _goals(goal)}))
    text = _plan(url, place.stem, users, goals, tuple(arguments.allow))
    _write(place, text)
    print(place)
    print(TEXTS.next_steps(str(place)), file=sys.stderr)
    return Exit.FINE


def _plan(url: str, name: str, users: str | None, goals: tuple[str, ...], allow: tuple[str, ...]) -> str:
    """Return the text of the plan, which has been read as `loadrig check` reads it."""
    from loadrig.discovery import discover
    from loadrig.discovery.as_plan import as_plan
    from loadrig.discovery.find import address_of
    from loadrig.discovery.listening import url as url_at
    from loadrig.plan.load import read
    from loadrig.plan.quick import quick_plan

    if allow:
        # A server of another machine is described by its plan alone.
        quick = quick_plan(url, connections=users, goals=goals, allow=allow, name=name)
        text = quick.text
    else:
        try:
            service_map = discover(url, look_for_s=LOOK_FOR_S)
        except PlanError as refusal:
            if [problem.code for problem in refusal.problems] != ["discover.elsewhere"]:
                raise
            wording = ERRORS.elsewhere(address_of(url).host)
            raise PlanError.of(wording, code="plan.host-not-allowed", where=Span("URL")) from refusal
        server = service_map.components[0]
        if "://" not in url:
            url = url_at(server) or f"{address_of(url).url}/"
        text = as_plan(service_map, url, plan_name=name, users=users, goals=goals)
    read(text, f"{name}.yaml")
    return text


def _listening_url(*, can_ask: bool) -> str:
    """Return the URL of the server that listens here; of several, that which a person chooses."""
    from loadrig.discovery.listening import listening_servers, url

    listening = listening_servers()
    servers = listening.servers
    if not servers:
        wording = ERRORS.nothing_listens(listening.unseen)
        raise PlanError.of(wording, code="init.nothing-listens", where=Span("loadrig init"))
    if can_ask:
        return url(_chosen(listening))
    if len(servers) > 1:
        shown = ", ".join(f"{url(server)} {server.kind}" for server in servers)
        wording = ERRORS.several(shown, url(servers[0]))
        raise PlanError.of(wording, code="init.several", where=Span("loadrig init"))
    return url(servers[0])


def _chosen(listening: "Listening") -> "Component":
    """Return the server that a person chooses by its number."""
    from loadrig.discovery.listening import url

    servers = listening.servers
    print(TEXTS.listening)
    for number, server in enumerate(servers, 1):
        print(
            TEXTS.row(
                number, url(server), " ".join(filter(None, (server.kind, server.version))), str(server.pid)
            )
        )
    if listening.unseen:
        print(TEXTS.unseen(listening.unseen))
    while True:
        answer = _ask(TEXTS.which, "1")
        if answer.isdecimal() and 1 <= int(answer) <= len(servers):
            return servers[int(answer) - 1]
        print(TEXTS.no_such_number(len(servers)))


def _ask(question: str, default: str) -> str:
    """Return what a person types, or the default where that is nothing; Ctrl-D ends as Ctrl-C does."""
    try:
        return input(TEXTS.asked(question, default)).strip() or default
    except EOFError:
        print()
        raise KeyboardInterrupt from None


def _asked(question: str, default: str, part: Callable[[str], Mapping[str, object]]) -> str:
    """Return what a person types once a plan can say it; what it cannot say is told, and asked again.

    part: the users, the path or the goals of a plan by the answer.
    """
    while True:
        answer = _ask(question, default)
        try:
            _say(**part(answer))
        except PlanError as error:
            print(TEXTS.not_understood(error.problems[0].what, error.problems[0].mend))
        else:
            return answer


def _say(*, path: object = "/", users: object = USERS, goals: object = ()) -> None:
    """Raise PlanError where a plan cannot say this."""
    from loadrig.plan.load import read

    workload = {"users": int(str(users)) if str(users).isdecimal() else users, "requests": [{"get": path}]}
    document = {
        "loadrig": 1,
        "target": {"external": "http://127.0.0.1"},
        "workload": workload,
        "goals": goals,
    }
    read(json.dumps(document), "")


def _path(answer: str) -> str:
    return answer if answer.startswith("/") else f"/{answer}"


def _goals(answer: str) -> tuple[str, ...]:
    return () if answer == TEXTS.no_goal else (answer,)


def _write(place: Path, text: str) -> None:
    """Write a file that is not there. Raises PlanError where it is by now, or cannot be written."""
    try:
        with place.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise PlanError.of(
            ERRORS.in_the_way(str(place)), code="init.in-the-way", where=Span("--out")
        ) from error
    except OSError as error:
        raise PlanError.of(
            ERRORS.not_written(str(place), error.strerror or ""), code="init.not-written", where=Span("--out")
        ) from error
