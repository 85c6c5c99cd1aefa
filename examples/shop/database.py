"""The shop's database: rows in memory, and a wait that stands in for the network and the disk.

What a web application mostly does is wait for something else. Here that is a sleep, so that the demo
needs no database to be installed and its wait is known: `QUERY_S` for each query, without any CPU.
The rows are the same in every process; what customers do is kept in their cookies and tokens, so
that any number of workers is one shop.
"""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import product as combinations
from typing import Any

QUERY_S = 0.010
"""A query over a local network: 1 to 2 ms of work at the database, the rest is the way and a disk
read. Long beside the shop's own work, as in most applications."""

COLOURS = ("amber", "black", "blue", "copper", "cream", "green", "grey", "ivory", "red", "white")
MATERIALS = ("ash", "cotton", "glass", "leather", "linen", "oak", "steel", "stone", "walnut", "wool")
THINGS = ("bench", "bowl", "chair", "chest", "desk", "lamp", "shelf", "table")


@dataclass(frozen=True)
class Product:
    """One thing on sale. price_cents: in hundredths of the currency, so that sums are exact."""

    id: int
    name: str
    price_cents: int
    stock: int

    def to_json(self) -> dict[str, Any]:
        """As the JSON pages show it."""
        return asdict(self)


class Database:
    """800 products and one customer. query_s: how long each query waits; tests set 0."""

    def __init__(self, query_s: float = QUERY_S) -> None:
        self.query_s = query_s
        names = (" ".join(words) for words in combinations(COLOURS, MATERIALS, THINGS))
        self._products = tuple(
            Product(id=n, name=name, price_cents=990 + (n * 37) % 20_000, stock=1 + (n * 7) % 40)
            for n, name in enumerate(names, start=1)
        )
        self._passwords = {"ada": "lovelace"}

    def all_products(self) -> Sequence[Product]:
        """Every product, in the order of their numbers: one query."""
        self._wait()
        return self._products

    def product(self, number: int) -> Product | None:
        """Return one product, or None if there is none of this number: one query."""
        self._wait()
        return self._products[number - 1] if 1 <= number <= len(self._products) else None

    def products(self, numbers: Sequence[int]) -> list[Product]:
        """Those of the products that exist, in the order asked for: one query."""
        self._wait()
        return [self._products[n - 1] for n in numbers if 1 <= n <= len(self._products)]

    def password_of(self, customer: str) -> str | None:
        """Compare the password as it is, in one query; a real shop would keep a salted hash."""
        self._wait()
        return self._passwords.get(customer)

    def _wait(self) -> None:
        if self.query_s:
            time.sleep(self.query_s)
