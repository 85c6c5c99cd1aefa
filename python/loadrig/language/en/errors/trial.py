"""Errors of `trial` in English, a class for each of its files."""

from loadrig.base.error_words import ErrorWords


class TrialDeathErrors:
    def target_died(self, sentence: str, has_log: bool) -> ErrorWords:
        return ErrorWords(
            what=sentence,
            mend="see its last lines above; its whole log is target.log in the trial's folder"
            if has_log
            else "see the server's own log, and start it again",
            why="what was measured until then is kept",
        )


class TrialCourseErrors:
    def interrupted(self, how: str) -> ErrorWords:
        return ErrorWords(
            what=f"stopped {how} while the load was running",
            mend="run it again; a study goes on where it stopped: loadrig run RUN --resume",
            why="what was measured until then is kept",
        )


class TrialFurtherServersErrors:
    def no_connection(self, name: str, address: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"the server {name} at {address} takes no connection: {reason}",
            mend=f"start it first, or correct its address: servers: {{{name}: http://HOST:PORT}}",
            why="requests of the plan go to it, and all of them would fail",
        )


class TrialSplitErrors:
    nothing_answered = ErrorWords(
        what="the built-in server gave the generator no answer, so nothing was calibrated",
        mend="let processes connect to 127.0.0.1 (a firewall may forbid it), then try again",
    )


class TrialTakingErrors:
    def empty_profile(self, seconds: str) -> ErrorWords:
        return ErrorWords(what=f"it saw no thread that ran in {seconds} s", mend="load the server more")
