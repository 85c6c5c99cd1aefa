from loadrig.base.error_words import ErrorWords
from loadrig.language.ko.errors.permits import not_permitted
from loadrig.language.particles import with_particle


class KoreanProfilersAsyncErrors:
    def not_permitted(self, component: str) -> ErrorWords:
        unseen = f"{component}의 CPU 시간이 Java의 어디에 쓰이는지"
        return not_permitted("jvm-agent", unseen, "JVM에 async-profiler를 넣을")

    output_unreadable = ErrorWords(what="async-profiler의 출력을 읽을 수 없습니다: {why}", mend="{command}")
    not_at = ErrorWords(what="{path}에 async-profiler가 없습니다", mend="{command}")
    not_here = ErrorWords(what="이 머신에 async-profiler가 없습니다", mend="{command}")
    no_java = ErrorWords(what="ap-loader를 시작할 java가 없습니다", mend="PATH에 java를 두십시오")
    profiled_already = ErrorWords(
        what="누군가 이미 프로세스 {pid:을} 프로파일링하고 있습니다",
        mend="다른 프로파일러를 멈추십시오: asprof stop {pid}",
    )
    no_way_in = ErrorWords(
        what="async-profiler가 프로세스 {pid}에 들어갈 수 없습니다: {why}",
        mend="-XX:+DisableAttachMechanism으로 실행되었는지 살펴보십시오",
    )


class KoreanProfilersGoErrors:
    listens_nowhere = "열려 있는 주소를 알 수 없음"
    answers_otherwise = "{place}: 다른 응답"
    is_silent = "{place}: 응답 없음"

    def no_profile(self, url: str, why: str) -> ErrorWords:
        return ErrorWords(what=f"{url}: {why}", mend=_ADD_PPROF)

    def no_pages(self, component: str, tried: str) -> ErrorWords:
        return ErrorWords(what=f"{component}에 /debug/pprof가 없습니다 ({tried})", mend=_ADD_PPROF)

    not_sent = ErrorWords(
        what="{place:이} 프로파일을 보내지 않았습니다",
        mend="CPU를 다 쓰지 않았는지 살펴보십시오",
    )
    status_of = "상태 {status}"

    def refused(self, place: str, why: str, is_too_long: bool) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(place, '이')} 프로파일을 주지 않습니다: {why}",
            mend=(
                "그 http.Server의 WriteTimeout을 올리십시오"
                if is_too_long
                else "다른 프로파일이 끝나게 하십시오"
            ),
        )


class KoreanProfilersPerfErrors:
    not_here = ErrorWords(what="이 머신에 perf가 없습니다", mend="{command}")
    output_unreadable = ErrorWords(
        what="perf의 출력을 읽을 수 없습니다: {why}", mend="perf를 업데이트하십시오"
    )
    no_samples = ErrorWords(
        what="perf가 프로세스 {pid:을} 샘플링할 수 없습니다: {why}",
        mend="perf record --event cpu-clock --pid {pid} -- sleep 1 이 이유를 알려 줍니다",
    )


class KoreanProfilersPySpyErrors:
    output_unreadable = ErrorWords(
        what="py-spy의 출력을 읽을 수 없습니다: {why}", mend="py-spy를 업데이트하십시오"
    )
    not_here = ErrorWords(what="{path:이} 없습니다", mend="pip install py-spy")
    not_understood = ErrorWords(
        what="py-spy가 프로세스 {pid:을} 이해하지 못합니다: {why}",
        mend="py-spy가 이 Python 버전을 아는지 살펴보십시오: pip install --upgrade py-spy",
    )


class KoreanProfilersNodeErrors:
    profile_unreadable = ErrorWords(what="inspector의 프로파일을 읽을 수 없습니다: {why}", mend="")

    def not_permitted(self, component: str) -> ErrorWords:
        wording = not_permitted(
            "node-inspector", f"{component}의 CPU 시간이 어디에 쓰이는지", "inspector를 열"
        )
        return wording._replace(what=f"{wording.what} (또는 --perf-basic-prof로 시작하면 perf가 봅니다)")

    inspector_closed = ErrorWords(
        what="{component}의 inspector가 열려 있지 않습니다", mend="kill -USR1 {pid}"
    )


_ADD_PPROF = '프로그램에 `import _ "net/http/pprof"`를 더해 열거나 `at`으로 주소를 지정하십시오'
