from loadrig.language.en.converters.k6 import ConvertersK6Texts


class KoreanConvertersK6Texts(ConvertersK6Texts):
    files = "k6 스크립트 (.js, .ts)"
    users = "사용자"
    redirects = "리다이렉트"
    cookies = "쿠키"
    no_javascript = "여기부터 JavaScript가 아닙니다"
    mend_file = "스크립트 자체를 적고 TypeScript는 .ts로 두십시오. k6가 읽는지 보십시오"

    # --- left out -------------------------------------------------------------------------------

    computed = "스크립트를 돌려야만 알 수 있습니다"
    computed_flow = "여기서 무엇이 정하는지는 스크립트를 돌려야만 알 수 있습니다"
    other_file = "읽지 않습니다. 이 스크립트의 폴더 안에 있고 이름이 겹치지 않는 파일만 읽습니다"
    too_many_steps = "한 함수의 요청이 plan에 담기에는 너무 많습니다"
    unknown_function = "스크립트에 정의되어 있지 않습니다"
    no_check = "plan에는 이런 검사가 없습니다"
    no_goal = "plan에는 이런 목표가 없습니다"
    no_option = "plan에는 이런 옵션이 없습니다"
    no_parameter = "plan의 요청에는 이런 것이 없습니다"
    no_end = "plan에는 시험이 끝날 때의 요청이 없습니다"
    no_pause = "앞에 요청이 없습니다"
    no_second_login = "plan의 로그인은 요청 하나뿐입니다"
    scenarios_instead = "k6는 시나리오의 부하를 따릅니다"
    no_abort = "plan은 목표를 놓쳐도 시험을 끝내지 않습니다"
    no_summary = "loadrig는 자기 보고서를 씁니다"
    other_load = "plan의 부하는 첫 시나리오의 것 하나입니다. plan을 따로 만드십시오"

    # --- altered --------------------------------------------------------------------------------

    users_of_command = "스크립트에 부하가 없어, k6처럼 한 명으로 두었습니다"
    goes_on_without = "맞는 것이 없으면 비어 있고 요청은 계속됩니다. k6는 그 iteration을 끝냅니다"
    own_jar = "서버가 사용자에게 준 쿠키도 함께 보냅니다"
    drawn_by_request = "이 값을 함께 쓰는 요청마다 따로 뽑습니다"
    order_of_all = "모든 사용자에게 항목의 순서가 하나입니다"
    shared_loops = "반복을 사용자들에게 고르게 나눕니다"
    login_each = "시험 전체에서 한 번이 아니라 사용자마다 로그인하고 그 쿠키를 지닙니다"
    cookies_stay = "k6는 반복마다 쿠키를 잊지만, 여기서는 사용자마다 쿠키를 지닙니다"

    users_of_all = "모든 시나리오의 사용자가 가중치로 고르며, 한 시나리오에 머물지 않습니다"
    nobody_controls = "도는 동안 아무도 사용자 수를 바꾸지 않아, 시작한 수 그대로입니다"
    whole_answer = "목표는 첫 바이트가 아니라 응답 전체의 것입니다"
    no_referer = "k6와 달리 리다이렉트된 곳에 앞 페이지를 `Referer`로 알리지 않습니다"
    escaped_query = "쿼리에 둘 수 없는 글자를 이스케이프합니다. k6는 그대로 보냅니다"
    default_of_variable = "아무도 정하지 않은 환경 변수 대신 쓰인 값을 담았습니다"

    def most_at_once(self, most: int) -> str:
        return f"연결은 많아야 {most:,}개입니다. 빈 연결이 없으면 기다리지만, k6는 건너뜁니다"

    def too_long(self, most_bytes: int) -> str:
        return f"{most_bytes:,}바이트보다 깁니다"

    def parts_of_batch(self, most: int) -> str:
        return f"batch의 요청을 {most}개씩 동시에 보내고, 다음은 이들 모두의 뒤에 보냅니다"
