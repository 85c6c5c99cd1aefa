"""A number that travels with its unit, its interval, its count and its warnings."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measured number and how well it is known.

    value: the point estimate, in `unit`.
    unit: "1/s", "s", "B", "1" (a share 0…1), "cores", …; seconds and bytes without prefixes.
    low, high: the confidence interval, or both None where none can be given.
    n: how many observations it rests on (requests, seconds, blocks: `of` says which).
    warnings: sentences to print under the number, once.
    """

    value: float
    unit: str
    low: float | None = None
    high: float | None = None
    n: int = 0
    of: str = "requests"
    confidence: float = 0.95
    warnings: tuple[str, ...] = ()
