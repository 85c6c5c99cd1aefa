"""Sentences of `flame_graph` in English."""


class FlameGraphTexts:
    """Sentences about a flame graph."""

    cpu_time = "CPU time"
    time = "time"
    what_grew = "“What grew” compares the shares at high load with those at low load."
    functions = "Functions by self time"

    def about(self, time: str) -> str:
        return (
            f"Each bar is a function, as wide as its share of the {time}, under its caller. The program's own"
            " code is set apart by colour and bold type. A click or Enter zooms in, Escape out; arrows walk."
        )

    def title(self, component: str, time: str) -> str:
        return f"Where {component} spends its {time}"
