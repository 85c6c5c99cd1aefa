from loadrig.language.particles import with_particle


class KoreanJudgementSoakDriftTexts:
    name_latency = "지연 시간 중앙값"
    name_throughput = "처리량"
    route_of = " ({route})"
    was_steady = "{what:은} 안정적이었습니다"
    to = "{change} (95 % {low} ~ {high})"

    def steadily_from_begin(self, what: str, is_rise: bool, by: str) -> str:
        went = "올라갔습니다" if is_rise else "내려갔습니다"
        return f"{with_particle(what, '이')} 처음부터 끝까지 꾸준히 {went}: {by}"

    def stayed_there(self, what: str, is_rise: bool, at_s: str, by: str) -> str:
        went = "올라" if is_rise else "내려"
        return f"{with_particle(what, '이')} {at_s} 시점에 {went}간 뒤 그대로 유지되었습니다: {by}"


class KoreanJudgementSoakForecastTexts:
    never = "도달하지 않음"
    is_reached = "{what}에 이미 도달했습니다"
    at_the_soonest = "빠르면 {in_days} 뒤"
    not_reached_within = "{in_days} 안에는 {what}에 도달하지 않습니다: {soonest}"
    may_reached_soonest = "{what}에 빠르면 {in_days} 뒤에 도달하거나, 도달하지 않을 수 있습니다"
    is_reached_in = "{in_days} 뒤에 {what}에 도달합니다 (95 % {soonest} ~ {latest})"
    days = "{days}일"


class KoreanJudgementSoakMixTexts:
    same_asked_throughout = "내내 같은 것이 요청되었습니다"
    first_last = "처음에는 그중 {first}, 마지막에는 {last}"
    another_load_end = "끝에는 부하가 달랐습니다: {route:이} {shares}"

    def alone_mean_request(self, of_mix_s: str, is_longer: bool, change_s: str) -> str:
        more = "길어집니다" if is_longer else "짧아집니다"
        return f"; 그것만으로 요청이 평균 {of_mix_s} {more}. 전체 변화는 {change_s}입니다"


class KoreanJudgementSoakSpikeTexts:
    server_took_nothing = "서버가 감당했습니다. 평소 범위를 벗어난 것이 없습니다"
    too_little_watched = "회복했는지 말하기에는 지켜본 시간이 너무 짧습니다"
    times_usual_load = "평소 부하의 {factor}배"
    for_text = "{to_s} 동안 {times}: {outcome_text}."
    meanwhile_requests_second = " 그동안 초당 요청 {value}건이 쌓였습니다."
    those_that_ended = "끝난 것의 {share}"
    requests_failed = " 그 때문에 요청 {lost}건이 실패했습니다 ({of_ended})."
    back_usual_band = "끝난 지 {back} 뒤에 평소 범위로 돌아왔습니다 ({low} ~ {high})"
    not_back_after = "{watched_s:이} 지나도 돌아오지 않았지만 돌아오는 중입니다"
    not_back_after_though = (
        "부하가 예전과 같은데도 {watched_s:이} 지나도록 돌아오지 않습니다: 서버가 스스로 회복하지 못합니다"
    )


class KoreanJudgementSoakVerdictTexts:
    latency_throughput_steady = "지연 시간과 처리량이 모든 경로에서 안정적이었습니다"
    nobody_knows_how = "얼마인지 알 수 없음"
    once_for = "한 번, 길이"
    requests_in = "{measured_s} 동안 요청 {requests}건"
    leaks_seen_over = "새고 있습니다: {over} 동안 보았습니다."
    did_not_keep = "목표를 내내 지키지는 못했습니다: {over}."
    dips_again_again = "거듭 떨어집니다: {over}."
    not_same_end = "끝이 처음과 같지 않습니다: {over}."
    not_yet_whether = "새는지 아직 말할 수 없습니다: {over}."
    nothing_leaks_drifts = "새거나 변하거나 떨어지는 것이 없습니다: {over}."
    more_courses_drifted = "{changed}개 지표가 더 변했습니다"
    short_of = "{component}의 {short}"
    leaks_every_request = "{what:이} 요청마다 {size_text}씩 샙니다"
    restarts_hide_each = "; 재시작이 가리고 있습니다. {lives}번의 수명마다 다시 {again} 늘어납니다"
    grows_time_not = "{what:이} 요청이 아니라 시간에 따라 늘어납니다: 시간당 {hour}"
    fills_something_bends = (
        "{what:이} 무언가를 채우며 완만해집니다{why}; 뒤쪽 절반에서는 요청당 많아야 {most}"
    )
    grew_few_rises = "{what:이} 몇 번에 걸쳐 늘었습니다: 무언가가 만들어졌습니다"
    grows_request_too = "{what:이} 요청당 {size_text} 늘어납니다: 여기서는 문제되지 않을 만큼 적습니다"
    read_too_seldom = "{what:은} 너무 드물게 읽혀 어떻게 변하는지 말할 수 없습니다"
    request_most = ": 요청당 많아야 {most} (95 %)"
    did_not_grow = "{what:은} 늘지 않았습니다{bound}"
    to = "{value} (95 % {low} ~ {high})"
    throughput_dipped = "처리량이 {lasted} {depth} 떨어졌습니다"
    nothing_watched_comes = "관찰한 것 중 저하와 함께 오는 것이 없습니다{whose}"
    load_makes_them = "부하가 원인입니다: {beside}; 그동안 서비스 요청이 {ok}/s 적게 처리되었습니다"
    nothing_measured_could = "{text}: 판단할 만한 것이 측정되지 않았습니다"
    all_stretches = "{text}: 구간 {stretches}개에서 모두 지켰습니다"
    times_longest = "{misses}회, 가장 긴 것"
    missed_stretches_from = "{text}: 구간의 {share}에서 놓쳤습니다. {from_s}부터 {often} {longest_s}"
