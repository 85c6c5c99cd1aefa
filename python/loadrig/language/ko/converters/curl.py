class KoreanConvertersCurlTexts:
    files = "curl 명령 파일 (cURL로 복사)"
    requests = "요청"
    command = "curl"
    body = "본문"

    # --- left out -------------------------------------------------------------------------------
    no_such_option = "curl에 이런 옵션이 없거나 값이 빠졌습니다"
    of_output = "loadrig가 모든 결과를 직접 남깁니다"
    of_connections = "서버에 이르는 길은 할 수 있는 만큼 plan의 `connections`에 적으십시오"
    of_tls = "서버의 인증서는 plan의 `tls`에 적으십시오"
    other_login = "plan은 로그인을 헤더로만 보냅니다"
    login_of_variables = "변수로 된 로그인은 헤더 하나로 쓸 수 없습니다"
    no_body_here = "curl은 여기에 본문을 보내지 않습니다"
    no_part = "plan에는 이런 것이 없습니다"
    no_address = "주소가 없습니다"
    no_curl = "plan은 curl의 요청만 합니다"
    no_output = "명령의 출력은 돌리기 전에 알 수 없습니다"
    no_expansion = "셸이 다른 값으로 만드는 값입니다"
    only_after_failure = "앞의 명령이 실패할 때만 실행됩니다"
    no_cookie_file = "파일의 쿠키는 읽지 않습니다. 사용자는 받은 쿠키를 지닙니다"
    no_file_beside = "명령의 폴더와 그 아래에 이 파일이 없습니다"
    no_header = "헤더가 아닙니다"
    own_header = "이 헤더는 loadrig가 직접 씁니다"
    always_sent = "loadrig는 이 헤더를 늘 보냅니다"
    two_bodies = "curl은 데이터나 폼 하나만 보냅니다"
    bytes_and_variables = "plan에는 텍스트가 아닌 바이트와 변수가 함께 든 본문이 없습니다"
    pattern_of_addresses = "plan에는 주소의 패턴이 없습니다. 주소를 하나씩 쓰거나 -g를 붙이십시오"
    other_address = "HTTP의 주소가 아닙니다"

    # --- altered --------------------------------------------------------------------------------
    header_joined = "이름이 같은 헤더는 하나로 잇습니다"
    host_not_fixed = "변수가 서버를 정합니다. `target`과 `allow`에 적으십시오"
    ends_at_ampersand = "셸은 &에서 명령을 끝내므로, 그 뒤는 주소가 아닙니다"
    for_all = "모든 요청에 해당합니다"
    method_of_redirects = (
        "curl은 리다이렉트를 따를 때 메서드를 그대로 두지만, plan은 303 뒤에, 그리고 POST에 온 301과 302 뒤에"
        " GET으로 요청합니다"
    )
    other_method = "plan에는 메서드 {method}가 없습니다"
    too_many = "이것부터는 요청이 {most:,}개보다 많아집니다"
    nothing_sets = "파일이 정하지 않습니다. {name}의 값을 여기에 적으십시오"


class KoreanConvertersCurlErrors:
    open_quote = "거기서 연 따옴표나 here-document가 닫히지 않았습니다"
    close_quote = "명령을 끝까지 다시 복사하십시오"
