"""A plan to go on from: the server that was found as its target, what else was found as comments."""

from collections.abc import Iterable
from dataclasses import replace

from loadrig.base.component import Component
from loadrig.base.errors import Span
from loadrig.base.loopback import is_loopback
from loadrig.base.running import Address
from loadrig.discovery.map import ServiceMap
from loadrig.discovery.text import lines, plain
from loadrig.language.choice import texts_of
from loadrig.language.en.discovery import DiscoveryTexts
from loadrig.plan.node import Entries, Items, MappingEntry, Node, Scalar
from loadrig.plan.quick import quick_plan
from loadrig.plan.quick_text import quoted, text_of

TEXTS = texts_of(DiscoveryTexts)

_NOWHERE = Span("discover")
_STUBS = {
    "redis": "redis: {password_env: REDIS_PASSWORD}",
    "mariadb": "mariadb: {user: watcher, password_env: MARIADB_PASSWORD}",
    "mysql": "mariadb: {user: watcher, password_env: MYSQL_PASSWORD}",
    "postgresql": "postgresql: {user: watcher, password_env: PGPASSWORD}",
}
"""Lines of a plan with the options that a probe needs where its database asks for a password, by kind."""


def as_plan(
    service_map: ServiceMap,
    url: str,
    *,
    plan_name: str = "discovered",
    users: str | None = None,
    goals: tuple[str, ...] = (),
) -> str:
    """Return the text of a plan that loads a URL of the server; it parses, and `loadrig run` runs it.

    url: with path and query. users, goals: as they were typed; without them ten users and no goal.
    Raises PlanError if `url` is none.
    """
    server = service_map.components[0]
    host = server.address.host if server.address else "127.0.0.1"
    allow = () if is_loopback(host) else (host,)
    quick = quick_plan(url, connections=users, goals=goals, allow=allow)
    name = MappingEntry("name", _NOWHERE, Scalar(_NOWHERE, plan_name, plan_name))
    entries = {**quick.tree.entries, "name": name}
    if server.address and server.address.unix:
        entries["target"] = MappingEntry("target", _NOWHERE, _on_a_unix_socket(url, server.address.unix))
    del entries["trial"]  # without it the rig itself chooses how long to measure
    tree = Entries(_NOWHERE, {key: _entry_without_place(entry) for key, entry in entries.items()})
    return "\n".join(
        [
            "# Found by loadrig discover:",
            *_comments(lines(service_map)),
            "",
            text_of(tree).rstrip("\n"),
            *_other_targets(server),
            *_probes(service_map),
            "",
        ]
    )


def url_of(address: Address, path: str = "/") -> str:
    """Return the URL of an address.

    An address that listens everywhere is asked on the loopback, a Unix socket as localhost.
    """
    if address.unix:
        return f"http://localhost{path}"
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(address.host, address.host)
    return replace(address, host=host).url + path


def _on_a_unix_socket(url: str, path: str) -> Entries:
    pairs = {"url": url.partition("?")[0], "unix": path}
    options = {
        key: MappingEntry(key, _NOWHERE, Scalar(_NOWHERE, text, text, is_quoted=True))
        for key, text in pairs.items()
    }
    return Entries(_NOWHERE, {"external": MappingEntry("external", _NOWHERE, Entries(_NOWHERE, options))})


def _without_places(node: Node) -> Node:
    """Return a node with the same values and no places, which are flags of another command.

    A plan with those places would point the user to that command.
    """
    match node:
        case Entries(entries=entries):
            return Entries(_NOWHERE, {key: _entry_without_place(entry) for key, entry in entries.items()})
        case Items(items=items):
            return Items(_NOWHERE, tuple(map(_without_places, items)))
        case node:
            return replace(node, span=_NOWHERE)


def _entry_without_place(entry: MappingEntry) -> MappingEntry:
    return MappingEntry(entry.key, _NOWHERE, _without_places(entry.node))


def _other_targets(server: Component) -> list[str]:
    """Return the lines that tell how the rig can start the server instead, and so try its settings."""
    if not server.argv:
        return []
    if server.kind in ("gunicorn", "uvicorn") and (app := _app(server)):
        return [
            "",
            *_comments([TEXTS.to_be_tuned, f"target: {{{server.kind}: {quoted(app)}}}"]),
        ]
    words = ", ".join(quoted(word) for word in server.argv)
    return ["", *_comments([TEXTS.to_be_started, f"target: {{command: [{words}]}}"])]


def _app(server: Component) -> str:
    """Return the application among a Python server's arguments: "shop:app"."""
    words = server.settings.get("arguments", "").split()
    return next((word for word in words if ":" in word), "")


def _probes(service_map: ServiceMap) -> list[str]:
    stubs = dict.fromkeys(
        _STUBS[component.kind] for component in service_map.components if component.kind in _STUBS
    )
    if not stubs:
        return []
    return [
        "",
        *_comments([TEXTS.password, "probes:"]),
        *_comments(f"  - {stub}" for stub in stubs),
    ]


def _comments(texts: Iterable[str]) -> list[str]:
    return [f"# {plain(text)}".rstrip() for text in texts]
