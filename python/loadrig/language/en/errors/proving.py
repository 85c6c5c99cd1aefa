"""Errors of `proving` in English, a class for each of its files."""

from loadrig.base.error_words import ErrorWords


class ProvingAbleErrors:
    def not_started_here(self, component: str) -> ErrorWords:
        return ErrorWords(
            what=f"{component} was not started by the rig, which leaves alone what others use",
            mend=f"allow it in the plan: prove: {{allow: [{component}]}}",
        )

    def not_seen(self, component: str) -> ErrorWords:
        return ErrorWords(
            what=f"{component} was not seen when the proof ran", mend="see why with loadrig discover"
        )

    def nothing_in_front(self, component: str) -> ErrorWords:
        return ErrorWords(
            what=f"nothing is in front of {component}", mend="name its address: prove: {through: …}"
        )

    def proxy_unused(self, component: str) -> ErrorWords:
        return ErrorWords(
            what=f"the server does not connect to {component} by way of the rig's proxy",
            mend="let its address be told by a variable or an argument that names the port",
        )


class ProvingCarryOutErrors:
    def unix_socket(self, component: str) -> ErrorWords:
        return ErrorWords(
            what=f"{component} is spoken to by a Unix socket, which no proxy of ours is put in front of",
            mend="let the server use its TCP port",
        )

    def stopped_by_hand(self) -> ErrorWords:
        return ErrorWords(
            what="the proof was stopped by hand",
            mend="prove it again: loadrig diagnose RUN --prove",
            why="what was found until then is judged and kept",
        )


class ProvingChangesErrors:
    def failed_change(self, error: str) -> ErrorWords:
        return ErrorWords(what=f"it could not be changed: {error}", mend="run as root, or see doctor")


class ProvingLiveErrors:
    def hardly_anything_answered(self) -> ErrorWords:
        return ErrorWords(
            what="hardly anything was answered before anything was changed, so no moments could be compared",
            mend="let go what is used up, or ask for less",
        )

    def short_time(self, seconds: str) -> ErrorWords:
        return ErrorWords(
            what=f"{seconds} s were not enough for it beside what tells more", mend="raise --budget"
        )


class ProvingPairsErrors:
    def no_time(self, change: str) -> ErrorWords:
        return ErrorWords(what=f"{change}: the time was not enough for it", mend="raise --budget")

    def spoilt_change(self, change: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{change}: its trials were spoilt: {reason}",
            mend="run it again while nothing else runs here",
        )

    def spoilt_base(self, change: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{change}: the trials without it were spoilt: {reason}",
            mend="run it again while nothing else runs here",
        )


class ProvingSideBySideErrors:
    def all_lost(self, name: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"no node of the proof is left: the last one, {name}, was lost ({why})",
            why="what was found until then is judged and kept",
            mend="prove it again: loadrig diagnose RUN --prove",
        )


class ProvingRoomErrors:
    def another_proof(self, run: str) -> ErrorWords:
        return ErrorWords(
            what=f"another loadrig is proving {run}",
            mend="wait for it to end, or stop it",
            why="two at once would load the same server and mix their trials",
        )
