from loadrig.base.error_words import ErrorWords


class KoreanExportersTrialErrors:
    no_times = ErrorWords(
        what="{run}에는 {tool}의 합계만 있고 요청의 시간이 없습니다",
        mend="수만 담는 형식으로 내보내십시오: csv, markdown, openmetrics, k6",
    )
    several_trials = ErrorWords(
        what="{run:은} trial이 {count}개인데, 내보내기는 하나를 대상으로 합니다",
        mend="{first}부터 {last}까지 중 trial 하나의 폴더를 쓰십시오",
    )
