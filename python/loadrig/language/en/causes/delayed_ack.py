class DelayedAckTexts:
    """Sentences of `causes.delayed_ack`."""

    title = "answers wait for acknowledgements that are held back"
    no_proof = (
        "the option is set in the program; run it again with TCP_NODELAY, or with head and body in one write"
    )
    decides = "the same load with TCP_NODELAY: the 40 ms go"

    def lost_s_of(self, lost_s: str, mean_s: str) -> str:
        return f"{lost_s} of {mean_s}"

    def acknowledgements_held_back(self, a_request: str) -> str:
        return f"{a_request} acknowledgements were held back for each request, 40 ms each"

    def answer_way_time(self, share: str, formula: str) -> str:
        return f"an answer was on its way for {share} of its time ({formula})"

    def effect(self, who: str, lost_s: str) -> str:
        return f"an answer of {who} is on its way for {lost_s}, held up by an acknowledgement"

    def mend(self, who: str) -> str:
        return f"set TCP_NODELAY in {who}, or send head and body of an answer in one write"

    def answer_way(self, formula: str) -> str:
        return f"an answer was on its way for {formula}"
