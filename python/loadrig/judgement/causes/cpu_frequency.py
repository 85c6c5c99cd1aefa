"""The cores became slower: heat, power, or the burst credits of a small instance were used up."""

from collections.abc import Iterator

import numpy as np

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.cause import OF_ANY_LIMIT, About
from loadrig.judgement.evidence import STRONG, Claims, Hypothesis, SeriesSource, Sign, by_arithmetic
from loadrig.judgement.facts.case import Case
from loadrig.judgement.harms import drift
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.cpu_frequency import CpuFrequencyTexts

TEXTS = texts_of(CpuFrequencyTexts)

ABOUT = About("machine", "signs", harms=OF_ANY_LIMIT - {"tail"} | {"drift"})

FELL_SHARE = 0.10
"""Share by which the frequency must fall, 0 to 1: governors and turbo move it by a few percent all the
time."""

SLOWED_DEARER = 1.1
"""CPU time of a request late over early, from which on it grew with the clock: runs differ by a few
percent."""


def examine(case: Case) -> Claims:
    """Yield one hypothesis for the machine, where a core of the server became slower."""
    host = case.host
    fell, core = max(_falls(case), default=(0.0, ""))
    throttles = sum(track.grew for track in host.parts("cpu_clock.throttles").values())
    if fell < FELL_SHARE and not throttles > 0:
        return
    name, text = "cpu_clock.frequency", TEXTS.runs_frequency_had(core, show_share(1 - fell))
    if throttles > 0:
        name, text = "cpu_clock.throttles", TEXTS.heat_or_power(show_number(throttles))
    cost = drift.cpu_a_request(case)
    cost = cost[np.isfinite(cost)]
    third = cost.size // 3
    dearer, dearer_text = 0.0, ""
    grew = by_arithmetic(None, TEXTS.cpu_time_request, formula=TEXTS.no_cpu_time)
    if third:
        early, late = (float(np.median(part)) for part in (cost[:third], cost[-third:]))
        dearer = late / early
        dearer_text = TEXTS.request_took_times(show_number(dearer))
        text_of_end = TEXTS.end_took_first(dearer_text)
        formula = f"{show_duration(late)} / {show_duration(early)}"
        grew = by_arithmetic(dearer >= SLOWED_DEARER, text_of_end, formula=formula)
    signs = (Sign(True, text, SeriesSource(host.name, name, core), STRONG), grew)
    effect = f"{text}; {dearer_text}" if third else TEXTS.while_ran(text)
    bound = min(1.0, max(fell, 1 - 1 / dearer)) if dearer > 1 else None
    yield Hypothesis(host.name, signs, effect, bound=bound, bound_text=dearer_text if dearer > 1 else "")


def _falls(case: Case) -> Iterator[tuple[float, str]]:
    """Yield the share by which the frequency of each core of the server fell, 0 to 1, and the core.

    The frequency is read every ten seconds.
    """
    cores = case.host.parts("cpu_clock.frequency")
    own = {f"cpu{core}" for core in case.server.cpus} & cores.keys()
    for core in own or cores:
        frequency = cores[core].inside
        is_read = frequency.size >= 2 and frequency[0] > 0
        yield (float(1 - frequency[-1] / frequency[0]) if is_read else 0.0), core
