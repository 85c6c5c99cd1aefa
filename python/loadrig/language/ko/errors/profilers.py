from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


class KoreanProfilersShotErrors:
    tool_not_run = ErrorWords(
        what="{program:을} 실행할 수 없습니다: {why}",
        mend="실행할 수 있게 하십시오 (chmod +x)",
    )
    not_done_within = ErrorWords(
        what="{program:이} {limit_s} s가 지나도 끝나지 않았습니다",
        mend="CPU를 다 쓰지 않았는지 살펴보십시오",
    )
    load_too_short = ErrorWords(
        what="프로파일이 끝나기 전에 부하가 끝났습니다",
        mend="더 오래 부하를 걸거나 더 짧게 프로파일링하십시오",
    )
    not_an_address = ErrorWords(
        what="{shown:은} HOST:PORT가 아닙니다",
        mend="at: 127.0.0.1:6060처럼 쓰십시오",
    )
    process_unknown = ErrorWords(
        what="{component}의 프로세스를 알 수 없습니다",
        mend="plan에 pid를 쓰거나 그 머신에서 실행하십시오",
    )
    process_gone = ErrorWords(what="프로세스 {pid:이} 없어졌습니다", mend="로그를 살펴보십시오")


class KoreanProfilersRightsErrors:
    def trace_other_user(self, profiler: str, pid: str, owner: str) -> ErrorWords:
        return ErrorWords(what=f"{_no_trace(profiler, pid)} 사용자 {owner}의 것입니다", mend=_as_user(owner))

    def trace_lost_by_root(self, profiler: str, pid: str) -> ErrorWords:
        return ErrorWords(
            what=f"{_no_trace(profiler, pid)} 여기서는 root에게도 없습니다",
            mend="--cap-add SYS_PTRACE로 컨테이너를 시작하십시오",
        )

    def trace_refused(self, profiler: str, pid: str, by_kernel: bool) -> ErrorWords:
        return ErrorWords(
            what=f"{_no_trace(profiler, pid)} 그 권한이 없습니다",
            mend="sudo sysctl kernel.yama.ptrace_scope=0" if by_kernel else "root로 loadrig를 실행하십시오",
        )

    def events_other_user(self, pid: str, owner: str) -> ErrorWords:
        return ErrorWords(what=f"{_no_events(pid)} 사용자 {owner}의 것입니다", mend=_as_user(owner))

    def events_paranoid(self, pid: str, level: str) -> ErrorWords:
        return ErrorWords(
            what=f"{_no_events(pid)} 그 권한이 없습니다 (kernel.perf_event_paranoid: {level})",
            mend="sudo sysctl kernel.perf_event_paranoid=1",
        )

    def events_refused(self, pid: str) -> ErrorWords:
        return ErrorWords(
            what=f"{_no_events(pid)} 그 권한이 없습니다",
            mend="--cap-add PERFMON으로 컨테이너를 시작하거나 컨테이너 밖에서 실행하십시오",
        )

    def other_user(self, profiler: str, pid: str, owner: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(profiler, '은')} 프로세스 {pid}의 사용자 {with_particle(owner, '으로')} 실행되어야 합니다",
            mend=_as_user(owner),
        )


class KoreanProfilersFormatsErrors:
    ends_early = "너무 일찍 끝납니다"
    no_speedscope = "speedscope 파일이 아닙니다: {kind} {error}"
    line_without_count = "collapsed 스택의 {number}번째 줄이 횟수로 끝나지 않습니다"
    no_cpu_profile = "V8의 CPU 프로파일이 아닙니다: {kind} {error}"
    no_frame = "perf 출력의 {number}번째 줄이 프레임이 아닙니다"
    no_sample = "perf 출력의 {number}번째 줄이 샘플이 아닙니다"
    no_pprof = "pprof 프로파일이 아닙니다: {error}"
    names_missing_part = "들어 있지 않은 것을 가리킵니다: {error}"
    too_large = "풀면 {most_mib} MiB를 넘습니다"
    no_cpu_time = "CPU 시간이 들어 있지 않습니다: {kinds}"


def _no_trace(profiler: str, pid: str) -> str:
    return (
        f"{with_particle(profiler, '은')} 프로세스 {with_particle(pid, '을')} 추적할 권한(ptrace)이 필요한데"
    )


def _no_events(pid: str) -> str:
    return f"perf는 프로세스 {with_particle(pid, '을')} 샘플링할 권한이 필요한데"


def _as_user(owner: str) -> str:
    return f"sudo -u {owner} loadrig …, 또는 root로 실행하십시오"
