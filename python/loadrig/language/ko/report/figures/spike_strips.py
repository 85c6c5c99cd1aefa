from loadrig.language.en.report.figures.spike_strips import SpikeStripTexts


class KoreanSpikeStripTexts(SpikeStripTexts):
    spike = "급증"
    back_in_band = "평소 범위로 복귀"
    requests_a_second = "초당 요청"
    asked_for = "요청한 부하"
    answered_well = "정상 응답"
    failed = "실패"
    in_flight_title = "처리 중인 요청"
    in_flight = "처리 중"
    latency = "지연 시간"
    p90_of_good_answers = "정상 응답의 p90"
    about = "급증 구간은 음영으로 나타냅니다."
    grey_band = " 회색 띠는 급증 전의 범위이며, 지표가 그 안에 머무르면 복귀한 것입니다."
    title = "급증"
    time_since_begin = "부하 시작 후 시간"

    def at_most(self, number: str) -> str:
        return f"최대 {number}"

    def piled_up(self, rate: str) -> str:
        return f"급증 중 초당 {rate}건씩 쌓임"
