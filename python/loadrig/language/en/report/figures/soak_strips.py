"""Sentences of `soak_strips` in English."""


class SoakStripTexts:
    """Sentences about the strips of a soak."""

    title = "The whole soak"
    about = (
        "Everything over the same time. Levels are what was held least in each of some stretches, so"
        " that what is freed soon is left out."
    )
    dashed_line = " A dashed line has the slope that was found, its pale band the interval."
    at_its_slope = "at its slope"
    median = "median"
    steady = "steady"
    red_missed_goal = "; red: stretches that missed a goal"
    latency = "Latency"
    step = "a step"
    drifted_routes = "Median latency of routes that drifted"
    asked_for = "asked for"
    good_answers = "good answers"
    failed = "failed"
    pale_band = "pale: the least and the greatest second of each point"
    throughput = "Throughput"
    where_it_ends = "Where it ends"
    measured = "seen"
    carried_on = "carried on"
    end_of_soak = "end of the soak"

    def leaks(self, size: str) -> str:
        return f"leaks {size}"

    def limit_in(self, time: str) -> str:
        return f"; its limit in {time}"

    def level_of(self, what: str, component: str) -> str:
        return f"{what} of {component}"

    def limit(self, limit: str, amount: str) -> str:
        return f"{limit}, {amount}"

    def goal_missed(self, goal: str, worst: str) -> str:
        return f"{goal}: missed, {worst}"

    def dip_by(self, depth: str) -> str:
        return f"a dip by {depth}"

    def about_end(self, limit: str, time: str) -> str:
        return (
            f"The same growth carried on, if the load goes on as it was: {limit} is reached {time} after"
            " the end of the soak. The pale band is the interval of the slope."
        )
