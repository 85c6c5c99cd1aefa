from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


class KoreanPlanCheckPassagesErrors:
    nothing_sure = ErrorWords(
        what="모든 단계가 생략될 수 있어, 사용자가 보낼 것이 없을 수 있습니다",
        mend="조건이 없는 단계를 더하십시오",
    )
    of_login = ErrorWords(
        what="로그인은 토큰이 필요할 때마다 하므로 {key:을} 쓸 수 없습니다",
        mend="로그인에서 {key:을} 빼십시오",
    )

    def no_such_step(self, name: str, steps: str, close: str | None) -> ErrorWords:
        return ErrorWords(
            what=f"through의 {with_particle(name, '은')} 이 단계도, 그 뒤의 단계도 아닙니다",
            mend=f"through: {close}" if close else "이 단계부터 뒤에 있는 단계의 이름을 쓰십시오",
            why=f"그런 단계는 {steps}",
        )

    def no_such_variable(self, name: str, variables: str, close: str | None) -> ErrorWords:
        return ErrorWords(
            what=f"변수 {with_particle(name, '을')} 꺼내는 요청이 없습니다",
            mend=f"variable: {close}" if close else f"요청에 extract: {{{name}: …}}를 더하십시오",
            why=f"변수는 {variables}" if variables else "아무 요청도 변수를 꺼내지 않습니다",
        )

    parts_beside = ErrorWords(
        what="단계 {step:은} 앞의 단계와 함께 보내는데, 둘 중 하나만 정해집니다",
        mend="`through`에 함께 보내는 단계의 마지막 이름을 쓰십시오",
    )
    by_half = ErrorWords(
        what="이 단계들은 {first}에서 {last}까지의 안에서 시작해 그 뒤에서 끝납니다",
        mend="`through`에 {last} 또는 그 앞의 단계를 쓰십시오",
    )
