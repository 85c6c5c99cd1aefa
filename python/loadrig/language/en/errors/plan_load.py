"""Errors of `plan.load`, `plan.overrides`, `plan.protocols` and `plan.constant` in English."""

from loadrig.base.error_words import ErrorWords


class PlanLoadErrors:
    plan = "the plan"
    target = "the target"
    empty_plan = ErrorWords(
        what="the plan is empty",
        mend="begin with loadrig: 1, target and workload; see examples/",
    )

    def not_utf8(self, reason: str) -> str:
        return f"it is not UTF-8 text ({reason})"

    def unreadable_plan(self, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"the plan cannot be read: {reason}",
            mend="give the path of a plan file, such as examples/users.yaml",
        )

    def other_version(self, shown: str) -> ErrorWords:
        return ErrorWords(
            what=f"the plan is of version {shown}; this loadrig reads version 1", mend="write loadrig: 1"
        )


class PlanOverridesErrors:
    def not_a_place(self, shown: str) -> ErrorWords:
        return ErrorWords(
            what=f"{shown} does not name a place in a plan",
            mend="write keys with a dot between them, such as trial.seed",
        )


class PlanProtocolsErrors:
    closing_has_a_key = "a connection that closes after each request is connections: {keep_alive: false}"
    no_http3 = "HTTP/3 is not spoken: the Rust crates for it are still experimental"

    def unknown_version(self, shown: str, meant: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"http is {shown}; it must be 1.1 or 2",
            mend=f"write http: {meant}" if meant else "write http: 1.1 or http: 2",
            why=why,
        )


class PlanConstantErrors:
    no_load = ErrorWords(
        what="the load of the plan is nothing at all", mend="write a load with users or a rate above 0"
    )
    no_rate = ErrorWords(
        what="the list of times has no two moments in it, so it has no rate",
        mend="prove it with a load that has one, such as rate: 100/1s",
    )

    def unreadable_times(self, reason: str, file: str) -> ErrorWords:
        return ErrorWords(what=f"the times of the replay cannot be read: {reason}", mend=f"see to {file}")
