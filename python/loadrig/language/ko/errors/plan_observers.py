from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


class KoreanPlanCheckObserversErrors:
    wrong_name = ErrorWords(
        what="{shown:은} observer의 이름이 될 수 없습니다",
        mend="web1처럼 글자, 숫자, 점, 하이픈, 밑줄을 쓰십시오",
        why="보고서는 observer가 본 것을 web1/host처럼 이름과 빗금으로 부릅니다",
    )
    two_observers_same_name = ErrorWords(
        what="두 observer의 이름이 {name:으로} 같습니다",
        mend="각각 다른 이름을 쓰십시오",
        why="첫 번째는 {first_line}번째 줄에 있습니다",
    )

    def unsplittable_command(self, key: str, is_quote_open: bool) -> ErrorWords:
        lacking = "닫는 따옴표가" if is_quote_open else "이스케이프할 문자가"
        return ErrorWords(
            what=f"{with_particle(key, '을')} 낱말로 나눌 수 없습니다: {lacking} 없습니다",
            mend="따옴표를 닫으십시오",
        )

    empty_command = ErrorWords(what="{key:이} 비어 있습니다", mend="{example}처럼 명령을 쓰십시오")
    asks_for_terminal = ErrorWords(
        what="{program} {option:은} 터미널을 요구합니다",
        mend="{command:을} 쓰십시오",
        why="observer는 평범한 파이프로 통신하는데, 터미널을 거치면 에코가 섞입니다",
    )
    closed_input = ErrorWords(
        what="-i가 없는 {program} exec는 표준 입력을 넘겨주지 않습니다",
        mend="{command:을} 쓰십시오",
        why="loadrig는 표준 입력으로 observer와 통신하며, 그것이 닫히면 observer가 끝납니다",
    )
