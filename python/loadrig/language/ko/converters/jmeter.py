from loadrig.language.en.converters.jmeter import ConvertersJmeterErrors, ConvertersJmeterTexts


class KoreanConvertersJmeterTexts(ConvertersJmeterTexts):
    files = "테스트 계획 (.jmx)"
    body = "본문"
    embedded_resources = "포함된 자원"
    proxy = "프록시"
    source_address = "보내는 주소"

    # --- left out -------------------------------------------------------------------------------

    switched_off = "테스트에서 꺼져 있습니다"
    never = "지금의 테스트로는 여기에 오지 않습니다"
    no_such_loop = "plan에는 변수나 파일이 정하는 순서가 없습니다"
    no_sampler = "plan은 HTTP 요청만 보냅니다"
    no_listener = "loadrig가 모든 결과를 직접 남깁니다"
    no_scripts = "plan은 스크립트를 돌리지 않습니다"
    no_cache = "plan은 캐시가 빈 사용자처럼 모두 요청합니다"
    no_such_check = "plan에는 이런 검사가 없습니다"
    no_such_timer = "plan에는 이런 쉼이 없습니다"
    no_such_part = "plan에는 이런 것이 없습니다"
    no_around = "plan에는 부하 앞뒤의 요청이 없습니다"
    no_load = "지금의 테스트로는 부하를 만들지 않습니다"
    no_host = "서버의 호스트가 없거나 HTTP가 아닙니다"
    no_embedded_resources = "페이지에 딸린 요청을 plan에 직접 쓰십시오"
    no_multipart = "plan에는 여러 파일로 된 본문이나, 변수와 함께 텍스트가 아닌 파일이 든 본문이 없습니다"
    own_header = "이 헤더는 loadrig가 직접 씁니다"
    no_header_name = "헤더의 이름이 아닙니다"
    login_of_variables = "변수로 된 로그인은 헤더 하나로 쓸 수 없습니다"
    cookie_of_open_address = "변수로 된 주소의 요청에 보낼 쿠키인지 알 수 없어 보내지 않습니다"
    check_of_variables = "변수에 따라 달라지거나 비어 있습니다"
    other_pattern = "부하 발생기의 정규식에 없는 기호가 있습니다 (전후방 탐색, 역참조)"
    no_not = "plan은 있는 것을 검사하고, 없는 것은 검사하지 않습니다"
    only_values = "plan은 JSON의 한 자리를 한 값으로 검사합니다"
    no_variable_named = "변수의 이름이 없습니다"
    not_of_requests = "loadrig는 자기 기기의 주소에서 서버에 바로 연결합니다"
    no_rate = "지금의 테스트로는 요청률을 정하지 않습니다"
    rate_of_part = "요청의 일부만 조절합니다. plan의 요청률은 모든 요청에 하나입니다"
    second_rate = "plan의 요청률은 하나이고, 다른 타이머가 이미 정합니다"
    no_other_action = "plan에는 쉼만 있고, 멈추거나 건너뛰지 않습니다"
    no_columns = "테스트도 파일도 열의 이름을 적지 않았습니다"
    no_second_login = "plan의 로그인은 하나까지이고, 여러 그룹에는 없습니다"

    # --- altered --------------------------------------------------------------------------------

    sent_as_it_stands = "적힌 그대로 보냅니다"
    unknown_variable = "아무것도 정하지 않아 적힌 그대로 보냅니다"
    unknown_function = "plan이 계산할 수 없어 적힌 그대로 보냅니다"
    time_of_file = "늘 파일이 쓰인 때의 시각(UTC)입니다"
    time_counted = "파일이 쓰인 때부터 하나씩 커지는 수입니다"
    encoded_by_place = "값은 놓이는 자리에 맞게 인코딩하며, 텍스트에서는 인코딩하지 않습니다"
    type_of_text = "값을 이스케이프하지 않고 그대로 보내는 본문의 형식입니다"
    value_escaped = "값이 하나로 남도록 여기서는 값의 글자를 이스케이프합니다. JMeter는 하지 않습니다"
    not_asked = "옮긴 부분 가운데 이 속성을 쓰는 것이 없습니다"
    no_fragment = "# 뒤는 보내지 않습니다"
    login_at_once = "서버가 묻기 전에도 모든 요청에 로그인을 실어 보냅니다"
    as_uniform = "평균과 표준편차가 같은 쉼이며, 모든 길이가 똑같이 나옵니다"
    rate_of_requests = "앞의 요청에 답이 왔는지와 상관없이 이 요청률로 보냅니다"
    rate_of_other_group = "다른 그룹의 타이머가 정한 요청률을 나누어 씁니다"
    loops_at_a_rate = "요청률로 보내는 요청은 사용자의 반복에 속하지 않아, 반복에 제한을 두지 않습니다"
    goes_on_after_errors = "오류 뒤에도 사용자가 계속합니다"
    begins_at_once = "지연 없이 바로 시작합니다"
    ends_after_a_day = "테스트에는 끝이 없고, 여기서는 하루 뒤에 끝납니다"
    schedule_in_part = "일정에서 rate, random_arrivals, even_arrivals, pause만 읽습니다"
    no_transactions = "요청이 각자 경로이고, 합치지 않습니다"
    in_sequence = "요청을 차례대로 한 번씩 합니다"
    endless_loop = "끝이 없어 JMeter는 그 뒤에 이르지 않습니다. 여기서는 한 번 합니다"
    as_login = "plan의 login입니다: 사용자의 첫 반복 앞에서 쉼 없이 하고, 서비스의 수치에서 뺍니다"
    in_every_loop = "요청을 반복마다 합니다"
    always = "언제인지 테스트가 정하지 않아 반복마다 요청합니다"
    while_once = "반복마다 한 번 요청합니다"
    first_round_made = "언제나 하는 요청이 plan에 있어야 하므로 첫 번째는 언제나 합니다"
    in_turn_by_chance = "차례가 아니라 무작위로 하나를 고릅니다"
    switch_by_chance = "응답이나 행이 정하므로, 무작위로 하나를 고릅니다"
    status_counts = "테스트는 상태 코드를 무시하지만, 여기서는 400 이상이 실패입니다"
    of_last_answer = "리디렉션과 포함된 자원의 응답은 보지 않고 마지막 응답만 봅니다"
    value_of_rounds = "사용자의 한 바퀴에 값이 하나입니다. JMeter는 컨트롤러가 돌 때마다 다음 값을 씁니다"
    row_of_rounds = "plan의 한 바퀴가 스레드의 여러 바퀴이고, 이들이 같은 값을 씁니다"
    rows_anew = "마지막 행 뒤에 첫 행이 다시 옵니다"
    counts_by_one = "끝과 형식 없이 하나씩 셉니다"
    no_format = "수를 형식 없이 보냅니다"
    cookies_by_header = "쿠키를 그 호스트로 가는 요청과, 같은 호스트 안의 리디렉션에 헤더로 보냅니다"
    cookies_of_all_loops = "JMeter의 스레드는 반복마다 쿠키를 지우지만, 사용자는 다음 반복까지 지닙니다"
    connections_kept = "커넥션을 닫는 요청이 있어도 모든 커넥션을 열어 둡니다"
    connect_timeouts_differ = "연결을 기다리는 시간은 가장 긴 것을 모든 요청에 씁니다"
    host_without_port = "변수로 된 호스트에는 요청의 포트를 붙이지 않습니다"
    cookies_for_all = "쿠키 관리자가 없는 부분이 있어도 모든 사용자가 쿠키를 지닙니다"
    host_not_fixed = "테스트가 호스트를 정하지 않습니다. `target`과 `allow`에 적으십시오"
    empty_loops = "요청이 없는 반복은 빼므로 다른 것의 비율이 커집니다"
    uncompressed = "JMeter가 보내지 않으므로 Accept-Encoding: identity를 보냅니다"
    other_arrivals = "plan의 도착은 한 가지이므로, 첫 그룹처럼 요청합니다"
    groups_shared = "사용자는 반복마다 스레드 수의 비율로 그룹을 새로 고릅니다"
    ends_before_others = (
        "다른 그룹보다 먼저 끝납니다. 그 사용자는 사라지지만, 남은 사용자가 이 그룹의 요청도 계속 고릅니다"
    )
    arrivals_of_another_kind = "도착 간격을 첫 그룹과 같은 방식으로 둡니다 (고르게 또는 무작위)"
    not_in_sequence = "그룹이 차례대로가 아니라 함께 부하를 만듭니다"
    iterations_of_threads = (
        "스레드는 이만큼 반복한 뒤 떠나고 다른 스레드가 오지만, 여기서는 사용자가 남아 있습니다"
    )
    no_limit_at_once = "동시에 있는 세션의 수에 제한이 없습니다"
    arrivals_of_one_kind = (
        "일정에 고른 도착과 무작위 도착이 섞여 있지만, 여기서는 모두 마지막 방식으로 옵니다"
    )
    loops_differ = "그룹마다 반복 수가 달라 반복에 제한을 두지 않습니다"

    def ends_after(self, rounds: int) -> str:
        return f"늦어도 {rounds:,}번 돌면 끝납니다"

    def with_below(self, why: str, elements: int) -> str:
        return f"{why}; 아래의 {elements:,}개도 함께"

    def other_method(self, method: str) -> str:
        return f"plan에는 메서드 {method}가 없습니다"

    def other_charset(self, charset: str) -> str:
        return f"plan은 {charset}이 아니라 UTF-8로 보냅니다"

    def values_in_other_charset(self, charset: str) -> str:
        return f"변수의 값과 파일이 든 폼은 {charset}이 아니라 UTF-8로 보냅니다"

    def no_file_beside(self, name: str) -> str:
        return f"테스트의 폴더와 그 아래에 파일 {name!r}이 없습니다"

    def other_login(self, mechanism: str) -> str:
        return f"plan에는 {mechanism} 로그인이 없습니다"

    def check_elsewhere(self, place: str) -> str:
        return f"plan은 응답의 상태와 본문을 검사하고, {place}는 검사하지 않습니다"

    def of_another_text(self, scope: str) -> str:
        return f"범위가 {scope!r}인데, plan은 응답 자체만 봅니다"

    def extract_elsewhere(self, place: str) -> str:
        return f"plan은 응답의 본문, 헤더 하나, 쿠키에서 값을 얻고, {place}에서는 얻지 않습니다"

    def no_such_codes(self, count: int) -> str:
        return f"상태 코드 {count}개를 허용합니다"

    def other_path(self, path: str) -> str:
        return f"plan의 경로는 $.a[0].b처럼 이름과 수뿐이고, {path!r}는 아닙니다"

    def other_selector(self, selector: str) -> str:
        return f"{selector!r}를 CSS로 쓸 수 없습니다. `extract`에 선택자나 정규식을 직접 쓰십시오"

    def template_of_groups(self, template: str) -> str:
        return f"plan은 그룹 하나를 얻고, {template!r}는 아닙니다"

    def too_deep(self, most: int, elements: int) -> str:
        return f"컨트롤러가 {most}겹보다 깊거나, 그룹의 부분이 {elements:,}개보다 많습니다"

    def too_many_steps(self, most: int) -> str:
        return f"한 반복의 요청이 {most:,}개보다 많습니다"

    def no_module(self, name: str) -> str:
        return f"이름이 {name!r}인 컨트롤러가 하나가 아닙니다"

    def long_text(self, most: int) -> str:
        return f"{most:,}자 뒤를 잘랐습니다"

    def number_not_fixed(self, text: str, default: str) -> str:
        return f"{text!r}는 테스트가 정한 수가 아니어서 {default}로 봅니다"

    def property_default(self, value: str) -> str:
        return f"기본값을 씁니다: {value[:80]!r}"

    def made_beforehand(self, count: int) -> str:
        return f"값 {count:,}개를 미리 만들고, 마지막 뒤에 첫 값이 다시 옵니다"

    def value_of_its_own(self, name: str) -> str:
        return f"${{{name}}}을 쓰는 요청은 각자 값을 뽑습니다"

    def first_match(self, number: str) -> str:
        return f"{number}번째가 아니라 첫 번째를 얻습니다"

    def no_rows(self, file: str) -> str:
        return f"{file!r}의 행을 읽을 수 없습니다. plan 옆의 파일에 적으십시오"

    def bad_rows(self, reason: str) -> str:
        return f"파일을 행으로 읽을 수 없습니다: {reason}"

    def nothing_sets(self, hole: str) -> str:
        return f"plan의 어떤 요청도 정하지 않습니다. {hole}의 값을 여기에 적으십시오"

    def loop_once(self, times: int) -> str:
        return f"plan이 너무 길어지므로 {times:,}번이 아니라 한 번 합니다"

    def too_many_variants(self, most: int) -> str:
        return f"무작위인 부분이 순서를 {most}개보다 많이 만들어, 그중 가장 긴 것을 늘 합니다"


class KoreanConvertersJmeterErrors(ConvertersJmeterErrors):
    foreign_declaration = "문서 타입이나 엔티티를 선언했는데, JMeter는 쓰지 않습니다"
    save_in_jmeter = "JMeter에서 열어 다시 저장하십시오"

    def deep_nesting(self, most: int) -> str:
        return f"요소가 {most}겹보다 깊습니다"

    def many_elements(self, most: int) -> str:
        return f"요소가 {most:,}개보다 많습니다"

    def other_root(self, tag: str) -> str:
        return f"파일이 jmeterTestPlan이 아니라 {tag}로 시작합니다"
