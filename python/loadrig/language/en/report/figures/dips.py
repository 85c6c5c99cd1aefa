class DipFigureTexts:
    """Sentences about dips of throughput."""

    title = "Dips, and what happened then"
    good_answers = "good answers"
    level_without_dips = "level without dips"
    throughput = "Throughput"
    good_answers_a_second = "good answers a second"
    lost_title = "Lost"
    lacks_to_level = "what lacks to the level"
    below_level = "below the level"
    lost = "lost"
    lanes_title = "Dips beside what happened"
    about_lanes = (
        "Each tick is a dip, or a burst of what happened; its height is its size. A lane whose ticks"
        " stand under those of the first, all of them and no others, is what made the dips, or was made"
        " by the same."
    )
    dips_lane = "dips"

    def below_level_by(self, share: str) -> str:
        return f"{share} below the level"

    then = "then"
    level = "level"
    what_happened = "what happened"
    dips_with_it = "dips with it"
    dips_with_it_meaning = "Share of the dips that have a burst of it within a second or two."
    it_with_dips = "it with dips"
    it_with_dips_meaning = "Share of its bursts that have a dip."
    alone = "alone"
    alone_meaning = "Share of the variance of what was lost that it alone explains."
    at_most = "at most"
    at_most_meaning = "Share of the loss that its time could make."
    p_meaning = "Share of shifts in time that look as good, corrected for the number of streams."
    caption = "What happened, laid beside the dips"

    def about(self, lasted: str, depth: str) -> str:
        return (
            f"Throughput dipped {lasted}, by {depth}. Beneath it stands what else happened, on the same"
            " axis: what makes the dips comes with each of them, and with nothing else."
        )

    def same_period_as(self, timer: str) -> str:
        return f" The period is also that of {timer}."

    def of_throughput(self, share: str) -> str:
        return f"{share} of the throughput"

    def from_on(self, start: str) -> str:
        return f"{start} on"

    def about_period(self, length: str, cycles: str) -> str:
        return (
            f"Every second of the measured part by its place in the period of {length}: median and"
            f" quartiles of {cycles} cycles. Noise would give the same in every row."
        )

    def period_title(self, length: str) -> str:
        return f"One period of {length}"

    def before(self, length: str) -> str:
        return f"{length} before"

    def after(self, length: str) -> str:
        return f"{length} after"

    def about_around(self, stream: str) -> str:
        return f"Mean throughput before, during and after {stream}. Noise would give the same in every row."

    def around_title(self, stream: str) -> str:
        return f"Around {stream}"

    def with_dips(self, share: str) -> str:
        return f"with {share} of the dips"

    def most_of_loss(self, share: str) -> str:
        return f"{share} of what was lost at most"
