class KoreanUsersInFlightTexts:
    requests_in_flight = "처리 중인 요청"
    users = "사용자"
    sessions = "세션"
    waiting_for_connection = "커넥션 대기"
    open_connections = "열린 커넥션"
    connections_opened = "새로 연 커넥션"
    title = "사용자와 처리 중인 요청"
    about = "결과에 기록된 시점별 수입니다."
    title_with_connections = "사용자, 처리 중인 요청, 커넥션"
    about_with_connections = (
        "시점별 수와 초당 새로 연 커넥션입니다. keep-alive를 쓰면 시작 직후 거의 0으로 떨어집니다."
    )
    caption = "측정 구간의 수"
