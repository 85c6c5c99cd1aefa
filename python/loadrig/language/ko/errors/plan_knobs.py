from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


class KoreanPlanKnobsErrors:
    def unknown_knob(self, target: str, name: str, knobs: str, close: str | None) -> ErrorWords:
        return ErrorWords(
            what=f"{target}에 {with_particle(name, '이라')}는 설정 항목은 없습니다",
            mend=f"{with_particle(close, '을')} 쓰십시오" if close else "빼십시오",
            why=f"있는 설정 항목은 {knobs}입니다"
            if knobs
            else "loadrig가 시작하지 않는 것에는 정할 설정 항목이 없습니다",
        )

    no_values = ErrorWords(
        what="{name:이} 비어 있습니다",
        mend="값을 하나 이상 쓰십시오: {name}: [1, 2, 4]",
    )
    _values = "{name}: [1, 2, 4] 같은 값, 또는 {name}: 1..9 같은 정수의 범위를 쓰십시오"
    not_a_value = ErrorWords(what="{name}의 값이 {shown}입니다", mend=_values)
    value_twice = ErrorWords(what="{name}에 값 {value:이} 두 번 있습니다", mend=_values)
    not_a_range = ErrorWords(what="{name:은} {shown}인데, 범위가 아닙니다", mend=_values)
    range_reversed = ErrorWords(what="{name:은} {written}인데, 범위의 끝이 시작보다 작습니다", mend=_values)
    range_too_long = ErrorWords(what="{name:은} {written}인데, 값이 {values:,}개나 됩니다", mend=_values)
    base_not_among_values = ErrorWords(
        what="{name}의 base {shown:은} 그 값들 중에 없습니다",
        mend="그중 하나를 쓰거나, 값에 {shown:을} 추가하십시오",
        why="그 값은 {values}입니다",
    )

    def not_a_word(self, name: str, shown: str, words: str, close: str | None) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(name, '은')} {shown}일 수 없고, {words} 중 하나입니다",
            mend=f"{with_particle(close, '을')} 쓰십시오" if close else "이 중 하나를 쓰십시오",
        )

    not_a_flag = ErrorWords(
        what="{name:은} {shown}인데, 예 또는 아니요만 받습니다",
        mend="{name}: [true, false]를 쓰십시오",
    )
    not_a_whole_number = ErrorWords(
        what="{name:은} {shown}인데, 정수를 받습니다",
        mend="{name}: {sample:을} 쓰십시오",
    )
    not_a_number = ErrorWords(
        what="{name:은} {shown}인데, 숫자를 받습니다",
        mend="{name}: {sample:을} 쓰십시오",
    )
    not_a_size = ErrorWords(
        what="{name:은} {shown}인데, 크기를 받습니다",
        mend="{name}: [64MB, 1GiB]을 쓰십시오",
    )

    def out_of_range(self, name: str, value: str, low: str, high: str) -> ErrorWords:
        bounds = f"{low} 이상 {high} 이하" if low and high else f"{low} 이상" if low else f"{high} 이하"
        return ErrorWords(
            what=f"{with_particle(name, '은')} {value}일 수 없습니다: 범위는 {bounds}입니다",
            mend=f"{bounds}의 값을 쓰십시오",
        )


class KoreanPlanConditionsErrors:
    not_a_condition = ErrorWords(
        what="{name}의 조건이 {shown}인데, 조건의 형식이 아닙니다",
        mend="worker_class == gthread, worker_class != sync 또는 worker_class in [gthread, gevent]을 쓰십시오",
    )

    def never_that_value(self, name: str, value: str, values: str, close: str | None) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(name, '은')} 결코 {value!r}일 수 없습니다",
            mend=f"{with_particle(close, '을')} 쓰십시오"
            if close
            else f"그중 하나를 쓰거나, {name}에 {with_particle(value, '을')} 추가하십시오",
            why=f"이 plan에서 그 값은 {values}입니다",
        )

    later_knob = ErrorWords(
        what="{name:은} 더 아래에 쓴 {depended}에 따라 정해집니다",
        mend="{depended:을} {name} 위에 쓰십시오",
    )

    def knob_not_in_plan(self, name: str, depended: str, close: str | None) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(name, '은')} 이 plan의 설정 항목이 아닌 {depended}에 따라 정해집니다",
            mend=f"{with_particle(close, '을')} 쓰십시오"
            if close
            else f"knobs에서 {name} 위에 {with_particle(depended, '을')} 추가하십시오",
        )

    never_set = ErrorWords(
        what="{name:이} 결코 설정되지 않습니다: 조건에 맞는 {depended}의 값이 없습니다",
        mend="조건을 넓히거나 {name:을} 빼십시오",
    )
