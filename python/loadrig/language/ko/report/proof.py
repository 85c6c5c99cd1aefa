class KoreanReportProofTexts:
    more_better = "클수록 좋음"
    less_better = "작을수록 좋음"


class KoreanReportProofWordsTexts:
    no_capacity_limits = "움직임"
    interval_not = "구간을 알 수 없음"
    and_more = "1,000 이상"
    ended_early_answer = "답이 확실해져 일찍 끝났습니다"
    nothing_changed = "아무것도 바꾸지 않았습니다."
    trials_their_own = "별도의 trial"
    trials_own = "별도의 trial"
    to = "{low} ~ {high}"
    at_least = "적어도 {factor}"
    gives = "{in_percent:이} {change}{suffix:을} 줍니다"
    in_all = "{plural}, 모두 {whole}"
    the_was_given = ", 주어진 {budget_s} 중"
    took = "{took_s}{within} 걸렸습니다{ended}."
    changed_in = "{word}에서 {things:을} 바꾸었습니다."
    more_trials_apart = ", 별도의 trial에서 {apart} 더"
    changed_while_load = "부하가 도는 동안 {things:을} 바꾸었습니다{word}."


class KoreanReportTextCardTexts:
    not_text = "{rests_on} 아님: {text}"
    explains = "{symptoms:을} 설명합니다"


class KoreanReportTextProofTexts:
    more_experiment = "실험 더"
    more_page = ", 페이지에 {more}개 더"
    done_server = "서버에 한 일{word}:"
    not_tried_either = "시험하지 않은 것: {plural}; 페이지에 이유가 있습니다."
    not_tried = "시험하지 않음: {title}: {why_untried}."
    on_the_page = "페이지에 {plural}"
    fix_to = "조치, {title}: {measure} {before}에서 {after:으로}, {change}"
    predicted = ", 예측 {change}"


class KoreanReportRivalsTexts:
    text_cleared = "아무것도 움직이지 않고, 다른 수단 하나는 확실하지 않음"
    moves = "움직임"
    moves_nothing_cleared = "아무것도 움직이지 않음: 배제됨"
    what_seen = "본 것으로는: {reason}"
    is_still = "{get}: 여전히 {verdict}"
    by_what_seen = "; 본 것으로는: {reason}"
    moves_nothing = "아무것도 움직이지 않음{more}"
    unsure_too_little = "불확실: 측정이 너무 적음{more}"
    moves_others_do = "움직임, 다른 것도 그럼{more}"
    not_tried = "시험하지 않음: {why_untried}"
    not_tried_yet = "시험하지 않음{decides}"
