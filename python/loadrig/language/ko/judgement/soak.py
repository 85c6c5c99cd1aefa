from loadrig.language.en.judgement.soak import (
    JudgementSoakDriftTexts,
    JudgementSoakForecastTexts,
    JudgementSoakMixTexts,
    JudgementSoakSpikeTexts,
    JudgementSoakVerdictTexts,
)
from loadrig.language.particles import with_particle


class KoreanJudgementSoakDriftTexts(JudgementSoakDriftTexts):
    name_latency = "지연 시간 중앙값"
    name_throughput = "처리량"

    def route_of(self, route: str) -> str:
        return f" ({route})"

    def was_steady(self, what: str) -> str:
        return f"{with_particle(what, '은')} 안정적이었습니다"

    def to(self, change: str, low: str, high: str) -> str:
        return f"{change} (95 % {low} ~ {high})"

    def steadily_from_begin(self, what: str, is_rise: bool, by: str) -> str:
        went = "올라갔습니다" if is_rise else "내려갔습니다"
        return f"{with_particle(what, '이')} 처음부터 끝까지 꾸준히 {went}: {by}"

    def stayed_there(self, what: str, is_rise: bool, at_s: str, by: str) -> str:
        went = "올라" if is_rise else "내려"
        return f"{with_particle(what, '이')} {at_s} 시점에 {went}간 뒤 그대로 유지되었습니다: {by}"


class KoreanJudgementSoakForecastTexts(JudgementSoakForecastTexts):
    never = "도달하지 않음"

    def is_reached(self, what: str) -> str:
        return f"{what}에 이미 도달했습니다"

    def at_the_soonest(self, in_days: str) -> str:
        return f"빠르면 {in_days} 뒤"

    def not_reached_within(self, what: str, in_days: str, soonest: str) -> str:
        return f"{in_days} 안에는 {what}에 도달하지 않습니다: {soonest}"

    def may_reached_soonest(self, what: str, in_days: str) -> str:
        return f"{what}에 빠르면 {in_days} 뒤에 도달하거나, 도달하지 않을 수 있습니다"

    def is_reached_in(self, what: str, in_days: str, soonest: str, latest: str) -> str:
        return f"{in_days} 뒤에 {what}에 도달합니다 (95 % {soonest} ~ {latest})"

    def days(self, days: str) -> str:
        return f"{days}일"


class KoreanJudgementSoakMixTexts(JudgementSoakMixTexts):
    same_asked_throughout = "내내 같은 것이 요청되었습니다"

    def first_last(self, first: str, last: str) -> str:
        return f"처음에는 그중 {first}, 마지막에는 {last}"

    def another_load_end(self, route: str, shares: str) -> str:
        return f"끝에는 부하가 달랐습니다: {with_particle(route, '이')} {shares}"

    def alone_mean_request(self, of_mix_s: str, is_longer: bool, change_s: str) -> str:
        more = "길어집니다" if is_longer else "짧아집니다"
        return f"; 그것만으로 요청이 평균 {of_mix_s} {more}. 전체 변화는 {change_s}입니다"


class KoreanJudgementSoakSpikeTexts(JudgementSoakSpikeTexts):
    server_took_nothing = "서버가 감당했습니다. 평소 범위를 벗어난 것이 없습니다"
    too_little_watched = "회복했는지 말하기에는 지켜본 시간이 너무 짧습니다"

    def times_usual_load(self, factor: str) -> str:
        return f"평소 부하의 {factor}배"

    def for_text(self, times: str, to_s: str, outcome_text: str) -> str:
        return f"{to_s} 동안 {times}: {outcome_text}."

    def meanwhile_requests_second(self, value: str) -> str:
        return f" 그동안 초당 요청 {value}건이 쌓였습니다."

    def those_that_ended(self, share: str) -> str:
        return f"끝난 것의 {share}"

    def requests_failed(self, lost: str, of_ended: str) -> str:
        return f" 그 때문에 요청 {lost}건이 실패했습니다 ({of_ended})."

    def back_usual_band(self, back: str, low: str, high: str) -> str:
        return f"끝난 지 {back} 뒤에 평소 범위로 돌아왔습니다 ({low} ~ {high})"

    def not_back_after(self, watched_s: str) -> str:
        return f"{with_particle(watched_s, '이')} 지나도 돌아오지 않았지만 돌아오는 중입니다"

    def not_back_after_though(self, watched_s: str) -> str:
        return f"부하가 예전과 같은데도 {with_particle(watched_s, '이')} 지나도록 돌아오지 않습니다: 서버가 스스로 회복하지 못합니다"


class KoreanJudgementSoakVerdictTexts(JudgementSoakVerdictTexts):
    latency_throughput_steady = "지연 시간과 처리량이 모든 경로에서 안정적이었습니다"
    nobody_knows_how = "얼마인지 알 수 없음"
    once_for = "한 번, 길이"

    def requests_in(self, requests: str, measured_s: str) -> str:
        return f"{measured_s} 동안 요청 {requests}건"

    def leaks_seen_over(self, over: str) -> str:
        return f"새고 있습니다: {over} 동안 보았습니다."

    def did_not_keep(self, over: str) -> str:
        return f"목표를 내내 지키지는 못했습니다: {over}."

    def dips_again_again(self, over: str) -> str:
        return f"거듭 떨어집니다: {over}."

    def not_same_end(self, over: str) -> str:
        return f"끝이 처음과 같지 않습니다: {over}."

    def not_yet_whether(self, over: str) -> str:
        return f"새는지 아직 말할 수 없습니다: {over}."

    def nothing_leaks_drifts(self, over: str) -> str:
        return f"새거나 변하거나 떨어지는 것이 없습니다: {over}."

    def more_courses_drifted(self, changed: str) -> str:
        return f"{changed}개 지표가 더 변했습니다"

    def short_of(self, short: str, component: str) -> str:
        return f"{component}의 {short}"

    def leaks_every_request(self, what: str, size_text: str) -> str:
        return f"{with_particle(what, '이')} 요청마다 {size_text}씩 샙니다"

    def restarts_hide_each(self, lives: str, again: str) -> str:
        return f"; 재시작이 가리고 있습니다. {lives}번의 수명마다 다시 {again} 늘어납니다"

    def grows_time_not(self, what: str, hour: str) -> str:
        return f"{with_particle(what, '이')} 요청이 아니라 시간에 따라 늘어납니다: 시간당 {hour}"

    def fills_something_bends(self, what: str, why: str, most: str) -> str:
        return f"{with_particle(what, '이')} 무언가를 채우며 완만해집니다{why}; 뒤쪽 절반에서는 요청당 많아야 {most}"

    def grew_few_rises(self, what: str) -> str:
        return f"{with_particle(what, '이')} 몇 번에 걸쳐 늘었습니다: 무언가가 만들어졌습니다"

    def grows_request_too(self, what: str, size_text: str) -> str:
        return (
            f"{with_particle(what, '이')} 요청당 {size_text} 늘어납니다: 여기서는 문제되지 않을 만큼 적습니다"
        )

    def read_too_seldom(self, what: str) -> str:
        return f"{with_particle(what, '은')} 너무 드물게 읽혀 어떻게 변하는지 말할 수 없습니다"

    def request_most(self, most: str) -> str:
        return f": 요청당 많아야 {most} (95 %)"

    def did_not_grow(self, what: str, bound: str) -> str:
        return f"{with_particle(what, '은')} 늘지 않았습니다{bound}"

    def to(self, value: str, low: str, high: str) -> str:
        return f"{value} (95 % {low} ~ {high})"

    def throughput_dipped(self, lasted: str, depth: str) -> str:
        return f"처리량이 {lasted} {depth} 떨어졌습니다"

    def nothing_watched_comes(self, whose: str) -> str:
        return f"관찰한 것 중 저하와 함께 오는 것이 없습니다{whose}"

    def load_makes_them(self, beside: str, ok: str) -> str:
        return f"부하가 원인입니다: {beside}; 그동안 서비스 요청이 {ok}/s 적게 처리되었습니다"

    def nothing_measured_could(self, text: str) -> str:
        return f"{text}: 판단할 만한 것이 측정되지 않았습니다"

    def all_stretches(self, text: str, stretches: str) -> str:
        return f"{text}: 구간 {stretches}개에서 모두 지켰습니다"

    def times_longest(self, misses: str) -> str:
        return f"{misses}회, 가장 긴 것"

    def missed_stretches_from(self, text: str, share: str, often: str, longest_s: str, from_s: str) -> str:
        return f"{text}: 구간의 {share}에서 놓쳤습니다. {from_s}부터 {often} {longest_s}"
