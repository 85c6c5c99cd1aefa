"""Whether a fault does harm: harm decides the truth, not the switch."""

from collections.abc import Mapping
from typing import Any

LOST_SHARE, SLOWER, SLOWER_MS, FAILED_SHARE = 0.15, 2.0, 2.0, 0.005
"""Least harm that counts: throughput lost, p99 so many times as long and at least so much longer, requests
failed."""

Figures = Mapping[str, Any]


def harms(figures: Figures, twin: Figures) -> list[str]:
    """Return what a case costs against its healthy twin, in words; empty where it counts as healthy.

    Where both had the same requests due a twin that worked off a backlog is no measure: what was due is.
    """
    usual = min(twin["ok_rps"], twin["offered_rps"])
    texts = []
    if usual and figures["ok_rps"] <= (1 - LOST_SHARE) * usual:
        texts.append(f"throughput {figures['ok_rps'] / usual - 1:+.0%}")
    slow, quick = figures["p99_ms"], twin["p99_ms"]
    if slow and quick and slow >= SLOWER * quick and slow - quick >= SLOWER_MS:
        texts.append(f"p99 ×{slow / quick:.1f} ({quick:.1f} → {slow:.1f} ms)")
    if figures["failed_share"] >= twin["failed_share"] + FAILED_SHARE:
        texts.append(f"{figures['failed_share']:.1%} failed")
    return texts
