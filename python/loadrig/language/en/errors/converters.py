"""Errors of `converters` in English, a class for each of its files."""

from loadrig.base.error_words import ErrorWords


class ConvertersSourceErrors:
    is_it_a_test = "is this a file of a test?"
    save_as_utf8 = "save the file as UTF-8"
    the_file = "the file"

    def at_line(self, number: int) -> str:
        return f"line {number}"

    def at_column(self, number: int, column: int) -> str:
        return f"line {number}, letter {column:,},"

    def not_decoded(self, encoding: str, reason: str) -> str:
        return f"it is not {encoding} ({reason})"

    def long_line(self, most_bytes: int) -> str:
        return f"it is longer than {most_bytes:,} bytes"

    def bad_test(self, place: str, what: str, mend: str) -> ErrorWords:
        return ErrorWords(
            what=f"{place} cannot be understood: {what}",
            mend=mend or "mend the place, or save the test anew with the tool that wrote it",
        )

    packed_damaged = "copy the file anew, to its end: what is packed in it is damaged"

    def unreadable_test(self, file: str, reason: str, *, is_damaged: bool = False) -> ErrorWords:
        return ErrorWords(
            what=f"{file} cannot be read",
            mend=self.packed_damaged if is_damaged else "name a file that you may read",
            why=reason,
        )

    def large_test(self, file: str, most_mb: int) -> ErrorWords:
        return ErrorWords(
            what=f"{file} holds more than {most_mb} MB",
            mend="see that it is a test and not results, or split it",
            why="a test is held in memory as a whole",
        )


class ConvertersDocumentErrors:
    empty_document = "the file is empty"
    name_the_test = "name the file of the test itself"
    as_json = "save it as JSON, which is read faster"
    long_number = "a number has more than 4,000 digits"
    no_finite_number = "a number is larger than any that computers hold"

    def no_json(self, reason: str) -> str:
        return f"it is no JSON ({reason})"

    def long_yaml(self, most: int) -> str:
        return f"there are more than {most:,} letters of YAML"

    def deep_document(self, most: int) -> str:
        return f"more than {most} lists and objects lie within each other"

    def many_values(self, most: int) -> str:
        return f"there are more than {most:,} values"


class ConvertersReadErrors:
    def nothing_in_it(self, tool: str, files: str, *, is_anything_dropped: bool) -> ErrorWords:
        look = "see what was dropped above; " if is_anything_dropped else ""
        return ErrorWords(
            what="there is no request in it that a plan can make",
            mend=f"{look}name the file of the test itself",
            why=f"it was read as {tool}: {files}",
        )

    def plan_refused(self, file: str, problems: int) -> ErrorWords:
        return ErrorWords(
            what=f"{file}: a plan of it would have {problems} {'problem' if problems == 1 else 'problems'}",
            mend="change those places in the test, or send us the file: an import should have said them",
            why="nothing was written",
        )

    def in_the_way(self, path: str) -> ErrorWords:
        return ErrorWords(
            what=f"{path} is there already",
            mend="name another place with -o, or move the file away",
            why="an import overwrites nothing",
        )

    def unwritable(self, path: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{path} cannot be written",
            mend="name a place with -o where you may write",
            why=reason,
        )
