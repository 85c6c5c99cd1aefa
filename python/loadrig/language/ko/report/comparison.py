class KoreanReportComparisonTexts:
    area_tier = "서버 뒤"
    all_routes_together = "모든 경로 합계"
    lead = "A에 대한 B. 판정하는 것이 먼저 옵니다. 여유 안의 변화는 중요하지 않습니다."
    too_little_matter = "중요하지 않을 만큼 작음"
    better_worse_equal = "▲ 나아짐, ▼ 나빠짐, ≈ 같거나 중요하지 않을 만큼 작음, ~ 판단할 수 없음."
    route_route = "경로별"
    all_routes_together_move = "모든 경로의 합계는 구성 때문에도 움직입니다."
    answers_moved = "어떤 응답이 움직였는가"
    caption = "전체 요청에서 각 경로의 비율"
    the_mix = "요청 구성"
    what_asked_not = "요청한 것이 같지 않았습니다."
    any_may_reason = "이 중 무엇이든 차이의 이유일 수 있습니다."
    what_not_same = "무엇이 같지 않았는가"
    runs_apart_what = "따로 실행; 그 사이에 바뀐 것도 차이로 세며, 감안합니다"
    how_judged = "어떻게 판정했는가"
    and_more = "{parts} 외 {others}개"
    more_routes_see = "경로 {more}개 더: 페이지나 JSON을 보십시오."
    study_compared_within = "한 study의 {plural}, 각각의 안에서 비교"
    runs_turns_compared = "번갈아 실행한 {plural}, 각각의 안에서 비교"
    trials = "{name}: {counts}; trial {seconds}"


class KoreanReportComparisonFilesTexts:
    routes_moved = "움직인 경로:\n\n"
    what_not_same = "무엇이 같지 않았는가"
    not_same = "같지 않음"
    all_routes = "모든 경로"
    and_more = "… 외 {moved}개."
    about_runs_turns = "; 번갈아 약 {plural:을} 실행하면 알 수 있습니다"


class KoreanReportComparisonWordsTexts:
    better_beside_what = "판정하는 것 외에 나아진 것"
    no_reasonable_number = "적당한 수의 실행으로는 판단할 수 없습니다: 차이가 여유에 너무 가깝거나 실행끼리 너무 다릅니다. 여유를 넓히거나 (--equal-within) trial을 길게 하십시오."
    b_than = "B가 A보다 {word}: {named}."
    within = "{name_of}, {margin} 이내 ({change})"
    whether_b_differs = "B가 A와 다른지 판단할 수 없습니다{text}."
    and_more = "{parts} 외 {more}개"
    what_would_tell = "판단하려면: 번갈아 실행 약 {replace}{time}."


class KoreanReportHistoryTexts:
    trivial_change = "사소한 변화"
    no_change = "변화 없음"
    another_machine = "다른 머신"
    every_measure = "모든 지표"
    not_same = "같지 않음"
    changes_newest_first = "변화, 최근 것부터"
    run_run = "실행별"
    since = "{run_of}부터 {listed}"
    became = "{word}: {parts}."
    no_change_newest = "최근 {plural}에서 중요한 변화가 없습니다."
    cannot_tell_change = "{plural}로는 변화를 잡음과 구별할 수 없습니다: 앞뒤로 세 개씩 필요합니다."
    out = "뺀 것: {parts}."
    to = "{least} ~ {greatest}"


class KoreanReportHistoryFilesTexts:
    not_same = "같지 않음"
    changes_newest_first = "변화, 최근 것부터:\n\n"
    and_more = "… 외 {changes}개."
    load = "{plan}의 부하"
    now = "지금 {end_of}"
    since = "{run_of}부터 {effect}"
    now_not_same = "{now}; 같지 않음: {different}"
    takes_three_either = "{plural}, 변화의 앞뒤로 세 개씩 필요합니다"
