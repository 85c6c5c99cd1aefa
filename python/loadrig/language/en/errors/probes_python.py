"""Errors of the probes of Python servers in English: of `probes.python` and `probes.gunicorn`."""

from loadrig.base.error_words import ErrorWords


class ProbesPythonErrors:
    """Errors of `probes.python` and `probes._python`."""

    stacks = "the stacks"
    py_spy_failed = "py-spy failed"
    silent_inside = (
        "the server tells nothing from inside: it has another PYTHONPATH, runs with -I or -E, or may not"
        " write into the trial's folder"
    )

    def no_py_spy(self) -> ErrorWords:
        return ErrorWords(what="py-spy is not installed", mend="pip install py-spy")

    def not_understood(self, pid: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"py-spy cannot read process {pid}: {why}",
            mend=f"try it by hand: py-spy dump --pid {pid}; a version of Python may be too new for it",
        )

    def lock_not_watched(self, reason: str, mend: str) -> str:
        return f"the interpreter lock is not watched: {reason}; {mend}"


class ProbesGunicornErrors:
    no_log = (
        "gunicorn's log goes to no file that can be read: why workers end is not known; start it with"
        " --error-logfile FILE"
    )

    def not_gunicorn(self, pid: str) -> ErrorWords:
        return ErrorWords(
            what=f"no process below {pid} runs gunicorn", mend="name the pid of gunicorn's master in the plan"
        )

    def log_lost(self, why: str) -> str:
        return f"gunicorn's log cannot be read any more: {why}"
