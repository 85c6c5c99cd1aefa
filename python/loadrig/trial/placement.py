"""Cores for the generator and for the target, chosen so that neither disturbs the other."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from loadrig.language.choice import texts_of
from loadrig.language.en.trial.running import TrialPlacementTexts

TEXTS = texts_of(TrialPlacementTexts)


@dataclass(frozen=True, slots=True)
class Placement:
    """Cores of both sides; empty means free. note: what a person should know, or empty."""

    generator: tuple[int, ...]
    target: tuple[int, ...]
    note: str = ""


def note_beside(placement: Placement, pid: int | None) -> str:
    """Return what a person should know of a server that runs already, or empty.

    pid: the server's process; None for one that is not known, as on another machine.
    """
    mine = set(placement.generator) or os.sched_getaffinity(0)
    if pid is None or len(mine) > 1:
        return ""
    try:
        theirs = os.sched_getaffinity(pid)
    except OSError:  # it has just ended, or is another's
        return ""
    return TEXTS.core_generator_target if mine <= theirs else ""


def place(
    *,
    threads: int,
    generator: Sequence[int],
    target: Sequence[int],
    starts_target: bool,
    available: Sequence[int] | None = None,
) -> Placement:
    """Return cores as asked for; where nothing was asked, the generator apart from the target.

    threads: number of the generator's threads, a core each. generator, target: cores named in the plan.
    starts_target: only a target that the rig starts can be held on cores.
    available: cores this process may use; by default what the system says.
    """
    cores = sorted(os.sched_getaffinity(0) if available is None else available)
    if generator and target:
        shared = set(generator) & set(target)
        note = TEXTS.generator_target_share(str(min(shared))) if shared else ""
        return Placement(tuple(generator), tuple(target), note)
    if len(cores) == 1 and not starts_target:
        # Whoever held the rig on one core may hold the server on another: `note_beside` looks.
        return Placement(tuple(generator) or tuple(cores[:1] if threads == 1 else ()), ())
    if len(cores) == 1:
        return Placement(tuple(generator), tuple(target), TEXTS.core_generator_target)
    if generator:
        rest = tuple(core for core in cores if core not in generator)
        return Placement(tuple(generator), rest if starts_target else ())
    if target:
        rest = tuple(core for core in cores if core not in target)
        note = "" if rest else TEXTS.target_holds_every
        return Placement(rest[:threads], tuple(target), note)
    if not starts_target:
        return Placement((), ())
    own = min(threads, len(cores) - 1)
    return Placement(tuple(cores[:own]), tuple(cores[own:]))
