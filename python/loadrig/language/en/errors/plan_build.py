from collections.abc import Sequence

from loadrig.base.error_words import ErrorWords


class PlanBuildErrors:
    """Errors of `plan.build`."""

    def two_requests_same_name(self, name: str) -> ErrorWords:
        return ErrorWords(
            what=f"two requests are named {name!r}",
            mend=f"rename one of them, such as {name!r} to {name + ' again'!r}",
            why="reports and goals tell routes by their names",
        )

    def nothing_listed(self, key: str) -> ErrorWords:
        return ErrorWords(what=f"{key} is empty", mend=f"write at least one: {key}: [{{get: /}}]")

    def too_many_steps(self, steps: str, most: str) -> ErrorWords:
        return ErrorWords(
            what=f"the load has {steps} steps; at most {most} can be made",
            mend="write a greater add, or a ramp: stages: [{to: 100, over: 30s}]",
        )

    def least_above_most(self, key: str, least: str, most: str) -> ErrorWords:
        return ErrorWords(
            what=f"{key} takes at least {least} and at most {most}",
            mend=f"raise at_most to {least}, or lower at_least",
        )

    def unknown_strategy(self, name: str, strategies: Sequence[str], close: str | None) -> ErrorWords:
        return ErrorWords(
            what=f"there is no strategy {name!r}",
            mend=f"write {close}" if close else f"write {' or '.join(strategies)}",
            why=f"there are {', '.join(strategies)}",
        )

    def unknown_probe(self, name: str, probes: str, close: str | None) -> ErrorWords:
        return ErrorWords(
            what=f"there is no probe {name!r}",
            mend=f"write {close}" if close else "write one of them, or all",
            why=f"there are {probes}",
        )
