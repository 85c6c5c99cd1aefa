"""Sentences of `target`, a class for each of its files."""


class TargetKnobsTexts:
    """Sentences of `target._knobs`: what a knob of a plan does, where the plan itself says nothing."""

    application = "the application"
    command = "the command"

    def cores_held_on(self, owner: str) -> str:
        return f"How many cores {owner} is held on."

    def quota_in_cores(self, owner: str) -> str:
        return f"The quota of CPU that {owner} has, in cores."

    def passed_by(self, way: str, owner: str) -> str:
        return f"{way} of {owner}"

    def in_the_files(self, hole: str, owner: str) -> str:
        return f"{hole} in the files of {owner}"
