class KoreanMissingIndexTexts:
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
    read = "요청마다 인덱스 없이 {rows}개의 행을 훑었습니다"
    read_and_sent = "요청마다 인덱스 없이 {rows}개의 행을 훑어 {sent}개를 보냈습니다"
    rows_a_second = "요청 {requests}건을 위해 초당 {rows}개의 행을 읽습니다"
    cpu_each = ", 요청당 CPU 시간 {cpu}"
    reading_takes = "행을 읽는 데 요청당 CPU 시간 {demand} 중 최대 {reading}까지 걸립니다"
    formula_of_reading = "{rows}행 x {a_row}"
    statement_is = "해당 쿼리: {statement}"
    mend_statement = "쿼리를 EXPLAIN 하고({statement}), 비교하는 컬럼에 CREATE INDEX를 실행하십시오"
    used_cpu = "쓸 수 있는 CPU의 {share:를} 썼습니다"
    of_median = ", 응답 시간 중앙값 {median} 중 {demand}입니다"
    of_full_cores = ", 포화된 이 코어들이 하는 일의 {share}입니다"
    at_work = "처리 중인 요청의 {share:이} 여기서 실행되고 있었습니다"
    may_be_report = "집계 쿼리일 수 있습니다({mark}): {statement}"
    needs_all = "읽는 모든 행으로 집계하므로({mark}) 인덱스로 덜 읽을 수 없습니다: {statement}"
    made_tables = "집계 쿼리일 수 있습니다: 요청마다 임시 테이블을 {number}개 만들었습니다; performance_schema=ON으로 쿼리를 볼 수 있습니다"
