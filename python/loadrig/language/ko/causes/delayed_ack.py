class KoreanDelayedAckTexts:
    title = "쓴 데이터가 미뤄진 ACK를 기다립니다"
    no_proof = (
        "옵션은 프로그램 안에서 설정됩니다. TCP_NODELAY로, 또는 헤더와 본문을 한 번에 쓰고 다시 실행하십시오"
    )
    decides = "TCP_NODELAY로 같은 부하를: 40 ms가 사라집니다"
    lost_s_of = "{mean_s} 중 {lost_s}"
    acknowledgements_held_back = "요청마다 ACK {a_request}개가 40 ms씩 미뤄졌습니다"
    answer_way_time = "응답이 그 시간의 {share} 동안 전송 중이었습니다 ({formula})"
    effect = "{sender}의 응답이 ACK에 막혀 {lost_s} 동안 전송 중입니다"
    mend = "{sender}에 TCP_NODELAY를 설정하거나 응답의 헤더와 본문을 한 번에 쓰십시오"
    call_way_time = "호출이 그 시간의 {share} 동안 전송 중이었습니다 ({formula})"
    effect_on_call = "{sender}에서 {to:으로} 가는 호출이 ACK에 막혀 {lost_s} 동안 전송 중입니다"
    mend_call = "{sender}에서 {to:으로} 가는 커넥션에 TCP_NODELAY를 설정하거나 호출을 한 번에 쓰십시오"
    answer_way = "응답이 전송 중이던 시간: {formula}"
