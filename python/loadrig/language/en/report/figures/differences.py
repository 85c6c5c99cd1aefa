class DifferenceTexts:
    """Sentences about differences between two sides."""

    every_measure = "Every measure"
    about_measures = (
        "Change of each measure, B as against A, all routes together. Dot: estimate; bar: 95 %"
        " interval. Of throughput more is better, of times and costs less."
    )
    more_is_better = "more is better"
    less_is_better = "less is better"
    all_at_same_mix = "all, at the same mix"
    all_routes = "all routes"
    compared = "compared"
    change_and_interval = "change and interval"
    blocks = "blocks"
    verdict = "verdict"
    p_meaning = "Two-sided, adjusted for all that were judged together (Holm)"

    def route_by_route(self, measure: str) -> str:
        return f"{measure}, route by route"

    def about_routes(self, measure: str, better: str) -> str:
        return f"Change of {measure}, B as against A. Dot: estimate; bar: 95 % interval; {better}."

    def about_routes_in_points(self, measure: str, better: str) -> str:
        return f"Change of {measure} in points, B as against A. Dot: estimate; bar: 95 % interval; {better}."

    def at_same_mix(self, measure: str) -> str:
        return f"{measure} (same mix)"

    def measure_of_route(self, measure: str, route: str) -> str:
        return f"{measure} of {route}"
