"""Sentences of `n_plus_one` in Korean."""

from loadrig.language.en.causes.n_plus_one import NPlusOneTexts
from loadrig.language.particles import with_particle


class KoreanNPlusOneTexts(NPlusOneTexts):
    """Sentences of `causes.n_plus_one`, in Korean."""

    title = "요청마다 작은 것을 여러 번 차례로 묻습니다"
    mget_or_pipeline = "MGET 또는 파이프라인"
    join_or_where = "JOIN이나 WHERE id IN (…), ORM의 eager loading"
    pg_stat_statements = ": pg_stat_statements가 쿼리가 몇 종류인지 알려 줍니다"

    def round_trips_each(self, count: str, name: str) -> str:
        return f"요청마다 {name}로 왕복 {count}회"

    def most_them(self, top: str) -> str:
        return f", 대부분 {top}"

    def no_more_than(self, top_share: str) -> str:
        return f"많아야 {top_share}만 서로 같습니다"

    def mend(self, together: str) -> str:
        return f"한꺼번에 물으십시오: {together}"

    def decides(self, name: str, count: str) -> str:
        return f"{name} 앞에 1 ms 지연을: 요청이 {count} ms 느려집니다"

    def each_request_makes(self, count: str, by: str, name: str) -> str:
        return f"요청마다 {name}로 {count}회의 {with_particle(by, '를')} 보냅니다"

    def them_costs_cpu(self, theirs: str) -> str:
        return f"하나에 CPU {with_particle(theirs, '가')} 듭니다"

    def cpu_not_seen(self, name: str) -> str:
        return f"{name}의 CPU를 보지 못했습니다"

    def woken_times_each(self, switches: str) -> str:
        return f"요청마다 {switches}회 깨어났습니다: 묶어서 보내는지는 클라이언트의 코드에서 알 수 있습니다"

    def them_are(self, top_share: str, top: str) -> str:
        return f"그중 {with_particle(top_share, '가')} {top}입니다"

    def each_them_brings(self, sent: str) -> str:
        return f"하나에 {sent}행씩 가져옵니다"
