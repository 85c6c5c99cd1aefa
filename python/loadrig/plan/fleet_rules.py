"""Rules of a fleet: how many generators make the load of a trial, and where."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from loadrig.base.shape import option
from loadrig.base.units import Count


@dataclass(frozen=True, slots=True)
class FleetRules:
    """Generators that make the load of a trial together, each its part of it."""

    SHORT = "generators"
    generators: Count = option(
        "How many make the load together, each its part: the rate, users and connections stay those of the "
        "whole load.",
        default=Count(2),
        low=1,
        example="4",
    )
    ray: str | None = option(
        "Ray cluster that has the hosts: `auto` for the one that this machine belongs to, else a new one, or "
        "its address; by default the generators are processes of this machine, which make the same load, are "
        "ready sooner and take less memory.",
        default=None,
        example="auto",
    )
    spread: Literal["strict", "pack"] = option(
        "Whether each generator has a host of its own (`strict`) or they share as few as have room (`pack`); "
        "with Ray.",
        default="pack",
    )
    mergers: Count | None = option(
        "How many put the generators' frames together before one puts all together, `1` for none before it; "
        "by default one for each thousand generators, where there are more than 1,500.",
        default=None,
        low=1,
        example="4",
    )
    labels: Mapping[str, str] = option(
        "What a host is called together with others, such as its region, by its name or address; in place of "
        "the labels that Ray gives it.",
        factory=dict,
        example="{10.0.0.5: eu, 10.0.0.6: us}",
    )
    unguarded: bool = option(
        "Whether to join a cluster whose head asks nobody who they are and listens to more than its machine; "
        "who reaches it runs programs on every host.",
        default=False,
    )
    cpus: Count = option("Cores that Ray keeps free for each generator.", default=Count(1), low=1)
