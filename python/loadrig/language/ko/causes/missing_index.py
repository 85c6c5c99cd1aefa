from loadrig.language.en.causes.missing_index import MissingIndexTexts
from loadrig.language.particles import with_particle


class KoreanMissingIndexTexts(MissingIndexTexts):
    title = "인덱스가 없어 몇 행을 위해 테이블 전체를 읽습니다"
    some_slow = "일부 요청만 느렸습니다: 가장 느린 경로의 쿼리를 EXPLAIN 하면 알 수 있습니다"
    sent_unread = "이 행들 중 몇 개를 보냈는지 읽지 못했습니다: pg_stat_statements로 알 수 있습니다"
    mend = (
        "쿼리를 찾아(performance_schema=ON, 또는 log_queries_not_using_indexes=ON인 슬로 쿼리 로그) EXPLAIN 하고,"
        " 비교하는 컬럼에 CREATE INDEX를 실행하십시오"
    )
    mend_postgresql = (
        "쿼리를 찾아(CREATE EXTENSION pg_stat_statements를 실행하면 다음 실행에서 이름이 나옵니다) EXPLAIN 하고,"
        " 비교하는 컬럼에 CREATE INDEX를 실행하십시오"
    )
    decides = "인덱스를 추가하고 같은 부하를 걸면 요청당 CPU 시간이 절반 이하로 줄어듭니다"
    busy_unseen = "얼마나 바빴는지는 볼 수 없었습니다"

    def read(self, rows: str) -> str:
        return f"요청마다 인덱스 없이 {rows}개의 행을 훑었습니다"

    def read_and_sent(self, rows: str, sent: str) -> str:
        return f"요청마다 인덱스 없이 {rows}개의 행을 훑어 {sent}개를 보냈습니다"

    def rows_a_second(self, rows: str, requests: str) -> str:
        return f"요청 {requests}건을 위해 초당 {rows}개의 행을 읽습니다"

    def cpu_each(self, cpu: str) -> str:
        return f", 요청당 CPU 시간 {cpu}"

    def reading_takes(self, reading: str, demand: str) -> str:
        return f"행을 읽는 데 요청당 CPU 시간 {demand} 중 최대 {reading}까지 걸립니다"

    def formula_of_reading(self, rows: str, a_row: str) -> str:
        return f"{rows}행 x {a_row}"

    def statement_is(self, statement: str) -> str:
        return f"해당 쿼리: {statement}"

    def mend_statement(self, statement: str) -> str:
        return f"쿼리를 EXPLAIN 하고({statement}), 비교하는 컬럼에 CREATE INDEX를 실행하십시오"

    def used_cpu(self, share: str) -> str:
        return f"쓸 수 있는 CPU의 {with_particle(share, '를')} 썼습니다"

    def of_median(self, demand: str, median: str) -> str:
        return f", 응답 시간 중앙값 {median} 중 {demand}입니다"

    def of_full_cores(self, share: str) -> str:
        return f", 포화된 이 코어들이 하는 일의 {share}입니다"

    def at_work(self, share: str) -> str:
        return f"처리 중인 요청의 {with_particle(share, '이')} 여기서 실행되고 있었습니다"

    def may_be_report(self, mark: str, statement: str) -> str:
        return f"집계 쿼리일 수 있습니다({mark}): {statement}"

    def needs_all(self, mark: str, statement: str) -> str:
        return f"읽는 모든 행으로 집계하므로({mark}) 인덱스로 덜 읽을 수 없습니다: {statement}"

    def made_tables(self, number: str) -> str:
        return f"집계 쿼리일 수 있습니다: 요청마다 임시 테이블을 {number}개 만들었습니다; performance_schema=ON으로 쿼리를 볼 수 있습니다"
