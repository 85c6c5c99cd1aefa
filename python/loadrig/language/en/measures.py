"""Sentences of `measures` in English, a class for each of its files."""


class MeasuresErrorsTexts:
    def requests_never_sent(self, number: str) -> str:
        return f"{number} requests were never sent; of which route they were is not known"


class MeasuresMemoryTexts:
    rss_warning = "RSS, not PSS: pages that processes share are counted once for each of them"
    shared_warning = (
        "PSS was not read in the measured window: RSS there, less what was shared {away:.2g} s away"
    )


class MeasuresQuantileTexts:
    def slowest_them_takes(self, name: str, n: str, counted: str, least: str) -> str:
        return f"{name} of {n} {counted} is the slowest of them; it takes at least {least}"

    def rests_above_know(self, name: str, above: str, counted: str, enough: str, n: str) -> str:
        return (
            f"{name} rests on {above} {counted} above it: to know it to ±10 % takes about {enough}"
            f" {counted}, there are {n}"
        )

    def upper_end_interval(self, name: str) -> str:
        return f"the upper end of {name}'s interval is the slowest seen; the true one may be higher"

    def lie_fewer_than(self, counted: str, frames_for_blocks: str, name: str) -> str:
        return (
            f"the {counted} lie in fewer than {frames_for_blocks} frames: the interval of {name} takes them"
            " for independent; measure longer"
        )


class MeasuresStepsTexts:
    def measured_window_has(self, n: str, is_singular: bool) -> str:
        return (
            f"the measured window has {n} frame{'' if is_singular else 's'}: its interval supposes that"
            " requests come independently of each other; measure longer"
        )

    def lie_fewer_than(self, what: str) -> str:
        return f"the {what} lie in fewer than three frames: no interval can be given; measure longer"
