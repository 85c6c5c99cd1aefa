from loadrig.language.en.plan import PlanExplainTexts, PlanKeyPagesTexts
from loadrig.language.particles import with_particle


class KoreanPlanExplainTexts(PlanExplainTexts):
    unpaced = "커넥션이 허용하는 만큼 빠르게: 응답을 받으면 바로 다시 요청합니다."
    at_random = "무작위 시각(Poisson)"
    evenly = "고른 간격"
    no_pause = "요청 사이에 쉬지 않음"
    anew_for_each = ", 사용자마다 처음부터"
    once_a_loop = ", loop마다 다음 값"
    shuffled = ", 무작위 순서"
    own_each = ", 사용자마다 자기 값"
    drawn_each = ", 사용자마다 한 번 뽑음"
    of_each_arrival = ", 요청의 번호에 해당하는 값"
    is_used = "사용되는 동안 유효하고"
    lasts_as_said = "응답이 말하는 동안 유효하고"
    new_connections = "요청마다 새 커넥션을 엽니다."
    as_long_as_it_takes = "걸리는 만큼"
    all_measured = "전부 측정"
    one_at_a_time = "한 번에 요청 하나"
    nothing_observed = "응답 말고는 아무것도 관찰하지 않습니다."
    its_host = "호스트"
    all_components = "서버와 이 머신에서 서버가 통신하는 것"
    at_the_end = "끝에"
    when_asked = "요청하면"
    all_of_them = "모두"
    either = " 또는 "
    both = ", "
    then = ", 그다음 "

    def server(self, what: str) -> str:
        return f"서버: {what}."

    def further_servers(self, places: str) -> str:
        return f"그 옆에서 부하를 받지만 관찰하지 않는 서버: {places}."

    def one_trial(self, what: str) -> str:
        return f"trial 하나: {what}."

    # --- steps that answers decide --------------------------------------------------------------------

    def is_value(self, variable: str, value: str) -> str:
        return f"{variable} = {value}"

    def is_no_value(self, variable: str, value: str) -> str:
        return f"{variable} ≠ {value}"

    def only_if(self, condition: str, through: str | None) -> str:
        return f" ({condition}일 때만{f', {through}까지' if through else ''})"

    def again_while(self, condition: str, through: str | None, most: str) -> str:
        return f" ({condition}인 동안 반복{f', {through}까지' if through else ''}, 많아야 {most}번)"

    def again_until(self, condition: str, through: str | None, most: str) -> str:
        return f" ({condition}일 때까지 반복{f', {through}까지' if through else ''}, 많아야 {most}번)"

    # --- arrivals -------------------------------------------------------------------------------------

    def made_by(self, generators: str) -> str:
        return f"이 기계의 부하 발생기 {generators}개가 부하를 나누어 만듭니다."

    def dealt_here(self, nodes: str) -> str:
        return f"이 기계의 노드 {nodes}개에서 trial을 나란히 실행합니다."

    def dealt_on_ray(self, nodes: str, address: str) -> str:
        return f"{address}에 있는 Ray의 호스트를 노드 {nodes}개로 삼아 trial을 나란히 실행합니다."

    def made_on(self, generators: str, address: str) -> str:
        return f"{address}에 있는 Ray의 호스트에서 부하 발생기 {generators}개가 부하를 나누어 만듭니다."

    def closed(self, users: str) -> str:
        return f"closed 모델: {users}."

    def shared_out(self, users: str) -> str:
        return f", 사용자 {users}명에게 차례로 나눔"

    def open_model(self, rate: str, how: str, among: str) -> str:
        return f"open 모델: {rate}, {how}, 응답 여부와 관계없이 보냄{among}."

    def sessions_in_stages(self, stages: str) -> str:
        return f"초당 시작하는 세션: {stages}"

    def sessions_at(self, rate: str) -> str:
        return f"초당 세션 {rate}개 시작"

    def partly_open(self, level: str, how: str, length: str) -> str:
        return f"partly open 모델: {level}, {how}. 각 세션은 {length} 뒤 떠납니다."

    def times_as_fast(self, speed: str) -> str:
        return f", {speed}배 빠르게"

    def replayed(self, times: str, speed: str) -> str:
        return f"open 모델: {times}에 있는 시각에 요청을 보냅니다{speed}."

    def replayed_by_name(self, times: str, speed: str) -> str:
        return f"open 모델: {times}에 있는 시각마다 그 파일이 이름으로 정한 요청을 보냅니다{speed}."

    def users_in_stages(self, stages: str) -> str:
        return f"사용자 {stages}"

    def users_in_steps(self, start: str, add: str, every: str, until: str) -> str:
        return f"사용자 {start}명, 그다음 {every}마다 {add}명씩 더해 {until}명까지"

    def users(self, count: int) -> str:
        return f"사용자 {count:,}명"

    def rate_in_stages(self, stages: str) -> str:
        return f"초당 요청 {stages}"

    def rate_in_steps(self, start: str, add: str, every: str, until: str) -> str:
        return f"초당 요청 {start}개, 그다음 {every}마다 {add}개씩 더해 {until}개까지"

    def rate(self, rate: str) -> str:
        return f"초당 요청 {rate}개"

    def held(self, length: str) -> str:
        return f"{length} 동안 유지"

    def climb(self, to: str, over: str, is_first: bool) -> str:
        return f"{over} 동안 {'0에서 ' if is_first else ''}{to}까지"

    def jump(self, to: str, is_first: bool) -> str:
        return to if is_first else f"바로 {to}"

    def hold_after_climb(self, length: str) -> str:
        return f", 거기서 {length} 유지"

    def hold_after_jump(self, length: str) -> str:
        return f" ({length} 동안)"

    def rounds(self, count: int) -> str:
        return f"{count:,}회 반복"

    def mean_rounds(self, mean: str) -> str:
        return f" (평균 {mean}회)"

    def rounds_until_enough(self, stay: str, mean: str) -> str:
        return f"매번 {stay}의 확률로 계속하며 반복{mean}"

    # --- requests -------------------------------------------------------------------------------------

    def requests(self, mix: str, pause: str) -> str:
        return f"요청: {mix}{pause}."

    def in_order(self, steps: str, think: str) -> str:
        return f"매번 이 순서로: {steps}; {think}."

    def ways(self, ways: str, think: str) -> str:
        return f"서비스를 쓰는 시나리오: {ways}; {think}."

    def feed_from(self, name: str, source: str) -> str:
        return f"{name}: {source}"

    def feeds(self, feeds: str) -> str:
        return f"값: {feeds}."

    def pause_between(self, low: str, high: str) -> str:
        return f"응답마다 {low}에서 {high} 사이로 쉼"

    def pause_mean(self, mean: str) -> str:
        return f"응답마다 평균 {mean} 쉼(지수 분포)"

    def pause(self, length: str) -> str:
        return f"응답마다 {length} 쉼"

    def column(self, column: str) -> str:
        return f", 열 {column}"

    def counter(self, first: str) -> str:
        return f"{first}부터 세는 카운터"

    def at_random_between(self, low: str, high: str) -> str:
        return f"{low}에서 {high} 사이의 무작위 값"

    def values(self, count: str) -> str:
        return f"값 {count}개"

    def lasts(self, length: str) -> str:
        return f"{length} 동안 유효하고"

    def less_at_random(self, share: str) -> str:
        return f" (무작위로 최대 {share} 짧게)"

    def login(self, route: str, until: str, again: str) -> str:
        return f"각 사용자는 첫 요청 전에 로그인합니다({route}). 받은 것은 {until} {again} 응답을 받으면 다시 로그인합니다. 로그인은 서비스의 수치에서 뺍니다."

    def most_connections(self, most: str) -> str:
        return f"커넥션은 최대 {most}개입니다."

    def after_requests(self, count: str) -> str:
        return f"요청 {count}개 뒤"

    def after_rounds(self, count: str) -> str:
        return f"모든 사용자가 {count}회 반복한 뒤"

    def ends_early(self, ends: str) -> str:
        return f"{ends}에 일찍 끝납니다."

    def time_out(self, length: str) -> str:
        return f"{length}보다 오래 걸린 요청은 실패입니다."

    def up_to_at_once(self, count: str) -> str:
        return f"동시에 요청 최대 {count}개"

    def over_http2(self, how: str) -> str:
        return f"HTTP/2로, 커넥션 하나에 {how}."

    def own_websocket(self, is_session: bool) -> str:
        who = "세션은" if is_session else "사용자는"
        return f"각 {who} 첫 메시지와 함께 자기 WebSocket을 열고 유지합니다."

    # --- trials, settings, goals ------------------------------------------------------------------------

    def at_most(self, length: str) -> str:
        return f"최대 {length}"

    def measured_after(self, length: str) -> str:
        return f"{length} 뒤부터 측정"

    def trial_that_ends(self, length: str, after: str) -> str:
        return f"trial 하나: {length}, {after}."

    def trial_measured(self, warming: str, length: str) -> str:
        return f"trial 하나: {warming}{length} 측정."

    def trial_until_known(self, warming: str, least: str, most: str, until: str) -> str:
        return f"trial 하나: {warming}처리량을 {until}까지 알 때까지 {least}에서 {most} 측정."

    def warming(self, length: str, is_most: bool) -> str:
        return f"워밍업 {'최대 ' if is_most else ''}{length}, 그다음 "

    def knobs(self, knobs: str) -> str:
        return f"knob: {knobs}."

    def base(self, setting: str) -> str:
        return f"base 설정: {setting}."

    def where_is(self, name: str, values: str) -> str:
        return f"{with_particle(name, '이')} {values}"

    def only_where(self, conditions: str) -> str:
        return f" ({conditions}일 때만)"

    def one_of(self, values: str) -> str:
        return f"{values} 중 하나"

    def study(self, strategy: str) -> str:
        return f"study: {strategy}."

    def one_in_all(self, time: str) -> str:
        return f"모두 trial 하나, {time}."

    def cut_off(self, time: str, budget: str) -> str:
        return f"{time}, {budget}에서 자름"

    def some_settings(self, strategy: str, settings: str, trials: str, time: str) -> str:
        return f"study {strategy}: 설정 {settings}개 중 일부, trial 최대 {trials}개, {time}."

    def each_once(self, strategy: str, settings: str, time: str) -> str:
        return f"study {strategy}: 설정 {settings}개, 저마다 trial 하나, {time}."

    def all_settings(self, strategy: str, settings: str, blocks: str, trials: str, time: str) -> str:
        return f"study {strategy}: 블록 {blocks}개에서 설정 {settings}개, base는 블록마다 두 번: trial {trials}개, {time}."

    def of_route(self, measure: str, route: str) -> str:
        return f"{route}의 {measure}"

    def in_every(self, length: str) -> str:
        return f" ({length}마다)"

    def goal_below(self, measure: str, limit: str, over: str) -> str:
        return f"{measure} {limit} 미만{over}"

    def goal_above(self, measure: str, limit: str, over: str) -> str:
        return f"{measure} {limit} 초과{over}"

    def wanted(self, goals: str) -> str:
        return f"목표: {goals}."

    def observed(self, every: str, more: str) -> str:
        return f"{every}마다 관찰: 호스트, 서버, 서버가 통신하는 것{more}."

    def not_used(self, probes: str) -> str:
        return f"; 쓰지 않음: {probes}"

    def with_options(self, probes: str) -> str:
        return f"; 옵션을 정한 것: {probes}"

    def host_and_port(self, port: str) -> str:
        return f"호스트와 포트 {port}의 서버"

    def host_and_process(self, pid: str) -> str:
        return f"호스트와 서버(프로세스 {pid})"

    def observed_there(self, name: str, via: str, what: str) -> str:
        return f"{name}에서도 `{via}`를 통해 관찰: {what}."

    def profiled(self, when: str, length: str, what: str) -> str:
        return f"프로파일({when}), 매번 {length}: {what}."

    def proved(self, when: str, budget: str) -> str:
        return f"무엇이 한계인지 {when} 증명합니다. 최대 {budget}."

    def tried_beside(self, values: str) -> str:
        return f"그때 설정과 함께 시도하는 것: {values}."

    def may_be_touched(self, components: str) -> str:
        return f"측정 장치가 시작하지 않았지만 건드려도 되는 구성 요소: {components}."

    def through(self, name: str, address: str) -> str:
        return f"{with_particle(address, '을')} 거치는 {name}"

    def may_be_delayed(self, ways: str) -> str:
        return f"지연시켜도 되는 경로: {ways}."


class KoreanPlanKeyPagesTexts(PlanKeyPagesTexts):
    kind = "plan의 키"
    value = "plan의 키가 받는 값"
    written = "쓸 수 있는 것"
    default = "기본값"
    example = "예"
