"""Errors of `engine` in English, a class for each of its files; the generator's are in engine_refusals."""

from loadrig.base.error_words import ErrorWords


class EngineCompileErrors:
    def host_without_address(self, host: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"the host {host!r} has no address",
            why=reason,
            mend="check the spelling, or give an IP address",
        )


class EngineProcessErrors:
    ended_too_early = "it ended before it was ready"
    died_midway = "it died in the middle of the run"

    def not_ready(self, answer: str) -> str:
        return f"it answered {answer!r} instead of being ready"

    def refused_at(self, place: str) -> str:
        return f"found by the generator at {place}"

    def broken(self, how: str) -> ErrorWords:
        return ErrorWords(
            what=f"the generator failed: {how}",
            why="what was measured until then is kept",
            mend="run it again; if it happens twice, send the run folder with engine.log",
        )


class EngineSecretsErrors:
    def control_character(self, hole: str, header: str) -> ErrorWords:
        return ErrorWords(
            what=f"the value of {{{hole}}} has a line break or a control character in it",
            why=f"it would end the header {header}",
            mend="give it as one line",
        )
