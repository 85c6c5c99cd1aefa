"""Sentences of `missing_index` in Korean."""

from loadrig.language.en.causes.missing_index import MissingIndexTexts
from loadrig.language.particles import with_particle


class KoreanMissingIndexTexts(MissingIndexTexts):
    """Sentences of `causes.missing_index`, in Korean."""

    title = "인덱스가 없습니다: 몇 행을 위해 테이블 전체를 읽습니다"
    request_costs = " 요청 하나가 쓰는"
    only_some_requests = "일부 요청만 느렸습니다: 가장 느린 경로의 EXPLAIN이 알려 줍니다"
    how_many_rows = "이 행들 중 몇 개를 보냈는지 읽지 못했습니다: pg_stat_statements가 알려 줍니다"
    decides = "인덱스를 두고 같은 부하를: 요청당 CPU 시간이 절반 이하로 줄어듭니다"
    how_busy_could = "얼마나 바빴는지 볼 수 없었습니다"

    def rows_gone_through(self, rows: str) -> str:
        return f"요청마다 인덱스 없이 {rows}행을 훑었습니다"

    def sent(self, sent: str) -> str:
        return f", 보낸 것은 {sent}행"

    def rows_second_read(self, rows: str, rate: str) -> str:
        return f"요청 {rate}건에 초당 {rows}행을 읽습니다"

    def cpu_each(self, demand_s: str) -> str:
        return f", 하나에 CPU {demand_s}"

    def reading_them_takes(self, reading_s: str, demand_s: str) -> str:
        return f"읽는 데 CPU {demand_s} 중 최대 {reading_s} 걸립니다"

    def rows_x(self, rows: str, row_s: str) -> str:
        return f"{rows}행 x {row_s}"

    def the_statement_is(self, text: str) -> str:
        return f"쿼리는 {text}"

    def mend(self, word: str) -> str:
        return f"쿼리를 EXPLAIN 하고{word}, 비교하는 컬럼에 CREATE INDEX 하십시오"

    def used_cpu_may(self, full: str) -> str:
        return f"쓸 수 있는 CPU의 {with_particle(full, '를')} 썼습니다"

    def median_latency(self, demand_s: str, p50: str) -> str:
        return f", 지연 시간 중앙값 {p50} 중 {demand_s}"

    def what_cores_do(self, word: str) -> str:
        return f", 그리고 가득 찬 이 코어들이 하는 일의 {word}"

    def requests_flight_work(self, word: str) -> str:
        return f"처리 중인 요청 중 {word}건이 그 안에서 실행 중이었습니다"

    def may_report(self, strip: str, text: str) -> str:
        return f"보고서용 쿼리일 수 있습니다 ({strip}): {text}"

    def may_report_each(self, tables: str) -> str:
        return f"보고서용 쿼리일 수 있습니다: 요청마다 임시 테이블 {tables}개를 만들었습니다. performance_schema=ON이면 쿼리를 보여 줍니다"
