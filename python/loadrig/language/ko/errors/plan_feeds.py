from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


class KoreanPlanCheckFeedsErrors:
    replay_times = "replay의 시각"
    feed = "feed {name}"

    def unreadable_file(
        self, subject: str, file: str, reason: str, looked_for_at: str, close: str | None
    ) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(subject, '을')} 읽을 수 없습니다: {file}: {reason}",
            mend=f"{with_particle(close, '을')} 쓰십시오"
            if close
            else "plan이 있는 폴더를 기준으로 한 경로를 쓰십시오",
            why=f"찾은 위치: {looked_for_at}" if looked_for_at else "",
        )

    empty_feed = ErrorWords(what="feed {name:이} 비어 있습니다", mend="값을 하나 이상 넣으십시오")

    def unknown_column(self, name: str, column: str, columns: str, close: str | None) -> ErrorWords:
        return ErrorWords(
            what=f"{name}의 표에 {with_particle(column, '이라')}는 컬럼이 없습니다",
            mend=f"{with_particle(f'column: {close}', '을')} 쓰십시오"
            if close
            else "표에 있는 컬럼을 쓰십시오",
            why=f"첫 줄에 있는 이름은 {columns}입니다" if columns else "파일이 비어 있습니다",
        )

    short_row = ErrorWords(
        what="{name}의 표에 컬럼 {columns}개 중 {cells}개만 있는 줄이 있습니다: {place}",
        mend="그 줄의 모든 컬럼에 값을 넣으십시오, 빈 값이라도 됩니다",
    )
    not_text = ErrorWords(
        what="feed {name:을} 읽을 수 없습니다: {file:은} UTF-8 텍스트가 아닙니다",
        mend="UTF-8로 저장하십시오",
        why="{reason}",
    )
    too_few_values = ErrorWords(
        what="feed {name}의 값은 {values:,}개인데, 값을 하나씩 차지할 사용자는 {users:,}명입니다",
        mend="값을 {users:,}개 넣거나 order: sequential을 쓰십시오",
    )
    not_two_bounds = ErrorWords(
        what="{name}의 random이 {bounds}인데, 작은 것부터 경계 두 개를 받습니다",
        mend="[1, 100]처럼 경계 두 개를 쓰십시오",
    )
    _times = "한 줄에 시각 하나씩, 처음부터 센 초로, 위의 것보다 앞서지 않게 쓰십시오"
    not_a_time = ErrorWords(what="{place}: {line:은} 초 단위의 시각이 아닙니다", mend=_times)
    time_before_last = ErrorWords(what="{place}: {line:은} 바로 위의 {last}보다 앞섭니다", mend=_times)
    no_times = ErrorWords(what="{file}에 시각이 없습니다", mend=_times)

    def no_such_scenario(self, place: str, scenario: str, close: str | None) -> ErrorWords:
        return ErrorWords(
            what=f"{place}: 이름이 {scenario}인 scenario나 요청이 plan에 없습니다",
            mend=f"{with_particle(close, '을')} 쓰십시오"
            if close
            else "scenario 열에 scenario나 요청의 이름을 쓰십시오",
        )

    no_column = ErrorWords(
        what="{file}에 {column} 열이 없습니다", mend="첫 줄을 time,scenario로 시작하십시오"
    )
    no_list = ErrorWords(
        what="{file:은} UTF-8로 된 줄이나 CSV 표가 아닙니다",
        mend="UTF-8로 저장하십시오",
        why="{reason}",
    )
