class KoreanPoolTooSmallTexts:
    title = "커넥션 풀이 너무 작습니다"
    requests_waited_connections = (
        "요청 {waiting}건이 {name:으로} 가는 커넥션 {count}개 중 하나를 기다렸습니다"
    )
    each_then_held = ": {waiting}씩 기다렸고, 그 뒤 잡은 시간은"
    mend_calls = "{dependency:이} 한가한 한 {owner:이} {dependency}에 한 번에 약 {wanted}건을 호출하게 하십시오: 클라이언트의 풀, 또는 그 앞의 semaphore나 limiter를 키웁니다"
    mend = "{owner}의 풀을 키우십시오: {dependency:이} 한가한 한 이 부하에는 커넥션 약 {wanted}개"
    decides = "커넥션 {ceil}개로 같은 부하를: 처리량이 따라 오릅니다"
