"""Sentences of `delayed_ack` in English."""


class DelayedAckTexts:
    title = "responses wait for delayed acknowledgements (Nagle's algorithm)"
    no_proof = (
        "the option is set in the program; repeat the run with TCP_NODELAY, or with head and body"
        " in one write"
    )
    decides = "the same load with TCP_NODELAY: the 40 ms vanish"

    def lost_s_of(self, lost_s: str, mean_s: str) -> str:
        return f"{lost_s} of {mean_s}"

    def acknowledgements_held_back(self, a_request: str) -> str:
        return f"{a_request} acknowledgements were delayed for each request, 40 ms each"

    def answer_way_time(self, share: str, formula: str) -> str:
        return f"a response was being sent for {share} of the response time ({formula})"

    def effect(self, who: str, lost_s: str) -> str:
        return f"a response of {who} takes {lost_s} to send, as it waits for an acknowledgement"

    def mend(self, who: str) -> str:
        return f"set TCP_NODELAY in {who}, or send head and body of a response in one write"

    def answer_way(self, formula: str) -> str:
        return f"a response was being sent for {formula}"
