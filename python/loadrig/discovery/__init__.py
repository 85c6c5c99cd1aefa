"""Discovery of the server at an address or a pid, its settings, and what it talks to, from /proc alone.

A look changes nothing and sends nothing: a database is known by its process, or, where it runs
elsewhere, by its port. Whoever watches a server makes a `ComponentFinder` and lets it look again and again;
`discover` does so for a short while. Secrets are masked before anything leaves this room.
"""

from loadrig.discovery.find import describe_server, discover, find_server
from loadrig.discovery.finder import ComponentFinder
from loadrig.discovery.map import MapEdge, ServiceMap, document_of

__all__ = [
    "ComponentFinder", "MapEdge", "ServiceMap", "describe_server", "discover", "document_of", "find_server",
]  # fmt: skip
