"""Means of a window with resamples of it: the same steps drawn again in blocks, for intervals of any line."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from loadrig.account import split
from loadrig.account.load import LoadSeries
from loadrig.account.observations import Observations
from loadrig.base.later import Later
from loadrig.recording.steps import Bools, Floats

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")

RESAMPLES = 400
"""Number of resamples of the window: the standard deviation of that many is known within 4 %."""

FEWEST_STEPS = 3
"""Least number of steps: with fewer their variation is unknown, and no interval is given."""

CONFIDENCE = 0.95


@dataclass(frozen=True, eq=False)
class Draw:
    """Steps of a window and how often each is drawn. is_in: bool[n], steps of the window.

    weights: float64[k, m], seconds of each of its m steps in the window itself and in each resample. rate:
    float64[k], requests that ended, per second. blocks: how many independent stretches there are.
    """

    is_in: Bools
    weights: Floats
    rate: Floats
    blocks: int

    def mean(self, values: "Floats | None") -> "Floats | None":
        """Return the mean over time of each draw; None where nothing is known in the window.

        A step whose value is unknown counts as the mean of the others.
        """
        if values is None:
            return None
        inside = values[self.is_in]
        is_known = np.isfinite(inside)
        if is_known.all() and self._times.all():
            means: Floats = (self.weights @ inside) / self._times
            return means
        if not is_known.any():
            return None
        amounts = self.weights @ np.where(is_known, inside, 0.0)
        times = self.weights @ is_known.astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            means = amounts / times
        # A resample may hold no step whose value is known: it gets the mean of the window.
        return np.where(times > 0, means, means[0])

    @cached_property
    def _times(self) -> "Floats":
        """Return the seconds of each draw."""
        times: Floats = self.weights @ np.ones(self.weights.shape[1])
        return times

    def interval(self, values: Floats, open_by: float = 0.0) -> tuple[float, float] | None:
        """Return the 95 % interval of the first value; None with too few steps.

        open_by: uncertainty beside it, added either way.
        """
        if self.blocks < FEWEST_STEPS:
            return None
        from loadrig.stats.distributions import t_quantile

        # Blocks drawn with replacement vary less than blocks do, by (b - 1) / b.
        spread = float(values[1:].std()) * (self.blocks / (self.blocks - 1)) ** 0.5
        half = t_quantile((1 + CONFIDENCE) / 2, self.blocks - 1) * spread + open_by
        return float(values[0]) - half, float(values[0]) + half


def draw(load: LoadSeries, is_in: Bools, block_s: float = 0.0) -> Draw | None:
    """Draw the steps of a window and its resamples; None where no request ended in the window.

    block_s: time of a block at least, in seconds.
    """
    seconds, completed = load.seconds[is_in], load.completed[is_in]
    if not (seconds * completed).sum() > 0:
        return None
    n = int(seconds.size)
    times = np.ones((1, n))
    blocks = n
    if n >= FEWEST_STEPS:
        from loadrig.stats.intervals import block_length, block_weights

        in_flight = load.in_flight[is_in]
        length = block_length(in_flight - in_flight.mean())
        length = min(n, max(length, round(block_s / float(np.median(seconds)))))
        blocks = n // length
        drawn = block_weights(n, length, resamples=RESAMPLES)
        times = np.concatenate([times, drawn])
    weights = times * seconds
    total = weights.sum(axis=1)
    rate = (weights @ completed) / total
    # A resample in which no request ended tells nothing of times.
    return Draw(is_in, weights, np.where(rate > 0, rate, rate[0]), blocks)


def means_of(tier: Observations, load: LoadSeries, window: Draw) -> split.Means:
    """Return the mean numbers of a component in a window."""
    mean = window.mean
    running, runnable, stood = mean(tier.running), mean(tier.runnable), mean(tier.throttled_s)
    background = np.zeros(1)
    if tier.background is not None:
        background = _or_zero(mean(tier.background.running))
        if runnable is not None:
            runnable = np.maximum(0.0, runnable - _or_zero(mean(tier.background.runnable)))
    throttled = None
    if runnable is not None and stood is not None:
        own = running if running is not None else np.zeros(runnable.size)
        throttled = split.throttled_of(runnable, own, stood, tier.cores or 1.0)
    calls = []
    for call in tier.calls:
        connecting, awaiting, unread = map(mean, (call.connecting, call.awaiting, call.answer_unread))
        if connecting is not None and awaiting is not None and unread is not None:
            tied = mean(call.stages.get("tied"))
            open_by = 0.0 if tied is None else float(tied[0])
            held = mean(call.stages.get("in_transaction"))
            calls.append(split.Call(call.of, connecting, awaiting, unread, open_by, held))
    return split.Means(
        total=mean(tier.total),
        generator=mean(load.generator) if tier.is_loaded else None,
        connecting=mean(load.connecting) if tier.is_loaded else None,
        accept_queue=mean(tier.accept_queue),
        unread=mean(tier.unread),
        in_hand=mean(tier.in_hand),
        sending=mean(tier.sending),
        abandoned=mean(tier.abandoned),
        tied=mean(tier.tied),
        calls=tuple(calls),
        running=running if running is None else np.maximum(0.0, running - background),
        runnable=runnable,
        background=background,
        throttled=throttled,
        disk=mean(tier.disk),
        is_multiplexed=tier.is_multiplexed,
        reads_apart=tier.threads.reads_apart,
    )


def _or_zero(values: "Floats | None") -> Floats:
    return np.zeros(1) if values is None else values
