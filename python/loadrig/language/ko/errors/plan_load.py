from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


class KoreanPlanLoadErrors:
    plan = "plan"
    target = "대상"
    empty_plan = ErrorWords(
        what="plan이 비어 있습니다",
        mend="loadrig: 1, target, workload로 시작하십시오. examples/에 예가 있습니다",
    )
    not_utf8 = "UTF-8 텍스트가 아닙니다 ({reason})"
    unreadable_plan = ErrorWords(
        what="plan을 읽을 수 없습니다: {reason}",
        mend="examples/users.yaml 같은 plan 파일의 경로를 쓰십시오",
    )
    other_version = ErrorWords(
        what="plan의 버전이 {shown}인데, 이 loadrig는 버전 1을 읽습니다", mend="loadrig: 1을 쓰십시오"
    )


class KoreanPlanOverridesErrors:
    not_a_place = ErrorWords(
        what="{shown:은} plan의 어떤 자리도 가리키지 않습니다",
        mend="trial.seed처럼 키 사이에 점을 찍어 쓰십시오",
    )


class KoreanPlanProtocolsErrors:
    closing_has_a_key = "요청마다 닫는 커넥션은 connections: {keep_alive: false}로 씁니다"
    no_http3 = "HTTP/3는 지원하지 않습니다: 그것을 위한 Rust crate가 아직 실험 단계입니다"

    def unknown_version(self, shown: str, meant: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"http는 {shown}인데, 1.1 또는 2를 받습니다",
            mend=f"{with_particle(f'http: {meant}', '을')} 쓰십시오"
            if meant
            else "http: 1.1 또는 http: 2를 쓰십시오",
            why=why,
        )


class KoreanPlanConstantErrors:
    no_load = ErrorWords(
        what="plan의 부하가 전혀 없습니다", mend="사용자가 있거나 요청률이 0보다 큰 부하를 쓰십시오"
    )
    no_rate = ErrorWords(
        what="시각의 목록에 서로 다른 두 순간이 없어 요청률을 알 수 없습니다",
        mend="rate: 100/1s처럼 요청률이 있는 부하로 증명하십시오",
    )
    unreadable_times = ErrorWords(
        what="replay의 시각을 읽을 수 없습니다: {reason}",
        mend="{file:을} 확인하십시오",
    )
