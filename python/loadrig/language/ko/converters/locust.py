from loadrig.language.en.converters.locust import ConvertersLocustTexts


class KoreanConvertersLocustTexts(ConvertersLocustTexts):
    files = "locustfile (.py)"
    server = "서버"
    users = "사용자"
    no_python = "Python이 아니거나 너무 깊이 겹쳐 있습니다"
    mend_file = "locustfile 자체를 적고, Python이 읽는지 보십시오"

    # --- left out -------------------------------------------------------------------------------

    computed = "파일을 돌려야만 알 수 있습니다"
    computed_flow = "여기서 무엇이 정하는지는 파일을 돌려야만 알 수 있습니다"
    computed_pause = "쉼은 파일에 적힌 수이거나 두 수 사이입니다"
    computed_headers = "이 헤더는 파일을 돌려야만 알 수 있습니다"
    too_many_steps = "한 작업의 요청이 plan에 담기에는 너무 많습니다"
    too_deep = "작업이 너무 많거나 너무 깊이 겹쳐 있습니다"
    no_checks = "파일을 실행해야만 무엇을 검사하는지 알 수 있습니다. `expect`로 쓰십시오"
    other_client = "HTTP 사용자도, 읽을 수 있는 작업 묶음도 아닙니다"
    no_shapes = "부하의 모양을 계산합니다. `users`의 `stages`로 쓰십시오"
    no_end = "plan에는 사용자가 떠날 때의 요청이 없습니다"
    no_second_login = "plan의 로그인은 하나뿐이고, 여러 종류의 사용자에게는 없습니다"
    no_choice_in_order = "plan의 순서에는 고르는 곳이 없습니다"
    nothing_in_it = "파일의 글만으로 알 수 있는 요청이 없습니다"
    unknown_task = "파일에 정의되어 있지 않습니다"

    # --- altered --------------------------------------------------------------------------------

    users_of_command = "Locust의 명령줄에 있는 것이라, 기본값인 한 명으로 두었습니다"
    fixed_as_weight = "사용자 사이의 비중이 됩니다"
    pause_after = "작업의 시작부터가 아니라 작업이 끝난 뒤에 그만큼 쉽니다"
    set_left_at_once = "사용자는 매번 작업을 새로 고르고, 이 묶음에 머물지 않습니다"
    set_by_shares = "사용자는 매번 작업을 새로 고르되, 이 묶음을 떠날 때까지 고르는 만큼 고릅니다"
    letters_as_they_are = "값의 ASCII가 아닌 글자를 UTF-8로 보냅니다. Python은 JSON에서 이스케이프합니다"
    value_escaped = "값이 하나로 남도록 여기서는 값의 글자를 이스케이프합니다. Locust는 그대로 보냅니다"
    drawn_anew = "사용자마다 한 번이 아니라 요청마다 새로 뽑습니다"
    drawn_by_each = "모든 사용자에게 한 번이 아니라 사용자마다 한 번 뽑습니다"
    drawn_by_request = "이 값을 함께 쓰는 요청마다 따로 뽑습니다"
    weight_computed = "비중은 파일을 돌려야만 알 수 있어 1로 두었습니다"

    def server_of_command(self, server: str) -> str:
        return f"Locust의 명령줄에 있습니다. {server} 자리에 직접 쓰십시오"

    def too_long(self, most_bytes: int) -> str:
        return f"{most_bytes:,}바이트보다 깁니다"
