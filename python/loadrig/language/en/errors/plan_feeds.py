"""Errors of `plan.check_feeds` in English."""

from loadrig.base.error_words import ErrorWords


class PlanCheckFeedsErrors:
    replay_times = "the times of replay"

    def feed(self, name: str) -> str:
        return f"the feed {name}"

    def unreadable_file(
        self, subject: str, file: str, reason: str, looked_for_at: str, close: str | None
    ) -> ErrorWords:
        """Return what is said of a file; looked_for_at: its whole path, "" where the plan has it."""
        return ErrorWords(
            what=f"{subject} cannot be read: {file}: {reason}",
            mend=f"write {close}" if close else "give a path that counts from the plan's folder",
            why=f"looked for at {looked_for_at}" if looked_for_at else "",
        )

    def empty_feed(self, name: str) -> ErrorWords:
        return ErrorWords(what=f"the feed {name} is empty", mend="give it at least one value")

    def unknown_column(self, name: str, column: str, columns: str, close: str | None) -> ErrorWords:
        return ErrorWords(
            what=f"the table of {name} has no column {column}",
            mend=f"write column: {close}" if close else "name one of its columns",
            why=f"its first line names {columns}" if columns else "the file is empty",
        )

    def short_row(self, name: str, cells: int, columns: int, place: str) -> ErrorWords:
        return ErrorWords(
            what=f"the table of {name} has a line with {cells} of {columns} columns: {place}",
            mend="give the line a value for each column, if only an empty one",
        )

    def not_text(self, name: str, file: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"the feed {name} cannot be read: {file} is not UTF-8 text",
            mend="save it as UTF-8",
            why=reason,
        )

    def too_few_values(self, name: str, values: int, users: int) -> ErrorWords:
        return ErrorWords(
            what=f"the feed {name} has {values:,} values for {users:,} users, each of whom keeps its own",
            mend=f"give it {users:,} values, or write order: sequential",
        )

    def not_two_bounds(self, name: str, bounds: str) -> ErrorWords:
        return ErrorWords(
            what=f"random of {name} is {bounds}; it takes two bounds, the lower one first",
            mend="write two bounds such as [1, 100]",
        )

    def not_a_time(self, place: str, line: str) -> ErrorWords:
        return self._times(f"{place}: {line} is not a time in seconds")

    def time_before_last(self, place: str, line: str, last: str) -> ErrorWords:
        return self._times(f"{place}: {line} is before the {last} above it")

    def no_times(self, file: str) -> ErrorWords:
        return self._times(f"{file} has no times in it")

    def no_such_scenario(self, place: str, scenario: str, close: str | None) -> ErrorWords:
        return ErrorWords(
            what=f"{place}: the plan has no scenario and no request of the name {scenario}",
            mend=f"write {close}"
            if close
            else "write the name of a scenario or a request in the column scenario",
        )

    def no_column(self, file: str, column: str) -> ErrorWords:
        return ErrorWords(what=f"{file} has no column {column}", mend="begin it with the line: time,scenario")

    def no_list(self, file: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{file} is neither lines nor a table of CSV in UTF-8", mend="save it as UTF-8", why=reason
        )

    def _times(self, what: str) -> ErrorWords:
        return ErrorWords(
            what=what,
            mend="write one time a line, in seconds from the first, none earlier than the one above",
        )
