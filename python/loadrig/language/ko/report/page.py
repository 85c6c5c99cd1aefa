class KoreanReportHtmlTexts:
    to_verdict = "판정으로 건너뛰기"
    theme = "밝게, 어둡게, 또는 시스템 설정대로"
    sections = "목차"
    charts_of = "차트 대상"
    colours_after_okabe = "색은 Okabe와 Ito(2008)를 따라 어떤 색각으로도 구별되며, 선은 점선으로도, 판정은 기호와 낱말로도 구별됩니다. 차트: uPlot 1.6.32 (MIT)."
    same_table = "같은 내용을 표로"
    setting = "{group} 설정"
    chart_of = "{title}: 차트, 표가 이어집니다"


class KoreanReportHtmlCardTexts:
    what_to_do = "할 일"
    why_nothing_else = "다른 것이 아닌 이유"
    what_would_decide = "판가름할 것"
    against = "반증"
    not_seen = "보지 못한 것"
    what_explains = "설명하는 것"


class KoreanReportKickerTexts:
    kind_capacity = "용량"
    kind_tune = "튜닝"
    kind_soak = "소크"
    kind_spike = "급증"
    kind_grid = "격자"
    kind_one_at_a_time = "한 번에 항목 하나"
    study = "study"
    trial = "trial {index}"
    measured = "{amount} 측정"
    open_browser = "브라우저에서 {short:을} 여십시오"


class KoreanReportRunTexts:
    trial = "trial {get}"
    trial_of_setting = "trial {index}: {setting}"


class KoreanReportNumbersTexts:
    and_more = "×1,000 이상"
    points = "{sign}{difference}포인트"
    number_of_points = "{removesuffix}포인트"
    items_and_more = "{items} 외 {others}개"
    joined = "{items}, {last}"


class KoreanReportTopFramesTexts:
    cpu_time_function = "함수 자체의 CPU 시간, 프로파일에서의 비율."
    cpu_time_function_all = "함수와 그것이 호출한 모든 것의 CPU 시간."
    cpu_time = "{named}의 CPU 시간: {split}"
    the = "{component}"
