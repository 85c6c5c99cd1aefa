"""Sentences of `generator_limited` in English."""


class GeneratorLimitedTexts:
    title = "the generator was the limit"
    no_proof = (
        "the suspect is the generator; repeat the run with more generator threads, or from another machine"
    )
    kept_busy = "every connection waited for the server: more connections would wait as well"
    mend = "give the generator a core of its own or more threads (trial: {threads: 2}), or request less load"
    decides = "the same load from more generator threads, or from another machine"

    def effect(self, text: str, failed_share: str) -> str:
        return f"{text}; {failed_share} of the requests failed"
