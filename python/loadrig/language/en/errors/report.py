"""Errors of `report` in English, a class for each of its files."""

from loadrig.base.error_words import ErrorWords


class ReportPageErrors:
    """Errors of `report`, where it writes its page."""

    def page_not_written(self, path: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"the page cannot be written to {path}",
            why=reason,
            mend="name another place with --out FILE, or make room on the disk",
        )


class ReportComparisonErrors:
    def not_written(self, path: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{path} cannot be written", why=reason, mend="name another place, or make room on the disk"
        )


class ReportRunErrors:
    no_folder = "there is no such folder"
    no_file_of_run = "it holds no result.json, no ledger and no manifest"

    def not_json(self, file: str, reason: str) -> str:
        return f"{file} is not JSON: {reason}"

    def neither_schema(self, file: str, study: str, trial: str) -> str:
        return f"{file} is of neither schema {study} nor {trial}"

    def no_result(self, folder: str) -> ErrorWords:
        return ErrorWords(
            what=f"{folder} holds no result yet",
            why="the run was stopped before its end, or still goes on",
            mend=f"let it end, or go on where it stopped: loadrig run {folder} --resume",
        )

    def not_a_run(self, folder: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{folder} is not the folder of a run",
            why=reason,
            mend="name a folder that loadrig wrote, such as runs/2025-01-31-shop",
        )
