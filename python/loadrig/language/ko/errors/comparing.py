from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


class KoreanComparingHistoryErrors:
    def no_usable_run(self, plan: str, names: str) -> ErrorWords:
        return ErrorWords(
            what=f"{plan}의 실행 중 쓸 수 있는 것이 없습니다" if plan else "쓸 수 있는 실행이 없습니다",
            mend="실행 폴더들을 쓰거나, --plan으로 plan의 이름을 쓰십시오",
            why=f"있는 것은 {names}의 실행입니다" if names else "어느 폴더에도 실행이 없습니다",
        )


class KoreanComparingYardsticksErrors:
    no_margin = "{shown:은} 무시할 차이의 크기가 아닙니다. 3%나 p95=10%처럼 쓰십시오"
    wrong_margin = ErrorWords(what="{reason}", mend="3%나 p95=10%처럼 비율을 쓰십시오")

    def measure_on_one_side(self, name: str, close: str, common: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(name, '이')} 양쪽 모두에 있지는 않습니다",
            mend=self._measures(close, common),
        )

    def unknown_measure(self, name: str, close: str, common: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(name, '이라')}는 지표는 없습니다", mend=self._measures(close, common)
        )

    def _measures(self, close: str, common: str) -> str:
        if close:
            return f"혹시 {close}입니까?"
        return f"양쪽에 모두 있는 지표: {common}" if common else "양쪽에 모두 있는 지표가 없습니다"


class KoreanComparingReadErrors:
    nothing_named = "아무것도 쓰지 않았습니다"
    no_finished_trial = "끝난 trial이 없습니다"
    no_such_folder = "그런 폴더가 없습니다"
    nothing_in_folder = "result.json도, trial도, 실행들의 폴더도 없습니다"
    no_load = "그 안에서 부하 발생기가 부하를 만들지 않았습니다"
    unreadable_files = "파일을 읽을 수 없습니다 ({kind}: {error})"
    no_run = ErrorWords(
        what="{name}에 비교할 실행이 없습니다",
        mend="runs/2025-01-31-120000-shop 같은 실행 폴더, 또는 실행들의 폴더를 쓰십시오",
        why="{reason}",
    )
    mixed_side = ErrorWords(
        what="{name:은} 한 가지가 아닙니다: 실행들의 설정이 여럿입니다",
        mend="한쪽에는 한 설정의 실행만 쓰거나, RUN#3처럼 설정을 번호로 쓰십시오",
        why="{settings}",
    )
    no_setting = ErrorWords(
        what="{folder}에 설정 {setting:이} 없습니다",
        mend="{folder}#0처럼 있는 설정을 쓰십시오",
        why="있는 설정: {settings}",
    )


class KoreanComparingRefuseErrors:
    no_goal = "목표 없음"
    search_without_result = "탐색에서 찾지 못했습니다"
    users = "사용자 {number}명"
    sessions_second = "초당 세션 {number}개"
    requests_second = "초당 요청 {number}건"
    course = "{numbers:으로} 이어지는 과정"
    all_failed = ErrorWords(
        what="{side}: 모든 trial에서 서버가 실패했습니다",
        mend="서버를 고치고 다시 실행하십시오",
        why="{reason}",
    )
    all_void = ErrorWords(
        what="{side}에 믿을 수 있는 trial이 없습니다: {trials}개가 모두 무효이거나 실패했습니다",
        mend="`loadrig report`로 이유를 보고, 그것을 고친 뒤 다시 실행하십시오",
        why="{reason}",
    )
    trials_in_common = ErrorWords(
        what="{a:과} {b}에 같은 trial이 있습니다",
        mend="실행 두 개, 또는 한 study의 설정 두 개를 쓰십시오: RUN#0 RUN#1",
        why="무엇이든 자기 자신과는 다르지 않습니다",
    )

    def other_load_model(self, a: str, b: str, is_mixed: bool) -> ErrorWords:
        return ErrorWords(
            what=f"A의 부하는 {a}, B의 부하는 {b}입니다",
            mend="둘 다 같은 plan으로 실행하십시오",
            why="응답을 기다리는 사용자는 느린 서버에 덜 요청하므로, 같은 서버도 고정된 요청률에서보다 좋아 보입니다"
            if is_mixed
            else "요청하는 리듬이 다릅니다",
        )

    search_on_one_side = ErrorWords(
        what="용량을 찾으며 부하를 조절한 쪽은 {searched}, plan대로 부하를 건 쪽은 {other}입니다",
        mend="둘 다 같은 방법으로 실행하십시오: `loadrig capacity` 또는 `loadrig run`",
        why="용량 근처에서 측정한 것은 다른 부하에 대해 아무것도 말해 주지 않습니다",
    )
    other_load_level = ErrorWords(
        what="A의 부하는 {a}, B의 부하는 {b}입니다",
        mend="둘 다 같은 부하로 실행하거나, 양쪽의 용량을 찾으십시오",
        why="둘의 차이는 부하의 차이일 것입니다",
    )
    other_goals = ErrorWords(
        what="A의 용량은 {a}에서의 것이고, B의 용량은 {b}에서의 것입니다",
        mend="둘 다 같은 목표로 찾으십시오",
        why="용량은 목표를 만족하는 최대 부하이므로, 목표가 다르면 다른 수치입니다",
    )
    no_capacity = ErrorWords(
        what="{side}의 용량을 알 수 없습니다",
        mend="`loadrig report`로 이유를 보십시오. 다른 목표나 더 긴 --budget이 도움이 될 수 있습니다",
        why="{reason}",
    )

    def no_common_route(self, a: str, b: str, is_imported: bool) -> ErrorWords:
        return ErrorWords(
            what="A와 B에 공통된 경로가 없습니다",
            mend="둘 다 같은 plan으로 실행하십시오. 이름만 바뀐 경로에는 예전 이름을 주십시오"
            + (": loadrig import FILE --route 'THEIRS=OURS'" if is_imported else ""),
            why=f"A가 요청한 것: {a}; B가 요청한 것: {b}",
        )

    other_unit = ErrorWords(
        what="{measure}의 단위가 한쪽은 {first}, 다른 쪽은 {second}입니다",
        mend="가져올 때 둘을 같은 단위로 맞추십시오",
        why="단위가 다르면 다른 수치입니다",
    )
