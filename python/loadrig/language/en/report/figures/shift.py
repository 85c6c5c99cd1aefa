class ShiftFigureTexts:
    """Sentences about how far each quantile moved."""

    about = (
        "Change of the response time at each share of the good answers, B as against A: level where"
        " everything is slower by the same share, rising towards p99 where only the slow answers are."
        " Dot: estimate; band: 95 % interval of each by itself; below the line is faster."
    )
    alone = "Each side is one run, so the intervals do not know how one run differs from the next."
    response = "response"
    service = "service"
    all_routes = "all routes"
    slower = "slower"
    faster = "faster"
    route = "route"
    quantile = "quantile"
    change = "change"
    interval = "95 % interval"
    caption = "Response times at each share of the good answers"

    def change_of(self, kind: str) -> str:
        return f"Change of the {kind} time"
