"""Whether a fault does harm: harm decides the truth, not the switch."""

from collections.abc import Mapping
from typing import Any

LOST_SHARE, SLOWER, SLOWER_MS, FAILED_SHARE = 0.15, 2.0, 2.0, 0.005
"""Least harm that counts: throughput lost, p99 so many times as long and at least so much longer, requests
failed."""

KEEPS_UP = 0.97
"""Good answers over requests due, from which on a twin keeps up: below it its requests queue for as long as
it is loaded, and a case is loaded for longer."""

Figures = Mapping[str, Any]


def harms(figures: Figures, twin: Figures) -> list[str]:
    """Return what a case costs against its healthy twin, in words; empty where it counts as healthy.

    Where both had the same requests due a twin that worked off a backlog is no measure: what was due is.
    Of a twin that does not keep up neither p99 nor time-outs are compared: they follow from how long it ran.
    """
    usual = min(twin["ok_rps"], twin["offered_rps"])
    texts = []
    if usual and figures["ok_rps"] <= (1 - LOST_SHARE) * usual:
        texts.append(f"throughput {figures['ok_rps'] / usual - 1:+.0%}")
    slow, quick = figures["p99_ms"], twin["p99_ms"]
    keeps_up = twin["ok_rps"] >= KEEPS_UP * twin["offered_rps"]
    if keeps_up and slow and quick and slow >= SLOWER * quick and slow - quick >= SLOWER_MS:
        texts.append(f"p99 ×{slow / quick:.1f} ({quick:.1f} → {slow:.1f} ms)")
    failed = _failed_share(figures, with_timeouts=keeps_up)
    if failed >= _failed_share(twin, with_timeouts=keeps_up) + FAILED_SHARE:
        texts.append(f"{failed:.1%} failed")
    return texts


def _failed_share(figures: Figures, *, with_timeouts: bool) -> float:
    """Return the share of requests that failed, with or without those that were given up, 0 to 1."""
    outcomes = figures.get("outcomes", {})
    given_up = 0 if with_timeouts else outcomes.get("timeout", 0)
    return float(figures["failed_share"] - given_up / max(1, sum(outcomes.values())))
