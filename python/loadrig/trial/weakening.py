"""Table of which check weakens which claims, and by how much.

Facts stand whatever the machine does. Ratios inside one window stand under steal, which slows both sides of
them alike. Rates, times and tails are off by the time that was taken away. Only a generator that fell short
of its schedule takes the claims about the load away, and then the trial says how much was sent.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from loadrig.base.claims import CLAIMS, Claim, Effect, Weakened, graver, together
from loadrig.base.rig_limits import Level
from loadrig.trial.reasons import Reason

BOTH: tuple[Level, ...] = ("disturbed", "grave")
FIGURES: tuple[Claim, ...] = ("rates", "times", "tails")

MOST_WIDER = 0.5
"""Share, 0 to 1, above which an amount takes a claim away: the figure is then not known within a factor of
two, and no two settings or causes that matter differ by more."""


@dataclass(frozen=True, slots=True)
class ClaimRule:
    """Effect of one check on some claims, where the check says one of these levels."""

    check: str
    levels: tuple[Level, ...]
    claims: tuple[Claim, ...]
    effect: Effect


TABLE: tuple[ClaimRule, ...] = (
    # The generator did not send what was due: nothing is known of the server under that load.
    ClaimRule("G1", ("disturbed",), ("load",), "wider"),
    ClaimRule("G1", ("grave",), ("load",), "lost"),
    ClaimRule("G1", BOTH, ("tails",), "doubtful"),
    ClaimRule("G5", ("disturbed",), ("load", "tails"), "doubtful"),
    ClaimRule("G5", ("grave",), ("load",), "lost"),
    ClaimRule("G5", ("grave",), ("tails",), "doubtful"),
    ClaimRule("G6", ("disturbed",), ("load",), "doubtful"),
    ClaimRule("G6", ("grave",), ("load",), "lost"),
    ClaimRule("G7", ("disturbed",), ("load", "tails"), "doubtful"),
    ClaimRule("G7", ("grave",), ("load",), "lost"),
    # The generator was late, or time was taken from it or from the server: figures in seconds are off by that
    # time.
    ClaimRule("G2", BOTH, ("times", "tails"), "wider"),
    ClaimRule("G4", BOTH, FIGURES, "wider"),
    ClaimRule("G14", BOTH, FIGURES, "wider"),
    # The generator was near its own limit: the server may be able to do more.
    ClaimRule("G3", BOTH, ("rates",), "doubtful"),
    ClaimRule("G10", BOTH, ("rates",), "doubtful"),
    # The generator's own accounts, or a second generator, give other figures.
    ClaimRule("G9", BOTH, FIGURES, "wider"),
    ClaimRule("G13", BOTH, FIGURES, "wider"),
    # What was measured is not what was asked for, or not all of one kind.
    ClaimRule("G8", BOTH, ("times", "tails"), "doubtful"),
    ClaimRule("G11", BOTH, ("load",), "doubtful"),
    ClaimRule("G12", BOTH, FIGURES, "doubtful"),
    ClaimRule("G16", BOTH, ("ratios", *FIGURES), "wider"),
    ClaimRule("G16", BOTH, ("load",), "doubtful"),
    # A part of the load was not as dealt, though the sum may look well.
    ClaimRule("G18", BOTH, ("load", "tails"), "doubtful"),
    ClaimRule("clock", BOTH, ("times",), "doubtful"),
    ClaimRule("imported", BOTH, ("load", *FIGURES), "doubtful"),
)
"""Rules by check. Of all that apply to a claim, the gravest effect holds. G15 and G17 are at most notes."""

STALLS = frozenset({"G4"})
"""Checks whose share is time in which nothing ran: that share of the requests met a stand-still, and the
slowest requests may be only those. See trial.widening."""


def weakened(reasons: Iterable[Reason]) -> tuple[Weakened, ...]:
    """Return the claims that these reasons weaken, in the order of CLAIMS."""
    disturbing = [reason for reason in reasons if reason.level in BOTH]
    weakenings = (_weakened(claim, disturbing) for claim in CLAIMS)
    return tuple(weak for weak in weakenings if weak is not None)


def stalled_share(reasons: Iterable[Reason]) -> float:
    """Return the share of the time in which the generator or its machine stood still, 0 to 1."""
    return together(reason.by or 0.0 for reason in reasons if reason.check in STALLS)


def _weakened(claim: Claim, reasons: Sequence[Reason]) -> Weakened | None:
    effects = [
        (row.effect, reason)
        for reason in reasons
        for row in TABLE
        if row.check == reason.check and reason.level in row.levels and claim in row.claims
    ]
    if not effects:
        return None
    effect: Effect = "wider"
    for candidate, _ in effects:
        effect = graver(effect, candidate)
    amounts = [reason.by for candidate, reason in effects if candidate == "wider" and reason.by is not None]
    by = together(amounts) if amounts else None
    main = max((pair for pair in effects if pair[0] == effect), key=lambda pair: pair[1].by or 0.0)[1]
    if by is not None and by > MOST_WIDER:
        effect = "lost"
    checks = dict.fromkeys([main.check, *(reason.check for _, reason in effects)])
    return Weakened(claim, effect, by, tuple(checks), main.text)
