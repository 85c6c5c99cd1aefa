class CpuTimeFigureTexts:
    """Sentences about CPU time by what it was spent on."""

    title = "CPU time by what it was spent on"
    about = (
        "Each bar is the CPU time that was seen, divided by what it was spent on. Own code is the"
        " program's, with what the language does for it; other is by the name of its library."
    )
    component = "component"
    spent_on = "CPU time spent on"
    share = "share"
    samples = "samples"
    of_it = "of it"

    def part(self, component: str, share: str, words: str, samples: str) -> str:
        return f"{component}: {share} {words}, {samples} samples"

    def samples_by(self, samples: str, profiler: str) -> str:
        return f"{samples} samples by {profiler}"
