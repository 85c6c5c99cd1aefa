class KoreanConvertersOpenapiTexts:
    files = "OpenAPI 3.0~3.2 문서 (JSON, YAML)"
    description = "문서"
    load = "부하"
    server = "서버"
    operation = "operation"
    operations = "operation"
    parameters = "매개변수"
    body = "본문"
    bodies = "본문"
    requests_to_you = "서버가 보내는 요청"
    whole_value = "전체"
    deprecated = "폐기 예정(deprecated)"

    # --- left out -------------------------------------------------------------------------------
    first_server = "plan은 대신 쓸 수 있는 여러 서버 가운데 첫 번째를 씁니다"
    no_webhooks = "서버가 보내는 것입니다. plan은 요청만 보냅니다"
    optional = "꼭 필요하지는 않습니다"
    no_value = "넣을 값이 없습니다"
    no_such_place = "plan에는 그 자리의 매개변수가 없거나, loadrig가 직접 씁니다"
    leads_nowhere = "문서 밖을 가리키거나 없는 곳을 가리킵니다. 문서를 한 파일로 묶으십시오"

    # --- altered --------------------------------------------------------------------------------
    one_user = "문서에 부하가 없어, 사용자 한 명이 요청을 골라 보냅니다"
    host_not_fixed = "호스트가 없습니다. `target`과 `allow`에 적으십시오"
    not_declared = "선언되지 않아 1을 넣었습니다"
    has_no_end = "스키마가 서로를 가리키거나 너무 커서 잘랐습니다"
    scheme = '보안 방식 "{name}"'
    parameter = '매개변수 "{name}"'
    parameters_named = "매개변수 {names}"
    other_scheme = "plan에는 {kind!r} 로그인이 없습니다"
    headers_of_parts = "plan에서는 폼의 부분에 자기 헤더가 없습니다 ({names})"
    no_method = "plan에는 {method} 메서드가 없습니다"
    no_body_here = "{method} 요청의 본문에는 정해진 뜻이 없습니다"
    no_such_body = "예시가 없고, {kinds:은} 지어내지 않습니다"
    long_bodies = "본문을 모두 합치면 {most:,}자가 넘습니다"
    too_many_operations = "{most:,}개가 넘어, 마지막 {left_out:,}개를 뺐습니다"
    made_up = "문서에 값이 없어 지어냈습니다 ({places})"
    no_patterns = "지어낸 값이 pattern에 맞지 않을 수 있습니다 ({places})"
    secrets_wanted = "그 자리에 적힌 환경 변수에 비밀을 넣으십시오 ({names})"
    secret_wanted = "환경 변수 {variable}에 넣으십시오"
    token_wanted = "토큰을 받아 환경 변수 {variable}에 넣으십시오"
    user_and_password = "user:password의 base64를 환경 변수 {variable}에 넣으십시오"


class KoreanConvertersOpenapiErrors:
    swagger = "Swagger 2.0 문서입니다. OpenAPI 3.0~3.2를 읽습니다"
    convert_first = "swagger2openapi나 editor.swagger.io로 먼저 OpenAPI 3.0으로 바꾸십시오"
    versions_read = "OpenAPI 3.0, 3.1 또는 3.2로 바꾸십시오"
    other_version = "OpenAPI 판이 {version!r}입니다"
