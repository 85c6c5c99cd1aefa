from loadrig.base.error_words import ErrorWords
from loadrig.language.en.errors.profilers_members import (
    ProfilersAsyncErrors,
    ProfilersGoErrors,
    ProfilersNodeErrors,
    ProfilersPerfErrors,
    ProfilersPySpyErrors,
)
from loadrig.language.ko.errors.permits import not_permitted
from loadrig.language.particles import with_particle


class KoreanProfilersAsyncErrors(ProfilersAsyncErrors):
    def not_permitted(self, component: str) -> ErrorWords:
        unseen = f"{component}의 CPU 시간이 Java의 어디에 쓰이는지"
        return not_permitted("jvm-agent", unseen, "JVM에 async-profiler를 넣을")

    def output_unreadable(self, why: str, command: str) -> ErrorWords:
        return ErrorWords(what=f"async-profiler의 출력을 읽을 수 없습니다: {why}", mend=command)

    def not_at(self, path: str, command: str) -> ErrorWords:
        return ErrorWords(what=f"{path}에 async-profiler가 없습니다", mend=command)

    def not_here(self, command: str) -> ErrorWords:
        return ErrorWords(what="이 머신에 async-profiler가 없습니다", mend=command)

    def no_java(self) -> ErrorWords:
        return ErrorWords(what="ap-loader를 시작할 java가 없습니다", mend="PATH에 java를 두십시오")

    def profiled_already(self, pid: str) -> ErrorWords:
        return ErrorWords(
            what=f"누군가 이미 프로세스 {with_particle(pid, '을')} 프로파일링하고 있습니다",
            mend=f"다른 프로파일러를 멈추십시오: asprof stop {pid}",
        )

    def no_way_in(self, pid: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"async-profiler가 프로세스 {pid}에 들어갈 수 없습니다: {why}",
            mend="-XX:+DisableAttachMechanism으로 실행되었는지 살펴보십시오",
        )


class KoreanProfilersGoErrors(ProfilersGoErrors):
    listens_nowhere = "열려 있는 주소를 알 수 없음"

    def answers_otherwise(self, place: str) -> str:
        return f"{place}: 다른 응답"

    def is_silent(self, place: str) -> str:
        return f"{place}: 응답 없음"

    def no_profile(self, url: str, why: str) -> ErrorWords:
        return ErrorWords(what=f"{url}: {why}", mend=_ADD_PPROF)

    def no_pages(self, component: str, tried: str) -> ErrorWords:
        return ErrorWords(what=f"{component}에 /debug/pprof가 없습니다 ({tried})", mend=_ADD_PPROF)

    def not_sent(self, place: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(place, '이')} 프로파일을 보내지 않았습니다",
            mend="CPU를 다 쓰지 않았는지 살펴보십시오",
        )

    def status_of(self, status: str) -> str:
        return f"상태 {status}"

    def refused(self, place: str, why: str, is_too_long: bool) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(place, '이')} 프로파일을 주지 않습니다: {why}",
            mend=(
                "그 http.Server의 WriteTimeout을 올리십시오"
                if is_too_long
                else "다른 프로파일이 끝나게 하십시오"
            ),
        )


class KoreanProfilersPerfErrors(ProfilersPerfErrors):
    def not_here(self, command: str) -> ErrorWords:
        return ErrorWords(what="이 머신에 perf가 없습니다", mend=command)

    def output_unreadable(self, why: str) -> ErrorWords:
        return ErrorWords(what=f"perf의 출력을 읽을 수 없습니다: {why}", mend="perf를 업데이트하십시오")

    def no_samples(self, pid: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"perf가 프로세스 {with_particle(pid, '을')} 샘플링할 수 없습니다: {why}",
            mend=f"perf record --event cpu-clock --pid {pid} -- sleep 1 이 이유를 알려 줍니다",
        )


class KoreanProfilersPySpyErrors(ProfilersPySpyErrors):
    def output_unreadable(self, why: str) -> ErrorWords:
        return ErrorWords(what=f"py-spy의 출력을 읽을 수 없습니다: {why}", mend="py-spy를 업데이트하십시오")

    def not_here(self, path: str) -> ErrorWords:
        return ErrorWords(what=f"{with_particle(path, '이')} 없습니다", mend="pip install py-spy")

    def not_understood(self, pid: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"py-spy가 프로세스 {with_particle(pid, '을')} 이해하지 못합니다: {why}",
            mend="py-spy가 이 Python 버전을 아는지 살펴보십시오: pip install --upgrade py-spy",
        )


class KoreanProfilersNodeErrors(ProfilersNodeErrors):
    def profile_unreadable(self, why: str) -> ErrorWords:
        return ErrorWords(what=f"inspector의 프로파일을 읽을 수 없습니다: {why}", mend="")

    def not_permitted(self, component: str) -> ErrorWords:
        wording = not_permitted(
            "node-inspector", f"{component}의 CPU 시간이 어디에 쓰이는지", "inspector를 열"
        )
        return wording._replace(what=f"{wording.what} (또는 --perf-basic-prof로 시작하면 perf가 봅니다)")

    def inspector_closed(self, component: str, pid: str) -> ErrorWords:
        return ErrorWords(what=f"{component}의 inspector가 열려 있지 않습니다", mend=f"kill -USR1 {pid}")


_ADD_PPROF = '프로그램에 `import _ "net/http/pprof"`를 더해 열거나 `at`으로 주소를 지정하십시오'
