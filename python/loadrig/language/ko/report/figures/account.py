from loadrig.language.en.report.figures.account import AccountFigureTexts


class KoreanAccountFigureTexts(AccountFigureTexts):
    title = "요청 하나의 시간 구성"
    low_load = "가장 낮은 부하"
    high_load = "가장 높은 부하"
    calm = "저하 사이"
    dips = "저하 중"
    not_told_by_route = "큐에서 대기했거나 라우트별로 알 수 없음"
    by_route = "라우트별"
    route = "라우트"
    what_request_does = "요청이 하는 일"
    time = "시간"
    counted_by = "측정 방법"
    component = "구성 요소"
    share = "비율"
    not_accounted_for = "설명되지 않음"
    beyond_total = "다른 클라이언트의 것이거나 두 번 셈"
    server_in_words = "서버"
    waiting_for_dependency = "의존 서비스 대기"
    answers_unread = "읽지 않은 응답"
    holding_transaction = "트랜잭션을 연 채 유지"
    total_less_lines = "전체에서 모든 항목을 뺀 값"
    total_less = "전체에서 뺀 값"

    def about(self, sentence: str) -> str:
        return f"{sentence} 막대 하나는 요청의 평균 시간이며, 요청이 지나가는 순서로 나뉩니다. 의존 서비스의 막대는 서버가 그 서비스를 기다리기 시작하는 곳에서 시작합니다."

    def about_routes(self, sentence: str, missing: str) -> str:
        return f"{sentence} 라우트별 소요 시간은 라우트의 비중이 충분히 달라지는 곳에서만 구할 수 있습니다. 라우트별로 알 수 없는 것: {missing}."
