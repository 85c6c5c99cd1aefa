from loadrig.base.error_words import ErrorWords


class PlanCheckObserversErrors:
    """Errors of `plan.check_observers`."""

    def wrong_name(self, shown: str) -> ErrorWords:
        return ErrorWords(
            what=f"an observer cannot be called {shown}",
            mend="use letters, digits, dots, dashes and underscores, such as web1",
            why="reports call what it sees by its name and a stroke, such as web1/host",
        )

    def two_observers_same_name(self, name: str, first_line: int) -> ErrorWords:
        return ErrorWords(
            what=f"two observers are called {name}",
            mend="give each a name of its own",
            why=f"the first stands at line {first_line}",
        )

    def unsplittable_command(self, key: str, is_quote_open: bool) -> ErrorWords:
        lacking = "closing quotation" if is_quote_open else "escaped character"
        return ErrorWords(what=f"{key} cannot be split into words: no {lacking}", mend="close the quotation")

    def empty_command(self, key: str, example: str) -> ErrorWords:
        return ErrorWords(what=f"{key} is empty", mend=f"write a command, such as {example}")

    def asks_for_terminal(self, program: str, option: str, command: str) -> ErrorWords:
        return ErrorWords(
            what=f"{program} {option} asks for a terminal",
            mend=f"write {command}",
            why="the observer speaks over a plain pipe, which a terminal would mix with echoes",
        )

    def closed_input(self, program: str, command: str) -> ErrorWords:
        return ErrorWords(
            what=f"{program} exec without -i hands on no standard input",
            mend=f"write {command}",
            why="the rig speaks to the observer over it, and the observer ends when it is closed",
        )
