"""Errors of each profiler in English."""

from loadrig.base.error_words import ErrorWords
from loadrig.language.en.errors.permits import not_permitted


class ProfilersAsyncErrors:
    """Errors of `profilers.async_profiler`. command: what brings it here."""

    def not_permitted(self, component: str) -> ErrorWords:
        unseen = f"where the CPU time of {component} goes in Java"
        return not_permitted("jvm-agent", unseen, "load async-profiler into the JVM")

    def output_unreadable(self, why: str, command: str) -> ErrorWords:
        return ErrorWords(what=f"async-profiler's output cannot be read: {why}", mend=command)

    def not_at(self, path: str, command: str) -> ErrorWords:
        return ErrorWords(what=f"there is no async-profiler at {path}", mend=command)

    def not_here(self, command: str) -> ErrorWords:
        return ErrorWords(what="async-profiler is not on this machine", mend=command)

    def no_java(self) -> ErrorWords:
        return ErrorWords(what="there is no java to start ap-loader with", mend="put java on the PATH")

    def profiled_already(self, pid: str) -> ErrorWords:
        return ErrorWords(
            what=f"somebody profiles process {pid} already",
            mend=f"stop the other profiler: asprof stop {pid}",
        )

    def no_way_in(self, pid: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"async-profiler cannot get into process {pid}: {why}",
            mend="look whether it runs with -XX:+DisableAttachMechanism",
        )


class ProfilersGoErrors:
    """Errors of `profilers.go_pprof`. place: host and port."""

    listens_nowhere = "it listens nowhere that is known"

    def answers_otherwise(self, place: str) -> str:
        return f"{place} answers otherwise"

    def is_silent(self, place: str) -> str:
        return f"{place} is silent"

    def no_profile(self, url: str, why: str) -> ErrorWords:
        return ErrorWords(what=f"{url}: {why}", mend=_ADD_PPROF)

    def no_pages(self, component: str, tried: str) -> ErrorWords:
        return ErrorWords(what=f"{component} has no /debug/pprof ({tried})", mend=_ADD_PPROF)

    def not_sent(self, place: str) -> ErrorWords:
        return ErrorWords(what=f"{place} did not send its profile", mend="look whether its CPU is used up")

    def status_of(self, status: str) -> str:
        return f"status {status}"

    def refused(self, place: str, why: str, is_too_long: bool) -> ErrorWords:
        return ErrorWords(
            what=f"{place} gives no profile: {why}",
            mend=(
                "raise the WriteTimeout of that http.Server" if is_too_long else "let the other profile end"
            ),
        )


class ProfilersPerfErrors:
    """Errors of `profilers.perf`. command: what installs it."""

    def not_here(self, command: str) -> ErrorWords:
        return ErrorWords(what="perf is not on this machine", mend=command)

    def output_unreadable(self, why: str) -> ErrorWords:
        return ErrorWords(what=f"perf's output cannot be read: {why}", mend="update perf")

    def no_samples(self, pid: str, why: str) -> ErrorWords:
        mend = f"perf record --event cpu-clock --pid {pid} -- sleep 1, which says why"
        return ErrorWords(what=f"perf cannot sample process {pid}: {why}", mend=mend)


class ProfilersPySpyErrors:
    def output_unreadable(self, why: str) -> ErrorWords:
        return ErrorWords(what=f"py-spy's output cannot be read: {why}", mend="update py-spy")

    def not_here(self, path: str) -> ErrorWords:
        return ErrorWords(what=f"there is no {path}", mend="pip install py-spy")

    def not_understood(self, pid: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"py-spy does not understand process {pid}: {why}",
            mend="look whether py-spy knows this version of Python: pip install --upgrade py-spy",
        )


class ProfilersNodeErrors:
    """Errors of `profilers.node_inspector`."""

    def profile_unreadable(self, why: str) -> ErrorWords:
        return ErrorWords(what=f"the inspector's profile cannot be read: {why}", mend="")

    def not_permitted(self, component: str) -> ErrorWords:
        does = "open its inspector (or start it with --perf-basic-prof, for perf)"
        return not_permitted("node-inspector", f"where the CPU time of {component} goes", does)

    def inspector_closed(self, component: str, pid: str) -> ErrorWords:
        return ErrorWords(what=f"the inspector of {component} is not open", mend=f"kill -USR1 {pid}")


_ADD_PPROF = 'add `import _ "net/http/pprof"` to the program and serve it, or name its address with `at`'
