from loadrig.base.error_words import ErrorWords


class KoreanProbesAccessLogErrors:
    unit_unknown = "Tomcat의 %D는 버전 9까지 ms, 10부터 µs입니다: time_unit으로 어느 쪽인지 알려 주십시오"
    no_status = "형식 {shown}에 상태가 없습니다"
    log_unreadable = ErrorWords(
        what="access log {path:을} 읽을 수 없습니다: {why}",
        mend="loadrig를 실행하는 사용자가 {path:을} 읽을 수 있게 하십시오",
    )
    no_log = ErrorWords(
        what="{component}의 access log를 알 수 없습니다",
        mend="쓰게 하거나 (gunicorn: --access-logfile FILE) 이 프로브의 `path`로 지정하십시오",
    )
    wrong_options = ErrorWords(what="{why}", mend="access_log 프로브의 옵션을 바로잡으십시오")


class KoreanProbesServerLogErrors:
    none_readable = "읽을 수 있는 로그를 쓰지 않습니다"
    log_not_read = "로그 {path:을} 읽지 않습니다: {why}"
    journal_not_read = "{unit}의 journal을 읽지 않습니다: {why}"
    no_longer_read = "{path:을} 더는 읽지 않습니다: {why}"
    no_log_seen = ErrorWords(
        what="{component}의 로그가 하나도 보이지 않습니다: {why}",
        mend="이름이 .log로 끝나는 파일에 쓰게 하십시오",
    )
    log_unreadable = ErrorWords(
        what="{component}의 로그 {path:을} 읽을 수 없습니다: {why}",
        mend="loadrig를 실행하는 사용자가 {path:을} 읽을 수 있게 하십시오",
    )


class KoreanProbesLogsErrors:
    replaced = "그 자리에 다른 파일이 있습니다"
    no_journalctl = "journalctl이 없습니다"
    output_into_pipe = "표준 출력이 다른 프로그램의 파이프로 갑니다"
    error_output_into_pipe = "표준 오류 출력이 다른 프로그램의 파이프로 갑니다"
    descriptors_hidden = "프로세스 {pid:이} 연 것을 볼 수 없습니다: 다른 사용자의 것입니다"
    containers_unreadable = "컨테이너의 로그를 읽을 수 없습니다: {why}"
    owner_changed = "사용자 {owner}의 것인데, 전에 있던 것은 사용자 {before}의 것이었습니다"
