"""Sentences of `noisy_neighbour` in English."""


class NoisyNeighbourTexts:
    """Sentences of `causes.noisy_neighbour`."""

    title = "somebody else takes the cores that the server runs on"
    no_proof = (
        "who takes the cores is not ours; run it again while the machine is quiet, or on cores of its own"
    )
    find_top_pidstat = (
        "find it (top, pidstat) and move it, or hold it on other cores (taskset) or back (nice, cpu.weight)"
    )
    decides = "the same load while the other one stands still, or on cores of its own"

    def effect(self, what: str, used: str, cores: str, name: str, mean: str) -> str:
        return f"{what} took {used} of the {cores} of {name}, which got {mean}"

    def what_due_needs(self, need: str, cores: str, name: str) -> str:
        return f"what was due needs {need} of {cores}: alone {name} would have kept up"

    def cores_s_s(self, ours: str, ended_rps: str, offered_rps: str, need: str) -> str:
        return f"{ours} cores / {ended_rps}/s * {offered_rps}/s = {need}"
