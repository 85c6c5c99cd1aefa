"""Servers beside the target, which requests name: their addresses, and names that no server has."""

from collections.abc import Mapping

from loadrig.base import members
from loadrig.base.running import Address
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.plan_checks import PlanServersErrors
from loadrig.plan.draft import Draft
from loadrig.plan.node import Entries, Node, Scalar, at
from loadrig.plan.reader import Reader

ERRORS = texts_of(PlanServersErrors)

MOST_SERVERS = 100
"""Largest number of servers beside the target. Each thread of the generator looks at all in every turn."""


def read_servers(reader: Reader, node: Node | None) -> Mapping[str, Address]:
    """Return the addresses of the servers by their names; note what is no address."""
    if isinstance(node, Entries) and len(node.entries) > MOST_SERVERS:
        reader.reject(ERRORS.too_many(MOST_SERVERS), code="plan.out-of-range", where=node.span)
    addresses: dict[str, Address] = {}
    for entry in node.entries.values() if isinstance(node, Entries) else ():
        if not isinstance(entry.node, Scalar) or not reader.is_clean(entry.node):
            continue
        try:
            addresses[entry.key] = Address.of_url(entry.node.text)
        except ValueError:
            wording = ERRORS.no_address(entry.key, entry.node.text)
            reader.reject(wording, code="plan.url", where=entry.node.span)
    return addresses


def check_servers(draft: Draft) -> None:
    """Note requests that name a server which the plan has not."""
    node = draft.node("servers")
    names = list(node.entries) if isinstance(node, Entries) else []
    for _, request in draft.requests():
        named = at(request, "server")
        if not isinstance(named, Scalar) or named.text in names or not draft.reader.is_clean(named):
            continue
        wording = ERRORS.unknown_server(named.text, ", ".join(names), members.nearest(named.text, names))
        draft.reader.reject(wording, code="plan.unknown-server", where=named.span)
