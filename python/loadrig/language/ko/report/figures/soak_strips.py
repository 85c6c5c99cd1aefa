from loadrig.language.en.report.figures.soak_strips import SoakStripTexts


class KoreanSoakStripTexts(SoakStripTexts):
    title = "소크 테스트 전체"
    about = "모두 같은 시간 축에 놓았습니다. 수준은 구간마다 가장 적게 보유한 양이므로, 곧 해제되는 것은 빠집니다."
    dashed_line = " 점선은 구한 기울기이고, 옅은 띠는 그 구간입니다."
    at_its_slope = "추정 기울기"
    median = "중앙값"
    steady = "안정적"
    red_missed_goal = "; 빨간색: 목표에 미달한 구간"
    latency = "지연 시간"
    step = "계단형 변화"
    drifted_routes = "드리프트한 라우트의 지연 시간 중앙값"
    asked_for = "요청한 부하"
    good_answers = "정상 응답"
    failed = "실패"
    pale_band = "옅은 띠: 점마다 최소와 최대인 1초"
    throughput = "처리량"
    where_it_ends = "도달 지점"
    seen = "관찰값"
    carried_on = "연장선"
    end_of_soak = "소크 테스트 종료"

    def leaks(self, size: str) -> str:
        return f"누수 {size}"

    def limit_in(self, time: str) -> str:
        return f"; {time} 후 한도 도달"

    def level_of(self, what: str, component: str) -> str:
        return f"{component}의 {what}"

    def limit(self, limit: str, amount: str) -> str:
        return f"{limit}, {amount}"

    def goal_missed(self, goal: str, worst: str) -> str:
        return f"{goal}: 미달, {worst}"

    def dip_by(self, depth: str) -> str:
        return f"{depth} 저하"

    def about_end(self, limit: str, time: str) -> str:
        return f"부하가 지금처럼 이어질 때 같은 증가를 연장한 것입니다. 소크 테스트 종료로부터 {time} 후 한도에 도달합니다: {limit}. 옅은 띠는 기울기의 구간입니다."
