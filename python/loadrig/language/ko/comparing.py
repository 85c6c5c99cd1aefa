from collections.abc import Mapping
from typing import ClassVar


class KoreanComparingDifferencesTexts:
    names: ClassVar[Mapping[str, str]] = {
        "cpu": "CPU", "cores": "코어", "memory": "메모리", "architecture": "아키텍처", "kernel": "커널",
        "system": "시스템", "python": "Python", "kind": "종류", "cpus": "쓰는 코어", "command": "명령",
        "runtime": "런타임", "version": "버전", "program_version": "프로그램 버전", "workers": "worker 수",
        "text": "내용", "load_made_by": "부하를 만든 도구", "times": "시간의 기준",
    }  # fmt: skip
    and_text = "{name}: {first} 대 {second}"
    memory_and = "메모리: {mine} 대 {theirs}"


class KoreanComparingHistoryTexts:
    another_plan = "다른 plan"
    void_or_failed = "무효 또는 실패"
    another_setting = "다른 설정"
    under_another_load = "다른 부하"
    under_other_goals = "다른 목표"


class KoreanComparingJudgedTexts:
    no_number_above = "비교할 0보다 큰 수가 없습니다"
    both_mean_two = "두 구성의 평균에서 둘 다"
    run_each_interval = "한 번씩 실행했습니다: 구간은 실행 안의 것이고 다음 실행은 알지 못합니다"
    run_each_judged = "한 번씩 실행했고, 반복 실행이 얼마나 다른지와 그 사이의 시간만큼을 더해 판정했습니다"
    not_turns_block = "번갈아 실행하지 않았습니다: 실행 사이에 바뀐 것을 감안해 블록의 편차를 둡니다"
    differs_certain_whether = "분명히 다릅니다. 의미 있는 만큼 다른지는 열려 있습니다"
    neither_side_tells = "어느 쪽에서도 실행끼리 얼마나 다른지 알 수 없어 한 번씩으로는 증명되지 않습니다. 번갈아 실행하거나 (A B A B ...) 이 plan의 이전 실행을 옆에 두십시오"
    came_first_every = (
        "모든 쌍에서 A가 먼저였습니다: 시간에 따라 변하는 것이 한쪽에 유리합니다. 순서를 추첨으로 정하십시오"
    )
    judged_how_far = "이전 실행 {n}개가 얼마나 다른지로 판정했습니다"
    judged_together_holm = "함께 판정한 {together}개 중 하나 (Holm)"
    requests_b = "A 요청의 {a}, B 요청의 {b}"
    mix_routes_differs = "경로의 구성이 다릅니다 ({route}: {shares}). 그래서 모든 경로를 합친 수치도 그만큼 다릅니다. 지연 시간과 오류는 같은 구성에서 판정하고, 처리량과 CPU는 그럴 수 없습니다"
    blocks_b_did = "A의 블록 {blocks_a}개와 B의 블록 {blocks_b}개가 번갈아 실행되지 않아 그 사이에 바뀐 것도 차이로 셉니다. 번갈아 실행하면 같은 시간에 더 많은 것을 알 수 있습니다"


class KoreanComparingReadTexts:
    has_settings_base = "{name}에 설정 {settings}개가 있습니다. base({label})를 비교합니다: 다른 것은 {name}#1처럼 번호로 부르십시오"


class KoreanComparingRefuseTexts:
    word_users = "응답을 기다리는 사용자"
    word_saturate = "쉬지 않는 커넥션"
    word_rate = "고정된 요청률"
    word_sessions = "도착하는 세션"
    word_replay = "시각 목록"
    no_reason_recorded = "기록된 이유가 없음"
    no_capacity_no_level_meets = "목표를 만족하는 부하가 없음"
    no_capacity_all_levels_meet = "보낸 모든 부하가 목표를 만족했으므로 용량은 그보다 큼"
    no_capacity_generator_limited = "서버보다 먼저 부하 발생기가 한계였음"
    no_capacity_budget = "한계를 알기 전에 시간이 다 됨"
    chosen_what_went = "; 남은 것은 무엇이 잘못되었는지로 골라진 것입니다"
    users_wait_their = "사용자가 응답을 기다리므로 지연 시간은 처리량의 거울입니다 (R = N/X - Z): 더 많이 응답하는 서버는 더 많이 요청받습니다"
    b_have_different = "A와 B의 목표가 다릅니다. 목표를 지켰는지가 아니라 측정한 것을 비교합니다"
    trials_ran_several = "{name}의 trial들이 여러 머신에서 실행되었습니다. 차이는 머신의 것일 수 있습니다"
    b_ran_different = "A와 B가 다른 머신에서 실행되었습니다 ({what}): 차이는 머신의 것일 수 있습니다"
    cores_worked_slower = "{slower}에서 코어가 {faster}보다 {by} 느렸습니다 (core_speed): 차이는 머신의 것일 수 있습니다. 둘을 번갈아 실행하십시오 (A B A B ...)"
    void_trials = "무효 {count}개"
    failed_trials = "실패 {count}개"
    trials_out = "{name}: trial {trials}개 중 {lost}개를 뺐습니다 ({words})"
    disturbed_and = "{name}: trial {trials}개 중 {disturbed}개가 교란되었지만 남겼습니다: {reason}"
    load_was_by = "{name}의 부하는 {tool:이} 만들었습니다"
    service_times_compared = "{makers}: 보낸 때부터 재는 서비스 시간을 비교합니다"
    had_requests_second = "A는 초당 요청 {rate_a}, B는 {rate_b}였고, {sides}에 무엇이 요청되었는지 알 수 없습니다: 차이는 부하의 것일 수 있습니다"
    only_asks = "A만 {name:을} 요청합니다"
    only_b_asks = "B만 {name:을} 요청합니다"
    figures_all_routes = "{only}: 모든 경로를 합친 수치는 서로 다른 작업의 것입니다"
    what_due_not = "예정된 것의 {worst:가} 제때 처리되지 않았습니다: 용량 이상에서 지연 시간은 쌓인 양을 재며, 볼수록 늘어납니다. 용량을 비교하십시오"
