class KoreanNetworkBandwidthTexts:
    title = "네트워크 대역폭이 포화되었습니다"
    queue_unseen = (
        "전송을 기다리는 데이터는 관찰되지 않았습니다: sock_diag로 볼 수 있습니다(modprobe tcp_diag)"
    )
    mend = "응답을 압축하거나 필드를 줄이거나, 사용자 가까이에 캐시를 두거나, 더 빠른 링크를 쓰십시오"
    decides = (
        "본문을 절반 크기로 줄이고(Accept-Encoding: gzip) 같은 부하를 걸면 초당 요청 수가 두 배가 됩니다"
    )
    link_carried = "{link:이} {bytes_a_second}/s, 링크 속도의 {share:를} 전송했습니다"
    waited_to_be_sent = (
        "초당 {bytes_a_second} 전송 중에 {queued} 분량이 대기했습니다: 응답 시간 중앙값 {median} 중 {wait}"
    )
    lay_unread = "상대편에서 아직 읽지 않은 데이터는 {size}입니다"
    cpu_used = "{program:은} 쓸 수 있는 CPU의 {share:를} 썼습니다"
    bytes_left = "{program}에서 초당 {bytes_a_second}, 요청당 {size} 나갔고, 그 이상은 나가지 못합니다"
    is_waiting = "{median} 중 {wait:이} 전송 대기 시간입니다"
    stood_at_level = (
        "{link}의 전송량이 초당 {bytes_a_second}, 변동 {spread} 이내입니다: 무언가가 이 수준으로 제한합니다"
    )
