"""Errors of `study` in English, a class for each of its files."""

from loadrig.base.error_words import ErrorWords


class StudyCarryOutErrors:
    """Errors of `study.carry_out`."""

    def run_unfinished(self, run: str, quoted_run: str) -> ErrorWords:
        return ErrorWords(
            what=f"the run in {run} was stopped before its end",
            why="what was measured until then is kept",
            mend=f"go on where it stopped: loadrig run {quoted_run} --resume",
        )


class StudyLedgerErrors:
    """Errors of `study.ledger`."""

    is_link = "it is a link, which is not followed"
    end_of_no_ledger = "its end is no line of a ledger"
    no_study_named = "its first line does not say of which study it is"

    def too_many_bytes(self, size: int, most: int) -> str:
        return f"it has {size:,} bytes, and at most {most:,} are read"

    def line_not_json(self, number: int) -> str:
        return f"line {number} is not JSON"

    def line_of_no_ledger(self, number: int) -> str:
        return f"line {number} is no line of a ledger"

    def other_version(self, version: str, own: int) -> str:
        return f"it is of version {version}, this loadrig reads {own}"

    def line_no_trial(self, number: int, reason: str) -> str:
        return f"line {number} is no trial: {reason}"

    def another_plan(self, path: str, parts: str, is_one: bool, own_plan: str) -> ErrorWords:
        return ErrorWords(
            what=f"{path} is the ledger of another plan: {parts} {'differs' if is_one else 'differ'}",
            why="its trials cannot be compared with those that this plan would run",
            mend=f"go on with the plan kept beside it, {own_plan}, or start a new run without --resume",
        )

    def in_use(self, folder: str) -> ErrorWords:
        return ErrorWords(
            what=f"another loadrig is running the study in {folder}",
            why="two at once would load the same server and mix their trials",
            mend="wait for it to end, or stop it, then use --resume",
        )

    def unreadable(self, path: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{path} cannot be read as a ledger",
            why=reason,
            mend="start a new run without --resume; the trials' own folders are untouched",
        )


class StudyRunnerErrors:
    """Errors of `study.runner`."""

    stopped_by_hand = ErrorWords(
        what="the study was stopped by hand",
        why="what was measured until then is kept",
        mend="go on where it stopped: the same command with --resume",
    )


class StudyYardstickErrors:
    """Errors of `study.yardstick`."""

    def unknown_measure(self, name: str, nearest: str, measures: str) -> ErrorWords:
        return ErrorWords(
            what=f"study.by names a measure that does not exist: {name}",
            mend=f"did you mean {nearest}?" if nearest else f"use one of {measures}",
        )


class StudyStrategiesCapacityErrors:
    """Errors of `study.strategies.capacity`."""

    no_constant_load = ErrorWords(
        what="a capacity is searched from a constant load, and the plan's is none",
        why="the search itself says how much is asked, and when",
        mend="write where it begins, such as `rate: 20/1s` or `users: 5`",
    )

    no_goal_to_miss = ErrorWords(
        what="the plan has no goal that a higher load can miss",
        why="the capacity is the highest load that meets the goals",
        mend="write one, such as `goals: [p99 < 200ms, errors < 0.1%]`",
    )


class StudyStrategiesGridErrors:
    """Errors of `study.strategies.grid`."""

    def too_many_settings(self, settings: int, blocks: int, most: int) -> ErrorWords:
        return ErrorWords(
            what=f"the grid has {settings:,} settings",
            why=f"that is {settings + 1:,} trials in each of {blocks} blocks; at most {most:,} settings are"
            " tried",
            mend="give knobs fewer values, or try them one at a time: `study: {find: one_at_a_time}`",
        )


class StudyStrategiesSoakErrors:
    """Errors of `study.strategies.soak`."""

    load_ends_itself = ErrorWords(
        what="a soak goes on for as long as is asked, and the plan's load ends by itself",
        why="a load of stages, of a list of times or of a number of requests has a length of its own",
        mend="write a load without an end, such as `rate: 100/1s` or `users: 20`",
    )


class StudyStrategiesSpikeErrors:
    """Errors of `study.strategies.spike`."""

    load_ends_itself = ErrorWords(
        what="a spike stands on a load that goes on, and the plan's load ends by itself",
        why="the usual load before and after it is what it is compared with",
        mend="write a load without an end, such as `rate: 50/1s` or `users: 20`",
    )


class StudyStrategiesTuneErrors:
    """Errors of `study.strategies.tune`."""

    optuna_not_installed = ErrorWords(
        what="study.model is tpe, and Optuna is not installed",
        why="loadrig's own model needs nothing more; Optuna's is there to be compared with it",
        mend="pip install 'loadrig[optuna]', or leave `model:` out",
    )

    def unknown_objective(self, name: str, nearest: str) -> ErrorWords:
        return ErrorWords(
            what=f"study.objective is none that there is: {name}", mend=f"did you mean {nearest}?"
        )
