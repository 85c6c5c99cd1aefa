class LatencyHeatmapTexts:
    """Sentences about answers by time and latency."""

    response = "response"
    service = "service"
    latency = "latency"
    answers = "answers"
    share = "share"
    title = "Where the answers lie"

    def between(self, low: str, high: str) -> str:
        return f"{low} to {high}"

    def caption(self, kind: str) -> str:
        return f"Good answers by {kind} time, over the whole trial"

    def about(self, kind: str) -> str:
        return (
            f"Each cell counts the good answers of a moment and a range of {kind} times; darker on white"
            " (brighter on black) is more, on a logarithmic scale."
        )
