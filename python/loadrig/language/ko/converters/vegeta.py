class KoreanConvertersVegetaTexts:
    files = "대상 목록 (http 또는 json)"
    rate = "요청률"
    rate_of_command = "vegeta의 명령줄에 있는 것이라, 기본값인 50/s로 두었습니다"
    no_body_file = "그 파일이 대상 목록의 폴더나 그 아래에 없거나 너무 큽니다"
    no_target = "대상이 아닙니다"
    no_header_line = "대상의 헤더가 아닙니다"
    mend_target = "METHOD URL, NAME: VALUE 헤더, @FILE을 한 줄씩 쓰거나, 한 줄에 객체 하나를 쓰십시오"
