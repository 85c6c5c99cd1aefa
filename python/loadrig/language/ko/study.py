from collections.abc import Mapping
from typing import ClassVar

from loadrig.language.en.study import (
    StudyCapacityExperimentTexts,
    StudyCapacityProbeTexts,
    StudyCapacityRampTexts,
    StudyCapacitySearchTexts,
    StudyChooseTexts,
    StudyDealingTexts,
    StudyDoomedTexts,
    StudyFidelityTexts,
    StudyJudgeTexts,
    StudyLocalNodeTexts,
    StudyNodesTexts,
    StudyNotesTexts,
    StudyProofTexts,
    StudyRayNodesTexts,
    StudyRunnerTexts,
    StudySoakExperimentTexts,
    StudySoakFollowTexts,
    StudySpikeExperimentTexts,
    StudyStrategiesCapacityTexts,
    StudyStrategiesGridTexts,
    StudyStrategiesSoakTexts,
    StudyStrategiesSpikeTexts,
    StudyStrategiesTuneTexts,
    StudyTrialsTexts,
    StudyTuningAnsweringTexts,
    StudyTuningConfirmTexts,
    StudyTuningLoadTexts,
    StudyTuningModelTexts,
    StudyTuningResultTexts,
)
from loadrig.language.particles import with_particle


class KoreanStudyChooseTexts(StudyChooseTexts):
    fewest_processes = "가장 적은 프로세스"
    fewest_threads = "가장 적은 스레드"
    least_memory_set = "가장 적은 예약 메모리"
    least_memory_least = "가장 적은 메모리 ({least})"
    fewest_changes_from = "base에서 가장 적은 변경"
    best_figure_among = "비용이 같은 것 중 가장 좋은 수치"

    def has(self, deciding: str) -> str:
        return f"{with_particle(deciding, '을')} 가집니다"


class KoreanStudyDoomedTexts(StudyDoomedTexts):
    def can_no_longer(self, text: str, hits: str) -> str:
        return f"{with_particle(text, '은')} 더는 지킬 수 없습니다: {hits}건이 깼습니다"


class KoreanStudyFidelityTexts(StudyFidelityTexts):
    def times_in(self, cycles: str, needs: str) -> str:
        return f", {needs}에 {cycles}회"

    def with_text(self, beside: str) -> str:
        return f", {with_particle(beside, '과')} 함께"

    def load_do_not(
        self,
        window: str,
        knob: str,
        value: str,
        rate: str,
        once: str,
        times: str,
        formula: str,
        word: str,
        needs: str,
    ) -> str:
        return f"{window}의 부하로는 {knob} {with_particle(value, '이')} 하는 일을 볼 수 없습니다: 초당 요청 {rate}건에서 {once} 뒤에 작용합니다{times} ({formula}{word}); {needs} 동안 측정하거나, 비용을 보려면 더 작은 값을 시험하십시오"


class KoreanStudyJudgeTexts(StudyJudgeTexts):
    same_setting_twice = "같은 설정을 두 번: 차이는 모두 잡음입니다"


class KoreanStudyNodesTexts(StudyNodesTexts):
    def nodes_differ(self, better: str, worse: str, change: str, name: str) -> str:
        return (
            f"base의 {with_particle(name, '이')} 노드 {worse}보다 노드 {better}에서 {change}만큼 좋습니다:"
            " 각 설정은 같은 노드의 base와 비교합니다"
        )

    def gains_differ(self, change: str) -> str:
        return f"설정이 가져오는 변화가 노드마다 다릅니다 (표준 편차 {change}): 구간이 그만큼 넓어지며, 노드를 늘려야만 좁아집니다"


class KoreanStudyNotesTexts(StudyNotesTexts):
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

    def points(self, removesuffix: str) -> str:
        return f"{removesuffix}포인트"

    def each_blocks(self, pairs: str) -> str:
        return f"블록 {pairs}개마다"

    def base_setting_run(self, times: str, change: str, name: str) -> str:
        return f"base 설정을 {times} 두 번 실행했더니 {with_particle(name, '이')} {change} 달랐습니다 (제곱평균제곱근)."

    def differences_from_base(self, change: str) -> str:
        return f" base와의 차이가 약 {change} 미만이면 판단할 수 없습니다."

    def real_difference_shown(self, margin: str) -> str:
        return f"실제 차이이며, {margin} 미만임이 확인되었습니다"

    def to(self, change: str, low: str, high: str) -> str:
        return f"{change} ({low} ~ {high})"

    def differs_certain_whether(self, size: str, margin: str) -> str:
        return f"분명히 {size} 다릅니다. {with_particle(margin, '을')} 넘는지는 열려 있습니다"

    def judged_together_other(self, together: str, is_one: bool) -> str:
        return f"다른 {together}개와 함께 판정 (Holm)"

    def worse(self, worse: str) -> str:
        return f"{worse}개는 더 나쁨"

    def that_a_goal(self, goals: str, is_one: bool) -> str:
        return f"목표를 놓치는 {goals}"

    def beside(self, parts: str) -> str:
        return f", 옆에 {parts}"

    def alone_may_best(self, name: str, reached: str, beside: str) -> str:
        return f"{name} 기준으로 이것만 최선일 수 있습니다 ({reached}){beside}"

    def settings_cannot_from(self, members: str, name: str) -> str:
        return f"{name} 기준으로 설정 {members}개를 최선과 구별할 수 없습니다"

    def also_has_best(self, group: str, reason: str, reached: str) -> str:
        return f"{group}. 그중 이것이 {reason}; 수치도 가장 좋습니다 ({reached})"

    def and_these(self, group: str, label: str, reached: str, reason: str) -> str:
        return f"{group} ({label}, {reached}). 그중 이것이 {reason}"

    def most_behind(self, loss: str) -> str:
        return f"; 많아야 {loss} 뒤집니다 (95 %)"

    def users_wait_their(self, name: str) -> str:
        return f"사용자가 응답을 기다리므로 {with_particle(name, '은')} 처리량의 거울일 뿐입니다 (R = N/X - Z): 더 많이 응답하는 설정은 더 많이 요청받습니다. 처리량을 비교하거나 용량보다 낮은 요청률을 두십시오"

    def trials_disturbed_first(
        self, disturbed: str, trials: str, reason: str, index: str, setting: str
    ) -> str:
        return f"trial {trials}개 중 {disturbed}개가 교란되었지만 남겼습니다: {reason}; 처음은 trial {index} ({setting})"

    def more_checks_not(self, kinds: str) -> str:
        return f"그중 일부는 검사 {kinds}개를 더 통과하지 못했습니다"

    def trial(self, index: str, setting: str, reasons: str) -> str:
        return f"trial {index} ({setting}): {reasons}"

    def trials_out(self, lost: str, trials: str, is_one: bool, words: str, named: str) -> str:
        return f"trial {trials}개 중 {lost}개를 {words} 뺐습니다: {named}"

    def trial_of_setting(self, index: str, setting: str) -> str:
        return f"trial {index} ({setting})"

    def does_not_belong(self, who: str, name: str, seen: str, expected: str) -> str:
        return f"{with_particle(who, '은')} 다른 것과 어울리지 않습니다: {with_particle(name, '이')} {with_particle(expected, '이')} 예상되는데 {seen}입니다. 남겨 두었습니다: 설정 항목 밖에서 원인을 찾으십시오"

    def not_tried(self, label: str) -> str:
        return f"{with_particle(label, '은')} 시험되지 않았습니다"

    def has_no(self, label: str, name: str, why_unmeasured: str) -> str:
        return f"{label}에는 {with_particle(name, '이')} 없습니다: {why_unmeasured}"

    def more_settings_have(self, sentences: str, name: str) -> str:
        return f"설정 {sentences}개에 {with_particle(name, '이')} 더 없습니다"

    def trial_differs_from(self, change: str, margin: str) -> str:
        return f"trial끼리 {change} 다릅니다 (sd). 의미 있는 {margin}보다 큽니다: 설정이 같음을 보이려면 블록을 늘리거나 trial을 길게 하십시오"


class KoreanStudyProofTexts(StudyProofTexts):
    def with_text(self, setting: str, change: str) -> str:
        return f"{with_particle(setting, '으로')} {change}"

    def though_signs_stayed(self, text: str) -> str:
        return f"{text}, 그러나 징후는 남았습니다"

    def so_resource_short(self, text: str) -> str:
        return f"{text}, 그러므로 누가 잡고 있든 그 자원이 모자랐습니다"

    def signs_gone(self, text: str) -> str:
        return f"{text}, 그리고 징후가 사라졌습니다"

    def changed_by_to(self, measure: str, effect: str, low: str, high: str) -> str:
        return f"{with_particle(measure, '이')} {effect} 변했습니다 (95 % {low} ~ {high})"

    def measure_changed_by(self, measure: str, effect: str, low: str, high: str) -> str:
        return f"{with_particle(measure, '이')} {effect} 변했습니다 ({low} ~ {high})"


class KoreanStudyRunnerTexts(StudyRunnerTexts):
    is_void = "무효입니다"
    has_failed = "실패했습니다"
    will_repeated_once = "한 번 다시 실행합니다"
    is_out = "뺍니다"

    def stopped_after_trials(self, trials: str) -> str:
        return f"요청대로 trial {trials}개 뒤에 멈췄습니다"

    def ended_early_hand(self, trials: str, total: str) -> str:
        return f"trial {total}개 중 {trials}개 뒤에 손으로 일찍 끝냈습니다"

    def budget_used_not(self, unrun: str, is_one: bool) -> str:
        return f"시간 예산을 다 썼습니다; trial {unrun}개가 실행되지 않았습니다"

    def trial(self, index: str, setting: str, what: str, reason: str, then: str) -> str:
        return f"trial {index} ({setting}) {what}{reason}; {then}"


class KoreanStudyDealingTexts(StudyDealingTexts):
    none_more = "더는 trial을 시작하지 않으며, 돌고 있는 trial은 스스로 끝납니다"
    several_at_once = "여러 노드의 trial이 동시에 돌고 있으며, 비교하려면 부하가 같아야 합니다"

    def node_lost(self, name: str, why: str, index: str) -> str:
        return f"{name}: 잃었습니다 ({why}). 거기서 돌던 trial {index}은 다른 노드에서 다시 실행됩니다"


class KoreanStudyLocalNodeTexts(StudyLocalNodeTexts):
    ended = "프로세스가 끝났습니다"


class KoreanStudyRayNodesTexts(StudyRayNodesTexts):
    def not_ready(self, seconds: str) -> str:
        return f"{seconds}초 안에 준비되지 않았습니다"


class KoreanStudyTrialsTexts(StudyTrialsTexts):
    no_request_got = "응답을 받은 요청이 없습니다"


class KoreanStudySoakExperimentTexts(StudySoakExperimentTexts):
    words: ClassVar[Mapping[str, str]] = {"leaks": "누수", "harmless": "무해", "open": "미정"}

    def nothing_read(self, why: str) -> str:
        return f"{why}: 읽은 것이 없습니다"


class KoreanStudySoakFollowTexts(StudySoakFollowTexts):
    open_descriptors = "열린 디스크립터"
    limit_descriptors = "디스크립터의 한계"
    most_tasks_control = "cgroup의 최대 태스크 수"


class KoreanStudyTuningAnsweringTexts(StudyTuningAnsweringTexts):
    tuning_stopped_before = "튜닝이 끝나기 전에 멈췄습니다: 아직 아무것도 확인되지 않았습니다."
    server_worked_no = "시험한 어떤 설정으로도 서버가 동작하지 않았습니다."
    no_setting_tried = "시험한 설정 중 목표를 만족한다고 확신할 수 있는 것이 없습니다."

    def no_setting_tried_meets(self, near: str, missed: str) -> str:
        return f"시험한 설정 중 목표를 만족하는 것이 없습니다. 가장 가까운 것은 {near}이며 {with_particle(missed, '을')} 놓칩니다."

    def and_text(self, others: str, last: str) -> str:
        return f"{others}, {last}"


class KoreanStudyTuningConfirmTexts(StudyTuningConfirmTexts):
    best_finalists = "최종 후보 중 최선입니다"

    def equivalent_best_finalists(self, why: str) -> str:
        return f"최종 후보 중 최선과 동등하며, {why}"


class KoreanStudyTuningLoadTexts(StudyTuningLoadTexts):
    cut_short = "용량을 알기 전에 시간이 다 되었습니다: 적어도 이만큼입니다"


class KoreanStudyTuningModelTexts(StudyTuningModelTexts):
    def goal(self, at: str) -> str:
        return f"목표 {at}"


class KoreanStudyTuningResultTexts(StudyTuningResultTexts):
    note = "확인 블록만으로"


class KoreanStudyStrategiesCapacityTexts(StudyStrategiesCapacityTexts):
    no_higher_load = "이보다 높은 부하를 보내지 않습니다: 초당 요청이나 세션, 또는 사용자."
    overload_server_end = "마지막에 서버에 과부하를 걸어 회복하는지 봅니다."
    overload_end_included = ", 마지막의 과부하 포함"

    def first_level_then(self, warm_up_s: str) -> str:
        return f"첫 수준에서 {warm_up_s}, 그다음 "

    def search_capacity_takes(self, begin: str, most: str, overload: str) -> str:
        return f"{begin}최대 {most} 걸리는 용량 탐색{overload}"

    def judged_right_below(self, text: str) -> str:
        return f"{with_particle(text, '은')} 용량 바로 아래에서 판정되며 탐색에는 들어가지 않습니다"


class KoreanStudyStrategiesGridTexts(StudyStrategiesGridTexts):
    most_settings_larger = "설정의 최대 수; 더 큰 격자는 거절합니다."


class KoreanStudyStrategiesSoakTexts(StudyStrategiesSoakTexts):
    how_long_measured = "최대 측정 시간."
    end_before_when = "답이 확실해지면 그 전에 끝냅니다."
    every_combination = "knob 값의 모든 조합을 trial 하나씩 soak합니다. 기본은 base 하나입니다."
    or_less_once = ", 답이 확실해지면 더 짧게"

    def measured(self, warming: str, length: str, ends: str) -> str:
        return f"{warming}{length} 측정{ends}"


class KoreanStudyStrategiesSpikeTexts(StudyStrategiesSpikeTexts):
    times_usual_load = "평소 부하의 몇 배를 요청할지."
    how_long_spike = "급증의 길이."
    usual_load_before = "기준선을 알기 위한 그 전의 평소 부하."
    usual_load_after = "회복을 보기 위한 그 뒤의 평소 부하."

    def usual_load_times(
        self, warming: str, before: str, long: str, times: str, after: str, longer: str
    ) -> str:
        return f"{warming}평소 부하 {before}, {times}배를 {long}, 다시 평소 부하 {after}, 요청이 아직 기다리면 {longer}까지"


class KoreanStudyStrategiesTuneTexts(StudyStrategiesTuneTexts):
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

    def first_level_then(self, warm_s: str) -> str:
        return f"첫 수준에서 {warm_s}, 그다음 "

    def at_most(self, seconds: str) -> str:
        return f"최대 {seconds}"

    def search_capacity_takes(self, begin: str, most: str) -> str:
        return f"{begin}{most} 걸리는 용량 탐색"

    def measured(self, warming: str, most: str) -> str:
        return f"{warming}{most} 측정"

    def final_race_confirmation(self, text: str, last: str) -> str:
        return f"{text}; 최종 경쟁과 확인에서는 {last}"


class KoreanStudySpikeExperimentTexts(StudySpikeExperimentTexts):
    calm = "잔잔함"
    spike_over_watched = "급증이 끝났고 충분히 지켜보았습니다"

    def requests_still_flight(self, in_flight: str) -> str:
        return f"요청 {in_flight}건이 아직 처리 중입니다"


class KoreanStudyCapacityExperimentTexts(StudyCapacityExperimentTexts):
    over = "이 시간 안에 알 수 있는 만큼 용량을 알았습니다"
    what_had_piled = "쌓인 것을 다 처리했습니다"


class KoreanStudyCapacityProbeTexts(StudyCapacityProbeTexts):
    more_came_than = "나간 것보다 온 것이 많았습니다"


class KoreanStudyCapacityRampTexts(StudyCapacityRampTexts):
    full = "나간 것보다 온 것이 많았습니다"


class KoreanStudyCapacitySearchTexts(StudyCapacitySearchTexts):
    def what_had_piled(self, took_s: str) -> str:
        return f"부하가 거의 없는데도 {took_s} s 안에 쌓인 것을 다 처리하지 못했습니다"

    def generator_could_not(self, level: str) -> str:
        return f"부하 발생기가 과부하 {with_particle(level, '을')} 낼 수 없었습니다"

    def time_up_before(self, width: str, expm1: str) -> str:
        return f"용량을 {width} 안에서 알기 전에 시간이 다 되었습니다: {expm1} 안입니다"

    def time_up_before_any(self, at_s: str, enough_s: str) -> str:
        return f"어떤 수준에서도 목표가 깨지기 전에 시간이 다 되었습니다: {at_s} s는 너무 짧고 {enough_s} s 이상이 필요합니다"
