class KoreanPacketLossTexts:
    title = "도중에 패킷이 손실됩니다"
    no_proof = "경로는 측정 대상이 아니므로, 서버 머신 자체에서 거는 것처럼 다른 경로로 다시 실행해 보십시오"
    unknown_latency = "알 수 없음"
    turned_away_unread = "연결이 거부되었는지 읽지 못했습니다: nstat -az TcpExtListenDrops"
    none_answered = "제대로 응답한 요청이 없어 응답 시간으로는 알 수 없습니다"
    mend = (
        "양쪽 머신에서 ip -s link, ethtool -S, tc -s qdisc로, 그리고 그 사이의 장비까지 경로를 점검하십시오"
    )
    decides = "서버 머신 자체에서 거는 것처럼 다른 경로로 같은 부하를 걸어 봅니다"
    receive_drops = "수신 드롭"
    send_drops = "송신 드롭"
    receive_errors = "수신 오류"
    send_errors = "송신 오류"
    few_were_late = "늦게 온 응답은 백에 하나도 되지 않습니다: 그것이 많은지 말하는 목표가 없습니다"
    sent_again = "세그먼트의 {share:이} 재전송되었습니다: 모두 {number}개"
    turned_away = "리스너가 연결 {number}개를 거부했습니다"
    lost = "세그먼트의 {share:이} 손실되었습니다; p99 {slow}, 응답 시간 중앙값 {median}"
    sent_again_for_requests = "요청 {requests}건에 재전송된 세그먼트 {number}개"
    does_not_stand_out = (
        "응답의 절반이 {median} 이상 걸려 200 ms가 두드러지지 않습니다; 더 낮은 부하에서 확인하십시오"
    )
    late_enough = "{quantile} {slow}, 응답 시간 중앙값 {median}: 세그먼트는 200 ms 뒤에 재전송됩니다"
    too_soon = "{quantile} {slow}, 응답 시간 중앙값 {median}: 200 ms 뒤의 재전송이라기에는 너무 빠릅니다"
    core_was_busy = "한 코어의 유휴 시간이 전체의 {idle}뿐입니다: 받는 쪽이 늦었습니다"
    counted = "{interface}의 {what}: {number}건"
