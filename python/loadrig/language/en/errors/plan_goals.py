from loadrig.base.error_words import ErrorWords


class PlanGoalsErrors:
    """Errors of `plan.goals`."""

    session_longer = "a session may be longer than they are"
    server_use_of_all = "what the server used is known for the whole of the measured part only"
    request_cost_of_all = "what a request cost is known for the whole of the measured part only"
    memory_of_all = "what the server held is known for the whole of the measured part only"
    length_of_stretches = "the length of a goal's stretches"

    def limit_of(self, measure: str) -> str:
        return f"the limit of {measure}"

    def goal_instead(self, goal: str) -> str:
        return f"write {goal}"

    def not_for_stretches(self, measure: str, goal: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"{measure} cannot be judged for stretches of time", mend=f"write {goal}", why=why
        )

    def no_length(self, text: str, goal: str) -> ErrorWords:
        return ErrorWords(
            what=f"{text} does not say for how long",
            mend=f"write {goal} for 30s",
            why="after for stands the length of the stretches in which it is to hold",
        )

    def too_short(self, length: str, goal: str) -> ErrorWords:
        return ErrorWords(
            what=f"{length} is too short for a goal's stretches",
            mend=f"write {goal} for 30s",
            why="the generator counts by the second",
        )

    def unknown_measure(self, name: str, measures: str, close: str | None) -> ErrorWords:
        return ErrorWords(
            what=f"there is no measure {name}",
            mend=f"write {close}" if close else "write one of these",
            why=f"there are {measures}",
        )

    def not_in_unit(self, measure: str, unit: str, text: str) -> ErrorWords:
        return ErrorWords(
            what=f"{measure} is measured in {unit}, and {text} is not a number of them",
            mend="write a number",
        )

    def not_a_goal(self, shown: str) -> ErrorWords:
        return ErrorWords(
            what=f"{shown} is not a goal",
            mend="write p95 < 500ms, errors < 0.1%, throughput > 100/s or p95{search} < 1s",
            why="a goal is a measure, < or >, and a limit with its unit",
        )
