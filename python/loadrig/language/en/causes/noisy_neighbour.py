class NoisyNeighbourTexts:
    """Sentences about somebody else who takes the cores of the server."""

    title = "somebody else takes the cores that the server runs on"
    mend = (
        "find it (top, pidstat) and move it, or hold it on other cores (taskset) or back (nice, cpu.weight)"
    )
    decides = "the same load while the other one stands still, or on cores of its own"

    def took(self, what: str, used: str, cores: str, program: str, got: str) -> str:
        return f"{what} took {used} of the {cores} of {program}, which got {got}"

    def would_have_kept_up(self, need: str, cores: str, program: str) -> str:
        return f"what was due needs {need} of {cores}: alone {program} would have kept up"

    def formula_of_need(self, used: str, ended: str, offered: str, need: str) -> str:
        return f"{used} cores / {ended}/s * {offered}/s = {need}"
