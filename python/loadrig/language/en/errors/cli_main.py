"""Errors of the command line as a whole in English, a class for each of its files."""

from loadrig.base.error_words import ErrorWords, Labels


class CliRenderedErrors:
    """Labels of `cli.rendered`."""

    labels = Labels(mend="mend", more="more")


class CliMainErrors:
    interrupted = "interrupted"
    fault = (
        "\nThis is a fault of loadrig, not yours. Please send the lines above and, if a run had"
        " begun, its folder."
    )

    def machine_refused(self, place: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"the machine could not go on: {place}{reason}",
            mend="see loadrig doctor; free some space (df -h) or raise the limit (ulimit -a), and run it"
            " again",
            why="what was measured until then is kept in the run's folder",
        )

    def unknown_command(self, shown: str, nearest: str) -> ErrorWords:
        return ErrorWords(
            what=f"there is no command {shown}",
            mend=f"did you mean `loadrig {nearest}`?" if nearest else "see loadrig --help",
        )


class CliLanguageErrors:
    def either(self, one_code: str, other_code: str) -> str:
        return f"{one_code} or {other_code}"

    def no_such_language(self, shown: str, flag: str, codes: str) -> ErrorWords:
        return ErrorWords(what=f"there is no language {shown}", mend=f"{flag} {codes}")

    def no_language_named(self, flag: str, codes: str) -> ErrorWords:
        return ErrorWords(what=f"{flag} needs a language", mend=f"{flag} {codes}")


class CliParserErrors:
    def unknown_argument(self, program: str, shown: str, nearest: str) -> ErrorWords:
        return ErrorWords(
            what=f"{program} does not know {shown}",
            mend=f"did you mean {nearest}?" if nearest else f"see {program} --help",
        )

    def wrong_argument(self, program: str, message: str) -> ErrorWords:
        return ErrorWords(what=message, mend=f"see {program} --help")


class CliStreamsErrors:
    def not_printed(self, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"the result could not be printed to standard output: {reason}",
            mend="print it elsewhere, or free some space there",
        )

    def not_printed_but_in(self, folder: str, reason: str, word: str) -> ErrorWords:
        return ErrorWords(
            what=f"the result could not be printed to standard output: {reason}",
            mend=f"read it from there: loadrig report {word} --text",
            why=f"everything that was measured is kept in {folder}",
        )
