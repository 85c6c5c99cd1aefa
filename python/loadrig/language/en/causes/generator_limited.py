class GeneratorLimitedTexts:
    """Sentences of `causes.generator_limited`."""

    title = "the generator was the limit"
    no_proof = "it accuses the rig; run it again with more generator threads, or from another machine"
    kept_busy = "every connection waited for the server's answer: more of them would wait as well"
    mend = "give the generator a core of its own or more threads (trial: {threads: 2}), or ask for less"
    decides = "the same load from more generator threads, or from another machine"

    def effect(self, text: str, failed_share: str) -> str:
        return f"{text}; {failed_share} of the requests failed"
