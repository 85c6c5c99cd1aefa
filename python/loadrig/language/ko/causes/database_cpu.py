from loadrig.language.en.causes.database_cpu import DatabaseCpuTexts
from loadrig.language.particles import with_particle


class KoreanDatabaseCpuTexts(DatabaseCpuTexts):
    title = "데이터베이스의 CPU가 소진되었습니다"
    make_statements_cheaper = "먼저 쿼리의 비용을 줄이십시오"

    def cpu_may_use(self, share: str) -> str:
        return f"쓸 수 있는 CPU의 {with_particle(share, '가')} 사용 중이었습니다"

    def next_limit_s(self, what: str, component: str, rps: str) -> str:
        return f"; 다음 한계는 {component}의 {what}, {rps}/s입니다"

    def statements_work_once(self, running: str, number: str) -> str:
        return f"쿼리 {running}개가 {number}에서 동시에 실행 중이었습니다"

    def decides(self, name: str) -> str:
        return f"{name}의 CPU를 4분의 1 늘리고 같은 부하를: 이것이라면 처리량이 따라 오릅니다"

    def look_costliest_statement(self, top: str) -> str:
        return f"먼저 가장 비싼 쿼리를 보십시오 ({top})"

    def compute_less_often(self, top: str) -> str:
        return f"가장 비싼 쿼리({top})의 결과를 캐시나 요약 테이블에 두어 덜 자주 계산하십시오"

    def then_give_more(self, first: str) -> str:
        return f"{first}, 그다음 코어를 늘리십시오. 커넥션이나 스레드를 늘려도 그 안에서 기다릴 뿐입니다"
