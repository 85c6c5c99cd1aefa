"""Errors of `profilers` in English: what all profilers share, and what cannot be read of their output."""

from loadrig.base.error_words import ErrorWords


class ProfilersShotErrors:
    def tool_not_run(self, program: str, why: str) -> ErrorWords:
        return ErrorWords(what=f"{program} cannot be run: {why}", mend="make it executable")

    def not_done_within(self, program: str, limit_s: str) -> ErrorWords:
        return ErrorWords(
            what=f"{program} was not done after {limit_s} s", mend="look whether its CPU is used up"
        )

    def load_too_short(self) -> ErrorWords:
        return ErrorWords(
            what="the load ended before the profile did", mend="load for longer, or profile for less time"
        )

    def not_an_address(self, shown: str) -> ErrorWords:
        return ErrorWords(what=f"{shown} is not HOST:PORT", mend="write at: 127.0.0.1:6060")

    def process_unknown(self, component: str) -> ErrorWords:
        return ErrorWords(
            what=f"the process of {component} is not known",
            mend="name its pid in the plan, or run on its machine",
        )

    def process_gone(self, pid: str) -> ErrorWords:
        return ErrorWords(what=f"process {pid} is gone", mend="look at its log")


class ProfilersRightsErrors:
    """Errors of `profilers._rights`. profiler: its name; owner: user of the process."""

    def trace_other_user(self, profiler: str, pid: str, owner: str) -> ErrorWords:
        return ErrorWords(
            what=f"{profiler} needs the right to trace (ptrace) process {pid}, which is user {owner}'s",
            mend=_as_user(owner),
        )

    def trace_lost_by_root(self, profiler: str, pid: str) -> ErrorWords:
        return ErrorWords(
            what=f"{profiler} needs the right to trace (ptrace) process {pid}; root has lost it here",
            mend="start the container with --cap-add SYS_PTRACE",
        )

    def trace_refused(self, profiler: str, pid: str, by_kernel: bool) -> ErrorWords:
        return ErrorWords(
            what=f"{profiler} needs the right to trace (ptrace) process {pid}",
            mend="sudo sysctl kernel.yama.ptrace_scope=0" if by_kernel else "run loadrig as root",
        )

    def events_other_user(self, pid: str, owner: str) -> ErrorWords:
        return ErrorWords(
            what=f"perf needs the right to sample process {pid}, which is user {owner}'s",
            mend=_as_user(owner),
        )

    def events_paranoid(self, pid: str, level: str) -> ErrorWords:
        return ErrorWords(
            what=f"perf needs the right to sample process {pid} (kernel.perf_event_paranoid is {level})",
            mend="sudo sysctl kernel.perf_event_paranoid=1",
        )

    def events_refused(self, pid: str) -> ErrorWords:
        return ErrorWords(
            what=f"perf needs the right to sample process {pid}",
            mend="start the container with --cap-add PERFMON, or run outside of it",
        )

    def other_user(self, profiler: str, pid: str, owner: str) -> ErrorWords:
        return ErrorWords(
            what=f"{profiler} must be of the user of process {pid}, {owner}", mend=_as_user(owner)
        )


class ProfilersFormatsErrors:
    """Errors of `profilers._formats` and `profilers._pprof`, which end the sentence of a profiler's error."""

    ends_early = "it ends too early"

    def no_speedscope(self, kind: str, error: str) -> str:
        return f"it is no speedscope file: {kind} {error}"

    def line_without_count(self, number: str) -> str:
        return f"line {number} of the collapsed stacks does not end in a count"

    def no_cpu_profile(self, kind: str, error: str) -> str:
        return f"it is no CPU profile of V8: {kind} {error}"

    def no_frame(self, number: str) -> str:
        return f"line {number} of perf's output is no frame"

    def no_sample(self, number: str) -> str:
        return f"line {number} of perf's output is no sample"

    def no_pprof(self, error: str) -> str:
        return f"it is no pprof profile: {error}"

    def names_missing_part(self, error: str) -> str:
        return f"it names something that it does not hold: {error}"

    def too_large(self, most_mib: str) -> str:
        return f"it unpacks to more than {most_mib} MiB"

    def no_cpu_time(self, kinds: str) -> str:
        return f"it holds no CPU time: {kinds}"


def _as_user(owner: str) -> str:
    return f"run it as sudo -u {owner} loadrig …, or as root"
