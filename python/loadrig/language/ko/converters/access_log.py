class KoreanConvertersAccessLogTexts:
    tool = "접근 로그"
    files = "nginx, Apache, Envoy, Caddy, Traefik의 접근 로그 (줄 또는 JSON 줄)"
    requests = "요청"
    routes = "경로"
    server = "서버"
    headers = "헤더와 쿠키"
    rate = "요청률"
    replayed = "차례대로 재현할 요청"

    # --- left out -------------------------------------------------------------------------------
    no_request = "읽을 수 있는 접근 로그의 줄이 아닙니다"
    no_entry_at_all = "접근 로그의 줄이 하나도 없습니다"
    no_log = "common이나 combined 형식, Envoy, 또는 JSON 줄로 된 접근 로그를 적으십시오"
    no_body = "로그에는 본문이 없습니다. 본문이 있는 요청을 plan에 직접 쓰십시오"
    no_such_method = "plan에는 이 메서드의 요청이 없습니다"
    upgraded = "다른 프로토콜로 바뀐 뒤에 보낸 것은 로그에 없습니다"
    no_path = "경로가 없거나 너무 깁니다"
    secret_path = "값이 비밀이라 쓰지 않거나, UTF-8이 아닙니다"
    too_many_routes = "경로의 표가 가득 찼고, 가장 드문 경로였습니다"
    no_replay_of_all = "재현할 목록에 다 들어가지 않습니다. 앞의 것만 있습니다"

    # --- altered --------------------------------------------------------------------------------
    no_headers = "로그에 없어서 빼고 보내므로, 응답이 다를 수 있습니다"
    no_times = "로그에 시각이 없어 1/s로 두었습니다. 원하는 요청률을 쓰십시오"
    in_order = "이 plan 옆의 {plan}은 로그의 요청을 하나씩, 로그의 차례와 시각대로 보냅니다"
    further_requests = "{method}, 드문 경로"
    is_rare = "가장 잦은 {routes}개의 경로에 들지 않습니다. 그 몫은 다른 경로로 갑니다"
    lines = "{count:,}줄"
    requests_of = "{route} (요청 {count:,}개)"
    further_routes = "경로 {routes:,}개 더 (요청 {requests:,}개)"

    def server_to_write(self, server: str, hosts: str) -> str:
        named = f"요청은 {hosts}에 온 것입니다" if hosts else "로그에는 없습니다"
        return f"{named}. {server} 자리에 부하를 걸어도 되는 서버를 쓰십시오"

    busiest_rate = "{begin}부터 가장 바쁜 {stretch_s}초의 요청률입니다. 로그 전체로는 {mean}/s입니다"
    mean_rate = "{length_s}초인 로그 전체의 요청률입니다"
    secret_parameter = "쿼리 매개변수 {name}"
    secret_left_out = "값이 비밀이라 뺐습니다. 보내야 하면 {name}={{env:NAME}}을 더하십시오"
    route_comment = "요청 {count:,}개 ({share} %), 응답 {statuses}"
