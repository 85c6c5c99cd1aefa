class KoreanExportersTexts:
    csv = "모든 시계열의 CSV"
    github = "GitHub Actions 주석"
    gitlab = "GitLab 코드 품질 보고서"
    hlog = "HdrHistogram 구간 로그"
    influx = "모든 시계열의 InfluxDB line protocol"
    jplot = "jaggr가 만드는 것과 같은, jplot용 JSON 줄"
    jtl = "JMeter 결과 CSV"
    junit = "목표마다 테스트 하나인 JUnit XML"
    k6 = "k6 요약 JSON"
    markdown = "Markdown 요약"
    openmetrics = "합계의 OpenMetrics 텍스트"
    parquet = "모든 시계열의 Parquet"
    vegeta = "vegeta 결과 JSON 줄"
    goal = "목표"
    result = "결과"
    route = "경로"
    requests = "요청"
    failed = "실패"
    disturbed_by = "trial을 방해한 것:"

    def goal_met(self, goal: str, figure: str) -> str:
        return f"목표 달성: {goal} ({figure})" if figure else f"목표 달성: {goal}"

    def goal_missed(self, goal: str, figure: str) -> str:
        return f"목표 미달: {goal} ({figure})" if figure else f"목표 미달: {goal}"

    goal_undecided = "달성 여부를 정할 수 없음: {goal}"
