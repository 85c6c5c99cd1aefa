"""Sentences of `search_path` in English."""


class SearchPathTexts:
    """Sentences about the path of a tuning."""

    title = "The search, trial by trial"
    trial = "trial"
    recommended = ", recommended"
    is_base = ", the base"
    missed_goal = ", missed a goal"

    def reached(self, index: int, stage: str, setting: str, value: str, remark: str) -> str:
        return f"trial {index}, {stage}: {setting}: {value}{remark}"

    def about(self, measure: str) -> str:
        return (
            f"Each mark is a trial: the {measure} of its setting, in the order in which they ran. Ring: the"
            " base; filled: the recommended setting; cross: missed a goal. The last stage alone decides."
        )
