from loadrig.base.error_words import ErrorWords
from loadrig.language.en.errors.plan_proving import PlanCheckProvingErrors
from loadrig.language.particles import with_particle


class KoreanPlanCheckProvingErrors(PlanCheckProvingErrors):
    def not_an_address(self, name: str, shown: str, meant: str) -> ErrorWords:
        return ErrorWords(
            what=f"{shown}에는 호스트와 포트가 없어 {name}에 닿을 수 없습니다",
            mend=f'{name}: "{meant}"처럼 host:port로 쓰십시오',
        )

    def host_not_allowed(self, name: str, host: str, hosts: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(host, '은')} 이 머신이 아니며 plan이 허용하지 않습니다",
            mend=f"맨 위에 추가하십시오: allow: [{hosts}]",
            why=f"서버가 {name}에 보내는 것이 loadrig를 거쳐 그 호스트로 가게 됩니다",
        )
