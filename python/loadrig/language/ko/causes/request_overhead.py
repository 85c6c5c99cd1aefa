class KoreanRequestOverheadTexts:
    title = "요청을 둘러싼 부수 작업이 CPU 시간의 상당 부분을 차지합니다"
    compress_less_lower = "덜 압축하십시오: 더 낮은 수준으로, 몇 kB 이상만, 또는 프록시에 맡기십시오"
    same_load_accept = "Accept-Encoding: identity로 같은 부하를"
    faster_encoder_fewer = "더 빠른 인코더, 더 적은 필드, 또는 인코딩해 둔 응답"
    same_load_answer = "미리 인코딩된 응답에 같은 부하를"
    keep_connections_alive = "커넥션을 유지하고 세션을 재개하거나, 프록시에서 TLS를 끝내십시오"
    same_load_keep = "keep-alive로, 또는 TLS 없이 같은 부하를"
    log_less_way = "요청 경로에서 로그를 줄이거나 (더 높은 수준), 비동기로 쓰십시오"
    same_load_higher = "로그 수준을 높이고 같은 부하를"
    file_access = "파일 접근"
    open_write_read = (
        "요청마다 여는 파일과 읽고 쓰는 횟수를 줄이십시오: 로그를 줄이고, 더 큰 단위로, 별도의 스레드에서"
    )
    same_load_higher_log = "로그 수준을 높이고, 또는 쓰는 것 없이 같은 부하를"
    regular_expressions = "정규식"
    compile_patterns_once = "패턴을 한 번만 컴파일하거나 평범한 문자열 검색을 쓰십시오"
    same_load_route = "아무것도 검색하지 않는 경로에 같은 부하를"
    compiling = "컴파일"
    compile_once = (
        "스크립트와 템플릿을 한 번만 컴파일하고 그 결과를 보관하십시오: 컴파일된 코드의 캐시(PHP의 opcache.enable),"
        " 시작할 때 파싱해 둔 템플릿"
    )
    same_load_compiled = "컴파일된 것을 보관하고 같은 부하를"
    samples_lay = "샘플 {samples}개 중 {share:가} {detail}에 있었습니다"
    lines_written = "요청마다 로그를 {number}줄 썼으며, 한 줄에 CPU가 적어도 {each} 듭니다"
    effect = "요청당 CPU 시간 {cpu_s} 중 {share:를} {detail:이} 씁니다. 없으면 {without}"
    decides = "{decides}: 요청당 CPU 시간이 {without:로} 줄어듭니다"
