from loadrig.language.en.report.fleet import FleetTableTexts


class KoreanFleetTableTexts(FleetTableTexts):
    caption = "부하 전체에서 각 부하 발생기"
    name = "발생기"
    host = "호스트"
    requests = "요청"
    lag = "지연 p99"
    lag_doc = "요청이 예정된 때부터 집어 들 때까지, 가장 느린 1 %의 요청 기준"
    busiest = "가장 바쁜 스레드"
    clock = "시계"
    clock_doc = "시계를 보정한 뒤 그 호스트의 시각이 어긋날 수 있는 폭"

    labels_caption = "부하 전체에서 라벨별 호스트"
    label = "라벨"
    generators = "발생기"
    due = "예정"
    unsent = "보내지 못함"
    ok = "정상 응답"
    p50 = "p50"
    p99 = "p99"
    times_doc = "요청이 예정된 때부터 정상 응답까지"

    def lost(self, name: str) -> str:
        return f"{name}, 잃음"

    def replaced(self, name: str) -> str:
        return f"{name}, 잃고 대체됨"

    def latest_of(self, shown: str, all_of_them: str) -> str:
        return f"{all_of_them}개 가운데 가장 늦은 {shown}개입니다. 전부는 result.json에 있습니다"

    def orders_reached(self, longest: str) -> str:
        return f"지시는 {longest} 안에 모두에게 닿았습니다"
