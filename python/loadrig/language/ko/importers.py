class KoreanImportersTexts:
    all_of_files = "파일에 있는 전부"
    parts_of_samples = "sample의 일부(리다이렉트, 포함된 자원)"
    transactions = "요청이 각자 행을 가진 트랜잭션"
    transactions_alone = (
        "{rows}개 행은 여러 요청의 트랜잭션인데, 그 요청의 행이 없습니다: 저마다 요청 하나로 셉니다"
    )
    expected_failures = "상태가 400 이상인 응답 {answers}건은 테스트가 성공으로 정한 것이라, 성공으로 셉니다"
    ends_of_samples = (
        "{file}의 timeStamp는 sample의 끝으로 읽습니다: 시작이라면 한 스레드의 sample끼리 겹칩니다"
    )
    groups_of_requests = "요청이 각자 기록을 가진 그룹"
    errors_of_scripts = "요청이 아닌 스크립트의 오류"
    unasked_messages = "요청 없이 온 메시지"
    sums_only = "파일에는 요청이 아니라 합계만 있습니다: 분위수는 도구가 적었다면 그대로이며, 합계 안의 일은 알 수 없습니다"
    began_before_file = "{file}에 부하를 건 때가 없습니다: 파일이 마지막으로 쓰인 때에 끝난 것으로 봅니다"
    steps_of_spectrum = "시간은 spectrum의 단계별 값이며, 단계마다 위쪽 끝을 씁니다"
    wrk_timeouts = "wrk가 시간 초과를 {number}건 셌습니다. 느린 요청은 살필 때마다 다시 셉니다"
    under_way_at_end = "부하가 끝날 때 진행 중이던 요청"
    earlier_runs = "같은 로그의 이전 실행"
    no_failed_rows = "응답 없는 요청은 행이 없어, 여기에 없습니다"
    whole_seconds = "요청의 시작은 초 단위로만 적혀 있습니다"
    taken_as_utc = "시각에 시간대가 없어 UTC로 봅니다"
    failed_checks = "Artillery가 실패한 검사를 셌습니다. 그 요청은 응답을 받았고, 따로 구분되지 않습니다"
    other_histograms = "보낸 때부터 잰 것이 아닌 시간의 히스토그램"
    taken_as_ns = "HdrHistogram의 도구들이 그러하듯 값을 나노초로 봅니다"
    ends_at_whole_seconds = "요청의 끝은 초 단위로만 적혀 있습니다"
    iterations_dropped = (
        "k6가 할 차례였던 반복 {number}건을 스스로 버렸습니다: 시작할 사용자가 남아 있지 않았습니다"
    )
    no_outcomes = "{form:은} 요청이 어떻게 끝났는지 적지 않습니다: 모두 성공으로 셉니다"
    other_length = "ab가 실패라 한 응답 {number}건은 첫 응답과 길이가 달랐을 뿐이며, 성공으로 셉니다"
    torn = "{file}의 마지막 줄은 끝까지 쓰이지 않아 뺐습니다"
    routes_folded = (
        "경로가 {most}개보다 많습니다: 나머지의 요청 {requests}건을 {others:으로} 묶었습니다. "
        "이름을 줄이거나 --route로 합치십시오"
    )
