"""Refusals of `trial.steering` in English."""


class TrialSteeringErrors:
    """Refusals of `trial.steering`."""

    over = "the load has ended already"
    paused = "the load is paused already"
    not_paused = "the load is not paused"
    steered = "a search or an experiment steers the load of this trial"
    of_a_study = "the trials of a study must have the same load to be compared"
    no_one_level = (
        "the plan's load has no one level: it follows stages, a list of times, or is as fast as the server"
        " answers"
    )

    def too_much(self, wanted: str, most: str) -> str:
        return f"{wanted} is more than this run can be given ({most}): begin a run with a larger load"

    def no_whole_number(self, shown: str) -> str:
        return f"{shown} is no whole number of users"
