"""Errors of `plan.check_passages` in English."""

from loadrig.base.error_words import ErrorWords


class PlanCheckPassagesErrors:
    nothing_sure = ErrorWords(
        what="every step may be left out, so a user may have nothing to send",
        mend="add a step without a condition",
    )

    def of_login(self, key: str) -> ErrorWords:
        return ErrorWords(
            what=f"{key} stands in the login, which is made whenever a token is needed",
            mend=f"take {key} out of the login",
        )

    def no_such_step(self, name: str, steps: str, close: str | None) -> ErrorWords:
        return ErrorWords(
            what=f"through names {name}, which is neither this step nor one behind it",
            mend=f"write through: {close}" if close else "name one of the steps from this one on",
            why=f"these are {steps}",
        )

    def no_such_variable(self, name: str, variables: str, close: str | None) -> ErrorWords:
        return ErrorWords(
            what=f"no request extracts the variable {name}",
            mend=f"write variable: {close}" if close else f"add extract: {{{name}: …}} to a request",
            why=f"the variables are {variables}" if variables else "no request extracts anything",
        )

    def parts_beside(self, step: str) -> ErrorWords:
        return ErrorWords(
            what=f"the step {step} is sent at once with the one before it, and only one of them is decided",
            mend="let `through` name the last of the steps that are sent at once",
        )

    def by_half(self, first: str, last: str) -> ErrorWords:
        return ErrorWords(
            what=f"these steps begin within those from {first} to {last}, and end behind them",
            mend=f"let `through` name {last}, or a step before it",
        )
