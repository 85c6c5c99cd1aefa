class KoreanConvertersSiegeTexts:
    files = "URL 목록 (urls.txt)"
    users = "사용자, 쉼, 헤더"
    no_body_file = "그 파일이 목록의 폴더나 그 아래에 없거나 너무 큽니다"
    users_of_command = "siege의 명령줄과 설정에 있는 것이라, 기본값인 사용자 {users}명으로 두었습니다"
    no_variable = "목록에서 아무것도 {name:을} 정하지 않습니다"
