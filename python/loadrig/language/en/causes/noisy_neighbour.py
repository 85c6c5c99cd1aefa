"""Sentences of `noisy_neighbour` in English."""


class NoisyNeighbourTexts:
    """Sentences about somebody else who takes the cores of the server."""

    title = "another program uses the cores that the server runs on"
    mend = (
        "find the other program (top, pidstat) and move it, pin it to other cores (taskset) or"
        " lower its priority (nice, cpu.weight)"
    )
    decides = "the same load while the other program is stopped, or on cores of its own"

    def took(self, what: str, used: str, cores: str, program: str, got: str) -> str:
        return f"{what} took {used} of the {cores} of {program}, which got {got}"

    def would_have_kept_up(self, need: str, cores: str, program: str) -> str:
        return f"the requested load needs {need} of {cores}: alone {program} would have kept up"

    def formula_of_need(self, used: str, ended: str, offered: str, need: str) -> str:
        return f"{used} cores / {ended}/s * {offered}/s = {need}"
