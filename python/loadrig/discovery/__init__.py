"""From an address or a pid to who serves there, how it is set, and what it talks to; read from /proc alone.

A look changes nothing and sends nothing: a database is known by its process, or, where it runs
elsewhere, by its port. Whoever watches a server makes a `Finder` and lets it look again and again;
`discover` does so for a short while. Secrets are masked before anything leaves this room.
"""

from loadrig.discovery.find import describe_server, discover, find_server
from loadrig.discovery.finder import Finder
from loadrig.discovery.map import Edge, ServiceMap, to_json

__all__ = ["Edge", "Finder", "ServiceMap", "describe_server", "discover", "find_server", "to_json"]
