class TradeoffTexts:
    """Sentences about a second measure against the objective."""

    recommended_remark = ", recommended"
    misses_goal = ", misses a goal"
    on_front = ", on the front"
    unbeaten = "no other setting beats it in both"
    recommended = "recommended"
    caption = "Settings that no other beats in both"

    def about(self, measure: str, second: str) -> str:
        return (
            "A mark a setting that was tried. The line joins those that no other beats in both"
            f" {measure} and {second} (the Pareto front); a cross misses a goal."
        )

    def title(self, second: str, measure: str) -> str:
        return f"{second} against {measure}"

    def with_second(self, setting: str, value: str, second: str, remark: str) -> str:
        return f"{setting}: {value} with {second}{remark}"
