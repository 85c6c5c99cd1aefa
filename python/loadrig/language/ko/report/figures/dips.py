from loadrig.language.en.report.figures.dips import DipFigureTexts


class KoreanDipFigureTexts(DipFigureTexts):
    title = "처리량 저하와 그때 일어난 일"
    good_answers = "정상 응답"
    level_without_dips = "저하가 없을 때의 수준"
    throughput = "처리량"
    good_answers_a_second = "초당 정상 응답"
    lost_title = "손실"
    lacks_to_level = "평소 수준에 못 미친 양"
    below_level = "수준 미달분"
    lost = "손실"
    lanes_title = "처리량 저하와 나란히 본 사건"
    about_lanes = (
        "눈금 하나는 저하 한 번, 또는 사건이 몰린 한때이며, 높이가 크기입니다. 눈금이 첫 줄의 모든 눈금 아래에, 그리고 그"
        " 아래에만 있는 줄이 저하의 원인이거나 같은 원인에서 비롯된 것입니다."
    )
    dips_lane = "저하"

    def below_level_by(self, share: str) -> str:
        return f"수준보다 {share} 낮음"

    then = "그때"
    level = "수준"
    what_happened = "일어난 일"
    dips_with_it = "함께한 저하"
    dips_with_it_meaning = "1~2초 안에 이 일이 몰린 저하의 비율."
    it_with_dips = "저하와 함께한 비율"
    it_with_dips_meaning = "이 일이 몰린 때 중 저하가 있던 비율."
    alone = "단독"
    alone_meaning = "손실의 분산 중 이것만으로 설명되는 비율."
    at_most = "최대"
    at_most_meaning = "이 일에 쓰인 시간이 만들 수 있는 손실의 비율."
    p_meaning = "시간을 밀어 보았을 때 이만큼 잘 맞는 경우의 비율, 비교한 흐름의 수로 보정."
    caption = "저하와 나란히 놓은 사건"

    def about(self, lasted: str, depth: str) -> str:
        return (
            f"처리량 저하: {lasted}, 깊이 {depth}. 그 아래에는 같은 축에 그 밖의 일을 놓았습니다. 저하의 원인은"
            " 저하 때마다 나타나고, 다른 때에는 나타나지 않습니다."
        )

    def same_period_as(self, timer: str) -> str:
        return f" 이 주기는 {timer}의 주기와도 같습니다."

    def of_throughput(self, share: str) -> str:
        return f"처리량의 {share}"

    def from_on(self, start: str) -> str:
        return f"{start}부터"

    def about_period(self, length: str, cycles: str) -> str:
        return f"측정 구간의 매초를 {length} 주기 안의 위치에 따라 겹친 것으로, {cycles}개 주기의 중앙값과 사분위수입니다. 잡음뿐이라면 모든 행이 같습니다."

    def period_title(self, length: str) -> str:
        return f"{length} 주기 하나"

    def before(self, length: str) -> str:
        return f"{length} 전"

    def after(self, length: str) -> str:
        return f"{length} 후"

    def about_around(self, stream: str) -> str:
        return f"다음 일의 전, 도중, 후의 평균 처리량: {stream}. 잡음뿐이라면 모든 행이 같습니다."

    def around_title(self, stream: str) -> str:
        return f"전후의 처리량: {stream}"

    def with_dips(self, share: str) -> str:
        return f"저하의 {share}에서 함께 나타남"

    def most_of_loss(self, share: str) -> str:
        return f"최대 손실의 {share}"
