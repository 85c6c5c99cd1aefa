"""Sentences of `fleet` in English, a class for each of its files."""


class FleetTexts:
    """Sentences of `fleet.fleet`."""

    def generator_lost(self, name: str, host: str, how: str) -> str:
        return f"generator {name} of the fleet, on {host}, was lost ({how}), so the load was ended"
