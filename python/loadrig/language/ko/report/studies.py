from loadrig.language.en.report.studies import ReportCapacityTexts, ReportSoakTexts, ReportTuningTexts
from loadrig.language.particles import with_particle


class KoreanReportCapacityTexts(ReportCapacityTexts):
    kind_ramp = "올라가는 중"
    kind_saturation = "응답할 수 있는 것보다 많음"
    kind_search = "한계 근처"
    kind_confirm_below = "한계 바로 아래"
    kind_confirm_above = "한계 바로 위"
    kind_recovery = "과부하 뒤"
    meets_goals = "목표를 만족"
    misses_goal = "목표를 놓침"
    not_sure = "확실하지 않음"
    longer_look_right = "바로 아래를 더 오래 보니 목표를 만족했고, 바로 위는 놓쳤습니다"
    longer_look_right_below = (
        "바로 아래를 더 오래 보니 목표를 만족했고 바로 위도 그랬으므로 더 높을 수 있습니다"
    )
    longer_look_right_below_missed = "바로 아래를 더 오래 보니 목표를 놓쳤으므로 더 낮을 수 있습니다"
    longer_look_right_below_met = "바로 아래를 더 오래 보니 목표를 만족했고, 바로 위를 볼 시간은 없었습니다"
    time_up_before = "용량을 찾기 전에 시간이 다 되었습니다."

    def beyond_missed_first(self, binding: str) -> str:
        return f"; 그 너머에서는 {with_particle(binding, '을')} 먼저 놓칩니다"

    def capacity_highest_load(self, value: str, interval: str, goals: str, limits: str) -> str:
        return f"용량은 {value}{interval}: {with_particle(goals, '을')} 만족하는 최대 부하입니다{limits}."

    def no_load_meets(self, goals: str, nearest: str) -> str:
        return f"{with_particle(goals, '을')} 만족하는 부하가 없습니다{nearest}."

    def every_load_up(self, most: str, goals: str) -> str:
        return f"보내기로 한 최대인 {most}까지 모든 부하가 {with_particle(goals, '을')} 만족합니다."

    def generator_limit_could(self, needed: str, at_least: str, goals: str) -> str:
        return f"부하 발생기가 한계였습니다: {with_particle(needed, '을')} 낼 수 없었고, {at_least}까지 서버가 {with_particle(goals, '을')} 만족했습니다."

    def nearest_where_requests(self, level: str, share: str, text: str) -> str:
        return f"; 가장 가까운 것은 {level}, 요청의 {with_particle(share, '가')} {with_particle(text, '을')} 깼습니다"

    def whatever_asked_answers(self, amount: str) -> str:
        return f"얼마를 요청하든 많아야 {with_particle(amount, '을')} 응답합니다"

    def asked_answered(self, asked: str, amount: str) -> str:
        return f"{with_particle(asked, '을')} 요청하니 {with_particle(amount, '을')} 응답했습니다"

    def failed_what_ended(self, amount: str) -> str:
        return f", 끝난 것의 {with_particle(amount, '가')} 실패했습니다"

    def whether_recovers_not(self, answered: str) -> str:
        return f"{answered}; 회복하는지는 보지 못했습니다."

    def back_goals_again(self, answered: str, back: str, after: str) -> str:
        return f"{answered}; {with_particle(back, '으로')} 돌아오니 {after} 뒤에 다시 목표를 지켰습니다."

    def back_did_not(self, answered: str, back: str) -> str:
        return f"{answered}; {with_particle(back, '으로')} 돌아왔지만 지켜보는 동안 회복하지 못했습니다."


class KoreanReportTuningTexts(ReportTuningTexts):
    stage_doubt = "선별, 검사"
    stage_race = "아홉의 경쟁"
    stage_final_race = "셋의 경쟁"
    setting_was = "설정이"
    settings_were = "설정이"
    the_base = "base"
    runner_up = "2위"
    against_base = "base 대비"
    against_runner_up = "2위 대비"
    not_confirmed = "확인되지 않음"
    some_knobs_do = "어떤 항목들은 하나로는 하지 못하는 일을 함께 합니다: 선별이 말하는 것은 다른 항목 값들에 대한 평균입니다."
    nothing_confirmed_yet = "아직 아무것도 확인되지 않았습니다."

    def tried(self, plural: str) -> str:
        return f"{plural} 시험함"

    def not_matter(self, listed: str, is_one: bool) -> str:
        return f"; {with_particle(listed, '은')} 중요하지 않습니다"

    def in_beside(self, plural: str, beside: str) -> str:
        return f"{plural}, {beside} 옆에서"

    def too_few_blocks(self, label: str) -> str:
        return f"{label}: 블록이 너무 적어 알 수 없음"

    def is_inert(self, knob: str) -> str:
        return f"{with_particle(knob, '은')} 효과 없음"

    def from_sure(self, change: str, low: str, high: str, span: str) -> str:
        return f"{low}에서 {with_particle(high, '으로')} {change} (90 % 확실: {span})"

    def deployment_far_worse(self, names: str) -> str:
        return f"{names}: 한 배치에서 나머지보다 훨씬 나빴습니다. 다시 그럴 수 있습니다."

    def no_setting_tried(self, setting: str, misses: str) -> str:
        return f"시험한 설정 중 목표를 만족하는 것이 없습니다. 가장 가까운 것은 {setting}이며 {with_particle(misses, '을')} 놓칩니다."

    def reached(self, amount: str) -> str:
        return f"{amount} 도달"


class KoreanReportSoakTexts(ReportSoakTexts):
    fills_something = "채워지는 중"
    few_rises = "몇 번에 걸쳐 생김"
    too_little_matter = "문제되지 않을 만큼 적음"
    does_not_grow = "늘지 않음"
    not_to_be = "알 수 없음"
    in_all = "✓ 모두 지킴"
    unsure = "? 알 수 없음"
    each_hour = "시간당"

    def an_hour(self, amount: str) -> str:
        return f"시간당 {amount}"

    def what_of(self, what: str, component: str, word: str) -> str:
        return f"{component}의 {what}, {word}"

    def until(self, text: str) -> str:
        return f"{text}까지"

    def days(self, days: str) -> str:
        return f"{days}일"
