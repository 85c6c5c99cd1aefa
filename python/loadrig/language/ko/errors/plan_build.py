from collections.abc import Sequence

from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


class KoreanPlanBuildErrors:
    def two_requests_same_name(self, name: str) -> ErrorWords:
        return ErrorWords(
            what=f"두 요청의 이름이 {with_particle(repr(name), '으로')} 같습니다",
            mend=f"하나의 이름을 {name + ' 다시'!r}처럼 바꾸십시오",
            why="보고서와 목표는 경로를 이름으로 구별합니다",
        )

    nothing_listed = ErrorWords(
        what="{key:이} 비어 있습니다",
        mend="하나 이상 쓰십시오: {key}: [{{get: /}}]",
    )
    too_many_steps = ErrorWords(
        what="부하가 {steps}단계입니다: {most}단계까지만 만들 수 있습니다",
        mend="add를 더 크게 쓰거나 stages: [{{to: 100, over: 30s}}]처럼 경사로 쓰십시오",
    )
    least_above_most = ErrorWords(
        what="{key:이} 최소 {least}, 최대 {most}입니다",
        mend="at_most를 {least:으로} 올리거나 at_least를 낮추십시오",
    )

    def unknown_strategy(self, name: str, strategies: Sequence[str], close: str | None) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(repr(name), '이라')}는 전략은 없습니다",
            mend=f"{with_particle(close, '을')} 쓰십시오"
            if close
            else f"이 중 하나를 쓰십시오: {', '.join(strategies)}",
            why=f"있는 것은 {', '.join(strategies)}입니다",
        )

    def unknown_probe(self, name: str, probes: str, close: str | None) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(repr(name), '이라')}는 프로브는 없습니다",
            mend=f"{with_particle(close, '을')} 쓰십시오" if close else "이 중 하나나 all을 쓰십시오",
            why=f"있는 것은 {probes}입니다",
        )
