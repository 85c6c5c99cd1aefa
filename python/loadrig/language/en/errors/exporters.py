"""Errors of `exporters` in English, a class for each of its files."""

from loadrig.base.error_words import ErrorWords


class ExportersTrialErrors:
    def no_times(self, run: str, tool: str) -> ErrorWords:
        return ErrorWords(
            what=f"{run} holds sums of {tool}, and no times of requests",
            mend="export it to a format of counts: csv, markdown, openmetrics, k6",
        )

    def several_trials(self, run: str, count: int, first: str, last: str) -> ErrorWords:
        return ErrorWords(
            what=f"{run} has {count} trials, and an export is of one",
            mend=f"name the folder of one trial, from {first} to {last}",
        )
