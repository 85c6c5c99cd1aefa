class TimeChartTexts:
    """Sentences about what all charts over time share."""

    line = "line"
    least = "least"
    median = "median"
    greatest = "greatest"

    def merged(self, length: str, frames: int) -> str:
        return (
            f" Each point is {length}; the pale band holds the least and the greatest of its {frames}"
            " frames, so no peak or dip is lost."
        )
