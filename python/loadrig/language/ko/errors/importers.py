from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


class KoreanImportersReadErrors:
    unknown_name = ErrorWords(
        what="{shown:이라}는 형식은 없습니다",
        mend="{formats} 중 하나를 쓰거나, --format을 빼십시오",
    )
    several_tools = ErrorWords(
        what="{file:은} {tool}의 것이고 {other_file:은} {other_tool}의 것입니다",
        mend="하나씩 따로 가져오십시오",
        why="여러 파일은 부하 하나의 부분들이고, 부하 하나는 도구 하나가 만듭니다",
    )
    several_runs = ErrorWords(
        what="{files}: {still} 동안 진행 중인 요청이 없었습니다",
        mend="실행을 하나씩 따로 가져오십시오. 시각이 건너뛰는 곳에서 파일을 나누십시오",
        why="차례로 한 여러 실행입니다. 예를 들어 JMeter는 이미 있는 파일에 덧붙입니다",
    )
    several_sums = ErrorWords(
        what="{file:은} 합계만 담고 있어, 여럿 중 하나로 가져올 수 없습니다",
        mend="따로 가져오십시오: loadrig import {file}",
        why="여러 부하 생성기의 합계는 각각 언제 부하를 걸었는지 알려주지 않습니다",
    )
    binary_form = ErrorWords(
        what="{file:은} vegeta 고유의 바이너리 형식이며, vegeta만 읽을 수 있습니다",
        mend="다음으로 바꾼 뒤 그것을 가져오십시오: vegeta encode --to json {file} > {name}.json",
    )

    def unknown_format(self, file: str, tests: str, results: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(file, '은')} loadrig가 읽는 형식이 아닙니다",
            mend="--format으로 형식을 밝히십시오. JMeter의 어떤 파일을 읽는지는 `loadrig explain jmeter`가 알려 줍니다",
            why=self._formats(tests, results),
        )

    def empty_file(self, file: str, tests: str, results: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(file, '이')} 비어 있습니다",
            mend="도구가 쓴 파일을 적고, 끝까지 쓰였는지 보십시오",
            why=self._formats(tests, results),
        )

    def _formats(self, tests: str, results: str) -> str:
        return f"테스트의 형식: {tests}; 결과의 형식: {results}"

    no_requests = ErrorWords(
        what="{files}: 요청이 하나도 없습니다",
        mend="부하를 걸며 쓴 파일을 쓰거나, --format으로 형식을 밝히십시오",
        why="{tool}의 것으로 읽었습니다: {read}",
    )


class KoreanImportersSourceErrors:
    longer_than_most = "64 MB보다 깁니다"
    is_it_results = "결과 파일이 맞는지 확인하십시오"
    save_as_utf8 = "파일을 UTF-8로 저장하십시오"
    not_utf8 = "UTF-8이 아닙니다 ({reason})"

    def bad_line(self, number: int, reason: str, mend: str, file: str) -> ErrorWords:
        out = f"그 줄을 빼거나 (sed -i {number}d {file}), 결과를 다시 저장하십시오"
        if number == 1:
            out = "도구가 쓴 그 파일인지, --format을 썼다면 그 도구의 것인지 확인하십시오"
        return ErrorWords(what=f"{number}번째 줄은 결과가 아닙니다: {reason}", mend=mend or out)

    bad_byte = ErrorWords(
        what="{file}의 {offset}번째 바이트에서 기록이 시작하지 않습니다: {reason}",
        mend="그 앞까지만 남기거나 (head -c {offset} {file} > whole.log), 결과를 다시 저장하십시오",
    )
    packed_damaged = "파일을 끝까지 다시 복사하십시오. 압축된 내용이 손상되었습니다"

    def unreadable(self, file: str, reason: str, *, is_damaged: bool = False) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(file, '을')} 읽을 수 없습니다",
            mend=self.packed_damaged if is_damaged else "읽을 권한이 있는 결과 파일을 쓰십시오",
            why=reason,
        )


class KoreanImportersSampleErrors:
    numbers_of_nothing = "수가 시각, 시간, 크기 중 어느 것도 될 수 없습니다"
    key_missing = "{key:이} 없습니다"
    larger_than_most = "파일이 {megabytes} MB보다 커서 그런 문서일 수 없습니다"
    no_amount = "{shown:은} 0 이상의 수가 아닙니다"
    no_figure = "{label:이} 없습니다"
    open_quote = "따옴표가 닫히지 않았습니다 ({reason})"
    no_instant = "{shown:은} 시간대가 있는 시각이 아닙니다"
    no_date = "{shown:은} 달력에 없습니다"
    endless_request = "{hours}시간 걸린 요청은 있을 수 없습니다"


class KoreanImportersJmeterErrors:
    files = "JTL 파일, CSV 또는 XML"
    times = "보낸 때부터 마지막 바이트까지, 연결 시간 포함"
    and_no_column = ", "
    save_milliseconds = "jmeter.save.saveservice.timestamp_format=ms로 결과를 저장하십시오"
    long_tag = "태그가 4 MB보다 깁니다"
    foreign_declaration = "JMeter가 쓰지 않는 문서 형식이나 엔터티를 선언합니다"
    missing_columns = ErrorWords(
        what="{file}에 열이 없습니다: {missing}",
        mend="그 열과 함께 결과를 저장하십시오: {properties}",
        why="헤더에 있는 것: {header}",
    )
    lacking = "{column:이} 없습니다"
    no_stamp = "timeStamp {shown:은} 1970년부터의 밀리초가 아닙니다"
    no_elapsed = "elapsed {shown:은} 밀리초가 아닙니다"
    no_success = "success {shown:은} true도 false도 아닙니다"
    deep_nesting = "요소가 {most}단계보다 깊게 겹쳐 있습니다"


class KoreanImportersK6Errors:
    files = "`k6 run --out`의 JSON 줄들이나 CSV, 또는 JSON 요약"
    summary_anew = "k6로 다시 쓰십시오: k6 run --summary-export=summary.json script.js"
    times = "보낸 첫 바이트부터 마지막 바이트까지, 연결 시간 제외"
    no_verdict = "앞의 요청에 상태도 판정도 없습니다"
    no_metric = "수치가 없는 지표가 있습니다"
    use_system_tags = "k6를 기본 --system-tags로 실행하십시오: status와 expected_response가 필요합니다"
    no_duration = "걸린 시간이 {milliseconds} ms일 수는 없습니다"
    no_status = "{number:은} 상태가 아닙니다"


class KoreanImportersVegetaErrors:
    files = "`vegeta encode`의 JSON 줄들 또는 CSV"
    times = "보낸 때부터 마지막 바이트까지, 연결 시간 포함"
    few_columns = "열이 12개가 아니라 {columns}개입니다"
    no_request = "latency {latency:과} code {status:은} 요청의 것이 아닙니다"


class KoreanImportersGatlingErrors:
    files = "simulation.log, 텍스트 또는 바이너리"
    times = "보낸 때부터 마지막 바이트까지, 연결 시간 포함"
    no_run_record = "로그가 실행의 기록으로 시작하지 않습니다"
    no_text = "문자열에 Java의 coder가 없습니다"
    no_record = "{kind:으로} 시작하는 기록은 없습니다"
    no_length = "{number:은} 로그에 있을 수 있는 길이가 아닙니다"
    no_string = "쓰인 적 없는 문자열 {number}번을 가리킵니다"
    many_strings = "서로 다른 문자열이 {most}개보다 많습니다"
    few_fields = "그 종류의 줄에 필드 {fields}개는 너무 적습니다"
    no_line_kind = "{word:으로} 시작하는 줄은 Gatling에 없습니다"
    no_time = "{shown:은} 1970년부터의 밀리초가 아닙니다"
    no_verdict = "{shown:은} OK도 KO도 아닙니다"


class KoreanImportersWrkErrors:
    files = "wrk나 wrk2가 출력한 것"
    times = "보낸 때부터 마지막 바이트까지, 연결 시간 제외"
    times_when_due = "-U 없는 wrk2가 세는 대로, 보냈어야 할 때부터 마지막 바이트까지"
    print_anew = "wrk가 출력한 것을 모두 남기십시오: wrk --latency URL > wrk.txt"
    falling_count = "spectrum의 수가 {number:으로} 줄어듭니다"


class KoreanImportersHeyErrors:
    files = "hey가 출력한 것 또는 그 CSV"
    times = "보낸 때부터 마지막 바이트까지, 연결 시간 포함"
    print_anew = (
        "hey가 출력한 것을 모두 남기거나 (hey URL > hey.txt), 요청마다 남기십시오: hey -o csv URL > hey.csv"
    )


class KoreanImportersOhaErrors:
    files = "oha가 출력한 것, 그 JSON 또는 CSV"
    times = "보낸 때부터 마지막 바이트까지"
    print_anew = "oha가 출력한 것을 모두 남기십시오: oha --no-tui --output-format json URL > oha.json"


class KoreanImportersAbErrors:
    files = "ab가 출력한 것 또는 ab -g의 행들"
    times = "연결을 시작한 때부터 마지막 바이트까지"
    quantiles_only = "ab -e의 파일에는 분위수만 있고 요청 수가 없습니다"
    print_anew = "ab가 출력한 것(ab URL > ab.txt)이나 그 행들(ab -g ab.tsv URL)을 가져오십시오"
    no_second = "{shown:은} 1970년부터의 초가 아닙니다"


class KoreanImportersSiegeErrors:
    files = "siege의 로그 또는 그 JSON"
    times = "보낸 때부터 마지막 바이트까지, 100분의 1초 단위의 평균"
    log_anew = "siege로 다시 쓰십시오: siege --log=siege.log URL"


class KoreanImportersLocustErrors:
    files = "Locust의 stats_history.csv 또는 stats.csv"
    times = "보낸 때부터 마지막 바이트까지, 연결 시간 포함, 실패한 요청도 포함"
    no_second = "Timestamp {shown:은} 앞 행 이후의 1970년부터의 초가 아닙니다"


class KoreanImportersNgrinderErrors:
    files = "nGrinder의 output.csv"
    times = "테스트의 시작부터 끝까지"
    goes_back = "DateTime {shown:이} 앞 행보다 이릅니다"


class KoreanImportersArtilleryErrors:
    files = "`artillery run -o FILE`의 JSON"
    times = "보낸 때부터 응답의 첫 바이트까지"
    report_anew = "Artillery로 다시 쓰십시오: artillery run -o report.json test.yml"


class KoreanImportersHlogErrors:
    files = "HdrHistogram의 interval log"
    times = "프로그램이 잰 것이며, 로그는 무엇인지 적지 않습니다"
    few_fields = "태그 외의 필드가 4개가 아니라 {fields}개입니다"
    goes_back = "구간이 {shown}초에 시작해, 앞 줄들의 구간보다 이릅니다"
