"""Errors of the probes of logs in English: of `probes.access_log`, `probes.server_log` and `probes._logs`."""

from loadrig.base.error_words import ErrorWords


class ProbesAccessLogErrors:
    """Errors of `probes.access_log` and `probes._access_lines`."""

    unit_unknown = "%D of Tomcat is in ms up to version 9 and in µs from 10: say which by time_unit"

    def no_status(self, shown: str) -> str:
        return f"the format {shown} has no status"

    def log_unreadable(self, path: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"the access log {path} cannot be read: {why}",
            mend=f"let the user who runs loadrig read {path}",
        )

    def no_log(self, component: str) -> ErrorWords:
        return ErrorWords(
            what=f"no access log of {component} is known",
            mend="let it write one (gunicorn: --access-logfile FILE), or name it by `path` of this probe",
        )

    def wrong_options(self, why: str) -> ErrorWords:
        return ErrorWords(what=why, mend="correct the options of the probe access_log")


class ProbesServerLogErrors:
    none_readable = "it writes none that can be read"

    def log_not_read(self, path: str, why: str) -> str:
        return f"the log {path} is not read: {why}"

    def journal_not_read(self, unit: str, why: str) -> str:
        return f"the journal of {unit} is not read: {why}"

    def no_longer_read(self, path: str, why: str) -> str:
        return f"{path} is no longer read: {why}"

    def no_log_seen(self, component: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"no log of {component} can be seen: {why}",
            mend="let it write into a file whose name ends in .log",
        )

    def log_unreadable(self, path: str, component: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"the log {path} of {component} cannot be read: {why}",
            mend=f"let the user who runs loadrig read {path}",
        )


class ProbesLogsErrors:
    """Errors of `probes._logs`: of its files `sources`, `follow` and `journal`."""

    replaced = "another file stands in its place"
    no_journalctl = "there is no journalctl"
    output_into_pipe = "its standard output goes into a pipe of somebody else"
    error_output_into_pipe = "its standard error output goes into a pipe of somebody else"

    def descriptors_hidden(self, pid: str) -> str:
        return f"what process {pid} has open may not be seen: it is another user's"

    def containers_unreadable(self, why: str) -> str:
        return f"the logs of containers may not be read: {why}"

    def owner_changed(self, owner: str, before: str) -> str:
        return f"it belongs to user {owner}, and what was there before to user {before}"
