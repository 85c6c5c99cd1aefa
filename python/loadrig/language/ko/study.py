from collections.abc import Mapping
from typing import ClassVar


class KoreanStudyChooseTexts:
    fewest_processes = "가장 적은 프로세스"
    fewest_threads = "가장 적은 스레드"
    least_memory_set = "가장 적은 예약 메모리"
    least_memory_least = "가장 적은 메모리 ({least})"
    fewest_changes_from = "base에서 가장 적은 변경"
    best_figure_among = "비용이 같은 것 중 가장 좋은 수치"
    has = "{deciding:을} 가집니다"


class KoreanStudyDoomedTexts:
    can_no_longer = "{text:은} 더는 지킬 수 없습니다: {hits}건이 깼습니다"


class KoreanStudyFidelityTexts:
    times_in = ", {needs}에 {cycles}회"
    with_text = ", {beside:과} 함께"
    load_do_not = "{window}의 부하로는 {knob} {value:이} 하는 일을 볼 수 없습니다: 초당 요청 {rate}건에서 {once} 뒤에 작용합니다{times} ({formula}{word}); {needs} 동안 측정하거나, 비용을 보려면 더 작은 값을 시험하십시오"


class KoreanStudyJudgeTexts:
    same_setting_twice = "같은 설정을 두 번: 차이는 모두 잡음입니다"


class KoreanStudyNodesTexts:
    nodes_differ = (
        "base의 {name:이} 노드 {worse}보다 노드 {better}에서 {change}만큼 좋습니다:"
        " 각 설정은 같은 노드의 base와 비교합니다"
    )
    gains_differ = "설정이 가져오는 변화가 노드마다 다릅니다 (표준 편차 {change}): 구간이 그만큼 넓어지며, 노드를 늘려야만 좁아집니다"


class KoreanStudyNotesTexts:
    base_setting_did = (
        "어느 블록에서도 base 설정을 두 번 실행하지 않아 잡음만으로 얼마나 달라지는지 측정되지 않았습니다."
    )
    in_block = "한 블록에서"
    lost_because_target = "대상 서버가 실패하여 잃음"
    no_load_met = "목표를 만족하는 부하가 없거나, 확신하기 전에 시간이 다 되었습니다"
    no_answer_good = "성공한 응답이 없습니다"
    no_setting_run = "잡음을 알 만큼 자주 실행된 설정이 없습니다: 아직 아무것도 구별할 수 없습니다"
    no_setting_meets = "모든 목표를 만족하는 설정이 없어 아무것도 권하지 않습니다"
    no_setting_meet = "모든 목표를 만족한다고 알려진 설정이 없어 아무것도 권하지 않습니다"
    points = "{removesuffix}포인트"
    each_blocks = "블록 {pairs}개마다"
    base_setting_run = "base 설정을 {times} 두 번 실행했더니 {name:이} {change} 달랐습니다 (제곱평균제곱근)."
    differences_from_base = " base와의 차이가 약 {change} 미만이면 판단할 수 없습니다."
    real_difference_shown = "실제 차이이며, {margin} 미만임이 확인되었습니다"
    to = "{change} ({low} ~ {high})"
    differs_certain_whether = "분명히 {size} 다릅니다. {margin:을} 넘는지는 열려 있습니다"
    judged_together_other = "다른 {together}개와 함께 판정 (Holm)"
    worse = "{worse}개는 더 나쁨"
    that_a_goal = "목표를 놓치는 {goals}"
    beside = ", 옆에 {parts}"
    alone_may_best = "{name} 기준으로 이것만 최선일 수 있습니다 ({reached}){beside}"
    settings_cannot_from = "{name} 기준으로 설정 {members}개를 최선과 구별할 수 없습니다"
    also_has_best = "{group}. 그중 이것이 {reason}; 수치도 가장 좋습니다 ({reached})"
    and_these = "{group} ({label}, {reached}). 그중 이것이 {reason}"
    most_behind = "; 많아야 {loss} 뒤집니다 (95 %)"
    users_wait_their = "사용자가 응답을 기다리므로 {name:은} 처리량의 거울일 뿐입니다 (R = N/X - Z): 더 많이 응답하는 설정은 더 많이 요청받습니다. 처리량을 비교하거나 용량보다 낮은 요청률을 두십시오"
    trials_disturbed_first = "trial {trials}개 중 {disturbed}개가 교란되었지만 남겼습니다: {reason}; 처음은 trial {index} ({setting})"
    more_checks_not = "그중 일부는 검사 {kinds}개를 더 통과하지 못했습니다"
    trial = "trial {index} ({setting}): {reasons}"
    trials_out = "trial {trials}개 중 {lost}개를 {words} 뺐습니다: {named}"
    trial_of_setting = "trial {index} ({setting})"
    does_not_belong = "{trial:은} 다른 것과 어울리지 않습니다: {name:이} {expected:이} 예상되는데 {value}입니다. 남겨 두었습니다: 설정 항목 밖에서 원인을 찾으십시오"
    not_tried = "{label:은} 시험되지 않았습니다"
    has_no = "{label}에는 {name:이} 없습니다: {why_unmeasured}"
    more_settings_have = "설정 {sentences}개에 {name:이} 더 없습니다"
    trial_differs_from = "trial끼리 {change} 다릅니다 (sd). 의미 있는 {margin}보다 큽니다: 설정이 같음을 보이려면 블록을 늘리거나 trial을 길게 하십시오"


class KoreanStudyProofTexts:
    with_text = "{setting:으로} {change}"
    though_signs_stayed = "{text}, 그러나 징후는 남았습니다"
    so_resource_short = "{text}, 그러므로 누가 잡고 있든 그 자원이 모자랐습니다"
    signs_gone = "{text}, 그리고 징후가 사라졌습니다"
    changed_by_to = "{measure:이} {effect} 변했습니다 (95 % {low} ~ {high})"
    measure_changed_by = "{measure:이} {effect} 변했습니다 ({low} ~ {high})"


class KoreanStudyRunnerTexts:
    is_void = "무효입니다"
    has_failed = "실패했습니다"
    will_repeated_once = "한 번 다시 실행합니다"
    is_out = "뺍니다"
    stopped_after_trials = "요청대로 trial {trials}개 뒤에 멈췄습니다"
    ended_early_hand = "trial {total}개 중 {trials}개 뒤에 손으로 일찍 끝냈습니다"
    budget_used_not = "시간 예산을 다 썼습니다; trial {unrun}개가 실행되지 않았습니다"
    trial = "trial {index} ({setting}) {what}{reason}; {then}"


class KoreanStudyDealingTexts:
    none_more = "더는 trial을 시작하지 않으며, 돌고 있는 trial은 스스로 끝납니다"
    several_at_once = "여러 노드의 trial이 동시에 돌고 있으며, 비교하려면 부하가 같아야 합니다"
    node_lost = "{name}: 잃었습니다 ({why}). 거기서 돌던 trial {index}은 다른 노드에서 다시 실행됩니다"


class KoreanStudyLocalNodeTexts:
    ended = "프로세스가 끝났습니다"


class KoreanStudyRayNodesTexts:
    not_ready = "{seconds}초 안에 준비되지 않았습니다"


class KoreanStudyTrialsTexts:
    no_request_got = "응답을 받은 요청이 없습니다"


class KoreanStudySoakExperimentTexts:
    words: ClassVar[Mapping[str, str]] = {"leaks": "누수", "harmless": "무해", "open": "미정"}
    nothing_read = "{why}: 읽은 것이 없습니다"


class KoreanStudySoakFollowTexts:
    open_descriptors = "열린 디스크립터"
    limit_descriptors = "디스크립터의 한계"
    most_tasks_control = "cgroup의 최대 태스크 수"


class KoreanStudyTuningAnsweringTexts:
    tuning_stopped_before = "튜닝이 끝나기 전에 멈췄습니다: 아직 아무것도 확인되지 않았습니다."
    server_worked_no = "시험한 어떤 설정으로도 서버가 동작하지 않았습니다."
    no_setting_tried = "시험한 설정 중 목표를 만족한다고 확신할 수 있는 것이 없습니다."
    no_setting_tried_meets = (
        "시험한 설정 중 목표를 만족하는 것이 없습니다. 가장 가까운 것은 {near}이며 {missed:을} 놓칩니다."
    )
    and_text = "{others}, {last}"


class KoreanStudyTuningConfirmTexts:
    best_finalists = "최종 후보 중 최선입니다"
    equivalent_best_finalists = "최종 후보 중 최선과 동등하며, {why}"


class KoreanStudyTuningLoadTexts:
    cut_short = "용량을 알기 전에 시간이 다 되었습니다: 적어도 이만큼입니다"


class KoreanStudyTuningModelTexts:
    goal = "목표 {at}"


class KoreanStudyTuningResultTexts:
    note = "확인 블록만으로"


class KoreanStudyStrategiesCapacityTexts:
    no_higher_load = "이보다 높은 부하를 보내지 않습니다: 초당 요청이나 세션, 또는 사용자."
    overload_server_end = "마지막에 서버에 과부하를 걸어 회복하는지 봅니다."
    overload_end_included = ", 마지막의 과부하 포함"
    first_level_then = "첫 수준에서 {warm_up_s}, 그다음 "
    search_capacity_takes = "{begin}최대 {most} 걸리는 용량 탐색{overload}"
    judged_right_below = "{text:은} 용량 바로 아래에서 판정되며 탐색에는 들어가지 않습니다"


class KoreanStudyStrategiesGridTexts:
    most_settings_larger = "설정의 최대 수; 더 큰 격자는 거절합니다."


class KoreanStudyStrategiesSoakTexts:
    how_long_measured = "최대 측정 시간."
    end_before_when = "답이 확실해지면 그 전에 끝냅니다."
    every_combination = "knob 값의 모든 조합을 trial 하나씩 soak합니다. 기본은 base 하나입니다."
    or_less_once = ", 답이 확실해지면 더 짧게"
    measured = "{warming}{length} 측정{ends}"


class KoreanStudyStrategiesSpikeTexts:
    times_usual_load = "평소 부하의 몇 배를 요청할지."
    how_long_spike = "급증의 길이."
    usual_load_before = "기준선을 알기 위한 그 전의 평소 부하."
    usual_load_after = "회복을 보기 위한 그 뒤의 평소 부하."
    usual_load_times = "{warming}평소 부하 {before}, {times}배를 {long}, 다시 평소 부하 {after}, 요청이 아직 기다리면 {longer}까지"


class KoreanStudyStrategiesTuneTexts:
    what_make_good = "가능한 한 좋게 만들 것: capacity, cost_per_request 또는 지표."
    second_measure_trade = "두 번째 지표: 둘의 트레이드오프를 찾습니다."
    what_says_setting = "다음에 시험할 설정을 정하는 것."
    settings_search_tries = "탐색이 시험하는 설정 수; 기본 10 ~ 30."
    whether_screen_default = "선별할지 여부; 기본으로 다섯 개 이상의 항목이 무효과일 수 있을 때."
    measured_trial_screening = "선별, 탐색, 경쟁의 trial에서 측정하는 시간; 기본 20s, 용량이면 40s."
    measured_trial_final = "최종 경쟁과 확인의 trial에서 측정하는 시간; 기본 30s, 용량이면 60s."
    cores_server_may = "서버가 쓸 수 있는 코어; 기본은 묶인 코어; 0: 큐잉 모델 없음."
    core_second_cost = "cost_per_request에서 코어 하나의 1초 비용."
    gib_memory_second = "cost_per_request에서 메모리 1 GiB의 1초 비용."
    first_level_then = "첫 수준에서 {warm_s}, 그다음 "
    at_most = "최대 {seconds}"
    search_capacity_takes = "{begin}{most} 걸리는 용량 탐색"
    measured = "{warming}{most} 측정"
    final_race_confirmation = "{text}; 최종 경쟁과 확인에서는 {last}"


class KoreanStudySpikeExperimentTexts:
    calm = "잔잔함"
    spike_over_watched = "급증이 끝났고 충분히 지켜보았습니다"
    requests_still_flight = "요청 {in_flight}건이 아직 처리 중입니다"


class KoreanStudyCapacityExperimentTexts:
    over = "이 시간 안에 알 수 있는 만큼 용량을 알았습니다"
    what_had_piled = "쌓인 것을 다 처리했습니다"


class KoreanStudyCapacityProbeTexts:
    more_came_than = "나간 것보다 온 것이 많았습니다"


class KoreanStudyCapacityRampTexts:
    full = "나간 것보다 온 것이 많았습니다"


class KoreanStudyCapacitySearchTexts:
    what_had_piled = "부하가 거의 없는데도 {took_s} s 안에 쌓인 것을 다 처리하지 못했습니다"
    generator_could_not = "부하 발생기가 과부하 {level:을} 낼 수 없었습니다"
    time_up_before = "용량을 {width} 안에서 알기 전에 시간이 다 되었습니다: {expm1} 안입니다"
    time_up_before_any = "어떤 수준에서도 목표가 깨지기 전에 시간이 다 되었습니다: {at_s} s는 너무 짧고 {enough_s} s 이상이 필요합니다"
