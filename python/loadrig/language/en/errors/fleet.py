"""Errors of `fleet` in English, a class for each of its files."""

from loadrig.base.error_words import ErrorWords


class FleetErrors:
    """Errors of `fleet.fleet`."""

    ended_too_early = "it ended before it was ready"
    died_midway = "it died in the middle of the run"

    def not_ready(self, answer: str) -> str:
        return f"it answered {answer!r} instead of being ready"

    def silent_for(self, seconds: str) -> str:
        return f"it said nothing for {seconds} s"

    def generator_failed(self, name: str, host: str, how: str) -> ErrorWords:
        return ErrorWords(
            what=f"generator {name} of the fleet, on {host}, failed: {how}",
            why="what was measured until then is kept",
            mend="run it again; if it happens twice, look at that host, or leave it out",
        )


class FleetPlacesErrors:
    """Errors of `fleet.places`."""

    def no_ray(self, address: str) -> ErrorWords:
        return ErrorWords(
            what=f"this loadrig has no way to the hosts of Ray at {address}",
            why="generators on other hosts need the extra that brings Ray",
            mend="pip install 'loadrig[fleet]', or leave out `ray`: the generators are then processes here",
        )
