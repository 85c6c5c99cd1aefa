from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


class KoreanPlanGoalsErrors:
    session_longer = "세션이 그 구간보다 길 수 있습니다"
    server_use_of_all = "서버가 쓴 것은 측정 시간 전체에 대해서만 알 수 있습니다"
    request_cost_of_all = "요청 하나의 비용은 측정 시간 전체에 대해서만 알 수 있습니다"
    memory_of_all = "서버가 차지한 메모리는 측정 시간 전체에 대해서만 알 수 있습니다"
    length_of_stretches = "목표 구간의 길이"
    limit_of = "{measure}의 한계"
    goal_instead = "{goal:을} 쓰십시오"
    not_for_stretches = ErrorWords(
        what="{measure:은} 시간 구간별로 판정할 수 없습니다",
        mend="{goal:을} 쓰십시오",
        why="{why}",
    )
    no_length = ErrorWords(
        what="{text}에 얼마 동안인지가 없습니다",
        mend="{goal} for 30s를 쓰십시오",
        why="for 뒤에는 목표를 지켜야 하는 구간의 길이가 옵니다",
    )
    too_short = ErrorWords(
        what="{length:은} 목표 구간으로 너무 짧습니다",
        mend="{goal} for 30s를 쓰십시오",
        why="부하 발생기는 초 단위로 셉니다",
    )

    def unknown_measure(self, name: str, measures: str, close: str | None) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(name, '이라')}는 지표는 없습니다",
            mend=f"{with_particle(close, '을')} 쓰십시오" if close else "이 중 하나를 쓰십시오",
            why=f"있는 것은 {measures}입니다",
        )

    not_in_unit = ErrorWords(
        what="{measure}의 단위는 {unit}인데, {text:은} 그 수가 아닙니다",
        mend="숫자를 쓰십시오",
    )
    not_a_goal = ErrorWords(
        what="{shown:은} 목표가 아닙니다",
        mend="p95 < 500ms, errors < 0.1%, throughput > 100/s 또는 p95{{search}} < 1s를 쓰십시오",
        why="목표는 지표, < 또는 >, 단위가 있는 한계로 이루어집니다",
    )
