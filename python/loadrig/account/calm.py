"""The account of the dips beside one of the calm: what a request waited for while the throughput was low."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from loadrig.account.growth import BLOCK_S, RequestGrowth, growth_of
from loadrig.account.load import LoadSeries, load_of
from loadrig.account.observations import Observations
from loadrig.account.read import observations_of
from loadrig.account.trial_account import Account, window
from loadrig.base.later import Later
from loadrig.recording.reader import Recording
from loadrig.recording.steps import NS

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")

BESIDE_NS = NS
"""Time before and after a dip, in nanoseconds, that counts as neither dip nor calm: probes read once a second
and blur the edges of a dip."""


@dataclass(frozen=True, slots=True)
class Dipped:
    """Accounts of the steps in a dip and of the steps between dips, and what grew at the loaded server.

    growth: None where dips or calm are too short for an interval.
    """

    dips: Account
    calm: Account
    growth: RequestGrowth | None


def dipped(recording: Recording, spans: Iterable[tuple[int, int]]) -> Dipped | None:
    """Return the accounts of dips and calm of a trial; None as for `beside`, or where it has no account.

    spans: from when to when each dip lasted, in nanoseconds of the recording's clock. Each dip is one step,
    and so is each calm between two dips: intervals come from what varies from dip to dip, not from what
    varies within a dip.
    """
    dips = list(spans)
    edges = [(from_ns - BESIDE_NS, from_ns, to_ns, to_ns + BESIDE_NS) for from_ns, to_ns in dips]
    load = load_of(recording, [at for four in edges for at in four])
    return None if load is None else beside(observations_of(recording, load), load, dips)


def beside(
    tiers: Sequence[Observations], load: LoadSeries, spans: Iterable[tuple[int, int]]
) -> Dipped | None:
    """Return the accounts of dips and calm; None where dips or calm have no step in which a request ended.

    A step is in a dip if its middle is; a second before or after a dip is in neither.
    """
    middle = (load.edges_ns[:-1] + load.edges_ns[1:]) // 2
    is_low, is_calm = load.is_measured & False, load.is_measured
    for from_ns, to_ns in spans:
        is_low = is_low | (load.is_measured & (middle >= from_ns) & (middle < to_ns))
        is_calm = is_calm & ((middle < from_ns - BESIDE_NS) | (middle >= to_ns + BESIDE_NS))
    dips, calm = window(tiers, load, is_low, BLOCK_S), window(tiers, load, is_calm, BLOCK_S)
    server = next((component for component in tiers if component.is_loaded), None)
    if dips is None or calm is None or server is None:
        return None
    return Dipped(dips, calm, growth_of(server, load, is_calm, is_low))
