class KoreanConvertersHarTexts:
    files = "브라우저의 기록 (.har)"
    requests = "요청"
    pauses = "쉼"
    at_once = "다른 요청과 동시에 하는 요청"
    tokens = "토큰"
    body = "본문"

    # --- left out -------------------------------------------------------------------------------
    no_websocket = "WebSocket의 메시지는 plan에 `websocket` 요청으로 적으십시오"
    other_address = "HTTP의 주소가 아닙니다"
    from_cache = "브라우저가 캐시에서 답을 얻어 요청하지 않았습니다"
    no_answer = "브라우저가 멈췄거나 답이 없었습니다"
    own_header = "커넥션에 필요한 것은 loadrig가 직접 씁니다"
    own_cookies = "사용자마다 받은 쿠키를 지닙니다"
    no_body = "기록에 그 내용이 없습니다"
    no_files = "기록에 파일의 바이트가 없습니다"

    # --- altered --------------------------------------------------------------------------------
    in_sequence = "앞의 응답이 오는 동안 브라우저가 하는 요청은 그 응답을 기다립니다"
    no_times = "시각이 없으면 요청을 차례대로 합니다"
    files_as_recorded = "브라우저는 파일의 바이트를 기록하지 않아 비어 있을 수 있습니다"
    own_encoding = "loadrig가 풀 수 있는 gzip을 청합니다"
    other_version = "plan은 HTTP/1.1을 씁니다. HTTP/2는 `connections: {http: 2}`로 적으십시오"
    at_entry = "{number}번째 항목"
    several_requests = "요청 {count:,}개"
    header = "헤더 {name} ({count:,})"
    other_method = "plan에는 메서드 {method}가 없습니다"
    other_server = "요청 {count:,}개가 그리로 갑니다. --host {host}로 함께 옮길 수 있습니다"
    too_many = "기록의 plan에는 요청이 {most:,}개까지입니다"
    further = "요청 {count:,}개 더"


class KoreanConvertersHarErrors:
    no_entries = "log에 항목의 목록이 없습니다"
    deep_json = "목록과 객체가 너무 깊습니다"
    export_anew = "기록을 끝까지 다시 내보내십시오"
    no_json = "JSON이 아닙니다 ({reason})"
