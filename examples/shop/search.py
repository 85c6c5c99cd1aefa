"""Ranking of products by likeness to what a customer typed: the shop's own CPU work.

Trigrams, as PostgreSQL's pg_trgm has them: words padded with two blanks before and one after, cut in
threes; likeness is the share of threes that both have. Misspelt words are found: "wallnut bnech".
"""

from collections.abc import Sequence

from database import Product


def trigrams(text: str) -> frozenset[str]:
    """Return the threes of a text: "oak" gives "  o", " oa", "oak", "ak "."""
    trigrams = set()
    for word in text.lower().split():
        padded = f"  {word} "
        trigrams.update(padded[i : i + 3] for i in range(len(padded) - 2))
    return frozenset(trigrams)


def likeness(a: frozenset[str], b: frozenset[str]) -> float:
    """Jaccard's index, 0 to 1; 0 when both are empty."""
    either = len(a | b)
    return len(a & b) / either if either else 0.0


def rank(query: str, products: Sequence[Product], most: int = 10) -> list[tuple[float, Product]]:
    """Return the products most like the query, best first, those without any likeness left out.

    Trigrams of the names are not kept between requests: this is the work that the demo loads.
    """
    wanted = trigrams(query)
    scored = [(likeness(wanted, trigrams(product.name)), product) for product in products]
    matches = [pair for pair in scored if pair[0] > 0]
    matches.sort(key=lambda pair: (-pair[0], pair[1].id))
    return matches[:most]
