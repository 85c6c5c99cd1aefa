from loadrig.language.en.report.figures.elasticities import ElasticityFigureTexts


class KoreanElasticityFigureTexts(ElasticityFigureTexts):
    moves_nothing = "영향 없음"
    shares = "일부 영향"
    limits = "한계"
    follows = "일대일로 따라감"
    title = "영향을 주는 것: 용량"
    elasticities = "탄력성"
    gains_title = "영향을 주는 것: 설정과 부하"
    gains = "이득"
    about_gains = (
        "별도의 trial에서 시험한 설정과 부하의 형태입니다. 변경했을 때의 결과를 변경하지 않았을 때의 결과로 나눈 비율이며,"
        " ×1은 변화가 없다는 뜻입니다. 점: 추정값, 막대: 95 % 구간."
    )
    changed = "변경 대상"
    by = "변경 폭"
    elasticity = "탄력성"
    elasticity_meaning = "결과가 용량을 따라가는 정도(로그 기준): 1이면 일대일."
    gain = "이득"
    gain_meaning = "변경했을 때의 결과를 변경하지 않았을 때의 결과로 나눈 값."
    without = "변경 없음"
    with_change = "변경 적용"
    blocks = "블록"
    blocks_meaning = "둘을 무작위 순서로 모두 측정한 블록."
    how = "방법"
    while_load_ran = "부하 중 변경"
    in_own_trials = "별도 trial"
    says = "결론"

    def about(self, limits: str, cleared: str) -> str:
        return (
            f"변경한 것을 결과가 따라가는 정도입니다. 1이면 그것이 한계이고, 0이면 무관합니다. 점: 추정값, 막대: 95 % 구간. 구간 전체가 {limits}보다 크면 한계이고,"
            f" {cleared}보다 작으면 영향이 없으며, 경계에 걸친 막대는 확실하지 않습니다."
        )

    def measured(self, measure: str, better: str) -> str:
        return f"{measure}, {better}"

    def measured_between(self, measured: str, unchanged: str, changed: str) -> str:
        return f"{measured}: {unchanged} → {changed}"
