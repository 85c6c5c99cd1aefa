class KoreanKeepAliveMismatchTexts:
    title = "연결이 다시 쓰이는 바로 그 순간에 닫힙니다"
    no_proof = "타임아웃은 프로그램의 설정이므로, 호출하는 쪽보다 길게 늘리고 같은 부하를 다시 걸어 보십시오"
    no_process_ended = "그동안 종료된 프로세스는 없습니다"
    mend = "keep-alive 타임아웃을 호출하는 쪽보다 길게 설정하십시오(keepAliveTimeout, --keep-alive)"
    decides = "keep-alive 타임아웃을 늘리고 같은 부하를 걸면 유실되는 요청이 없습니다"
    mend_each = (
        "서버가 커넥션을 유지하게 하거나(uWSGI: --http-socket 대신 --http11-socket, 또는 --http와 --http-keepalive),"
        " 아무도 다시 쓰지 않도록 `Connection: close`를 보내게 하십시오"
    )
    one_answer_each = "열린 커넥션 {opened}개가 각각 응답을 하나씩만 했습니다"
    closed_before_answer = "요청 {number}건이 응답도 받기 전에 닫힌 연결로 전송되었습니다"
    processes_ended = "프로세스 {number}개가 종료되었습니다"
    requests_failed = "전체 요청의 {share:이} 실패했습니다"
    in_a_crowd = (
        "그중 {share}는 처리 중인 요청이 평소보다 훨씬 많을 때 실패했습니다: 쉬는 커넥션이 없었습니다"
    )
