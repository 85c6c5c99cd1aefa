"""Sentences of `fleet` in English, a class for each of its files."""


class FleetTableTexts:
    """Sentences of `report.sections._fleet`."""

    caption = "Generators of the fleet, over the whole load"
    name = "generator"
    host = "host"
    requests = "requests"
    lag = "lag p99"
    lag_doc = "from when a request was due until it was taken up, by the slowest 1 % of its requests"
    busiest = "busiest thread"
    clock = "clock"
    clock_doc = "by how much an instant on that host may be off, once its clock is corrected"

    labels_caption = "Hosts of the fleet by label, over the whole load"
    label = "label"
    generators = "generators"
    due = "due"
    unsent = "unsent"
    ok = "answered well"
    p50 = "p50"
    p99 = "p99"
    times_doc = "from when a request was due until it was answered well"

    def lost(self, name: str) -> str:
        return f"{name}, lost"

    def replaced(self, name: str) -> str:
        return f"{name}, lost and replaced"

    def latest_of(self, shown: str, all_of_them: str) -> str:
        return f"the {shown} that were latest, of {all_of_them}; result.json has all"

    def orders_reached(self, longest: str) -> str:
        return f"an order reached all of them within {longest}"
