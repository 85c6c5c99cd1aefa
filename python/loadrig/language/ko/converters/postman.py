from loadrig.language.en.converters.postman import ConvertersPostmanErrors, ConvertersPostmanTexts


class KoreanConvertersPostmanTexts(ConvertersPostmanTexts):
    files = "collection 2.1 (JSON)과 그 뒤의 environment"
    collection = "collection"
    load = "부하"
    request = "요청"
    requests = "요청"
    login_in_address = "주소 안의 이름과 비밀번호"
    as_header = "요청의 `Authorization: Basic …` 헤더로 적으십시오"
    server = "서버"
    login = "로그인"
    logins = "로그인"
    body = "본문"
    bodies = "본문"
    checks = "검사"
    extractions = "추출"
    assignments = "변수에 정해진 값"
    rows = "데이터 파일의 행"
    graphql_variables = "GraphQL의 변수"
    script_before = "요청 전 스크립트"
    script_after = "테스트 스크립트"

    # --- left out -------------------------------------------------------------------------------

    no_address = "주소가 없습니다"
    own_header = "loadrig가 직접 쓰는 헤더이거나, 헤더의 이름이 아닙니다"
    no_multipart = "plan에는 변수와 함께 텍스트가 아닌 파일이 든 본문이 없습니다"
    no_json = "JSON이 아닙니다"
    no_file_beside = "collection의 폴더나 그 아래에 그런 파일이 없습니다"
    no_column_used = "그 열의 변수를 쓰는 곳이 없습니다"

    # --- altered --------------------------------------------------------------------------------

    one_user = "collection에 부하가 없어, 사용자 한 명이 모든 요청을 되풀이합니다"
    time_counted = "파일이 쓰인 때부터 하나씩 커지는 수입니다"
    time_of_the_file = "파일이 쓰인 때입니다"
    no_such_dynamic = "늘 같은 말입니다"
    no_end = "변수가 서로를 끝없이 가리켜, 적힌 그대로 보냅니다"
    set_later = "나중의 스크립트가 정합니다. 그 전에는 비어 있습니다"
    set_after_use = "스크립트가 값을 바꿉니다. 그 앞의 요청은 다음 반복에서도 처음 값을 보냅니다"
    in_turn = "사용자가 한 바퀴 돌 때마다 다음 행을 쓰고, 마지막 뒤에 첫 행이 다시 옵니다"
    row_without = "데이터 파일의 일부 행에 없고 스크립트가 정합니다. 그 행에서는 다른 파일의 값을 씁니다"
    row_escaped = "값 가운데 여기에 올 수 없는 글자를 이스케이프합니다. newman은 일부를 그대로 보냅니다"

    def header(self, name: str) -> str:
        return f"헤더 {name!r}"

    def file(self, name: str) -> str:
        return f"파일 {name!r}"

    def data_file(self, name: str) -> str:
        return f"데이터 파일 {name!r}"

    def row_of(self, file: str, count: int) -> str:
        return f"{file}의 행: {count:,}개"

    def other_method(self, method: str) -> str:
        return f"plan에는 {method} 메서드가 없습니다"

    def other_login(self, kind: str) -> str:
        return f"plan에는 {kind!r} 로그인이 없습니다"

    def other_body(self, mode: str) -> str:
        return f"plan에는 {mode!r} 본문이 없습니다"

    def too_many(self, left_out: int, most: int) -> str:
        return f"{most:,}개가 넘어, 마지막 {left_out:,}개를 뺐습니다"

    def not_read(self, count: int, first: str) -> str:
        return f"문장 {count:,}개, `{first}`부터"

    def host_not_fixed(self, host: str) -> str:
        return f"{host!r}의 값이 없습니다. collection 뒤에 environment를 적거나, `target`에 쓰십시오"

    def long_text(self, most: int) -> str:
        return f"변수를 채우면 {most:,}자가 넘어, 적힌 그대로 보냅니다"

    def made_beforehand(self, count: int) -> str:
        return f"값 {count:,}개를 미리 만들고, 마지막 뒤에 첫 값이 다시 옵니다"

    def nothing_sets(self, hole: str) -> str:
        return f"값이 없습니다. collection 뒤에 environment를 적거나, {hole}의 값을 여기에 쓰십시오"

    def secret_wanted(self, variable: str) -> str:
        return f"환경 변수 {variable}에 넣으십시오"

    def user_and_password(self, variable: str) -> str:
        return f"user:password의 base64를 환경 변수 {variable}에 넣으십시오"


class KoreanConvertersPostmanErrors(ConvertersPostmanErrors):
    no_collection = "collection이 아니라 environment입니다"
    collection_first = "collection을 먼저, environment를 그 뒤에 적으십시오"
    no_items = "collection 2.0과 2.1에 있는 `item` 목록이 없습니다"
    export_anew = "Postman에서 Collection v2.1로 내보내십시오"
    no_environment = "Postman environment에 있는 `values` 목록이 없습니다"
    environment_after = "Postman이 내보낸 environment나 globals를 collection 뒤에 적으십시오"
    no_rows = "값이 있는 행이 없습니다"
    rows_wanted = "newman이 받는 데이터 파일을 적으십시오: 이름 줄이 있는 CSV, 또는 객체 목록인 JSON"
    fewer_rows = "행을 줄이십시오. 행이 필요한 요청마다 모든 행이 메모리에 있습니다"
    open_quote = "따옴표가 닫히지 않았거나, 닫는 따옴표 뒤에 다른 글자가 있습니다"
    close_quote = "따옴표를 닫고, 그 안의 따옴표는 두 번 쓰십시오"
    second_data = "두 번째 데이터 파일입니다"
    join_rows = "모든 행을 데이터 파일 하나에 넣으십시오"

    def many_rows(self, most: int) -> str:
        return f"행이 {most:,}개가 넘습니다"
