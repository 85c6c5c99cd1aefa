from loadrig.base.error_words import ErrorWords
from loadrig.language.en.errors.probes_logs import (
    ProbesAccessLogErrors,
    ProbesLogsErrors,
    ProbesServerLogErrors,
)
from loadrig.language.particles import with_particle


class KoreanProbesAccessLogErrors(ProbesAccessLogErrors):
    unit_unknown = "Tomcat의 %D는 버전 9까지 ms, 10부터 µs입니다: time_unit으로 어느 쪽인지 알려 주십시오"

    def no_status(self, shown: str) -> str:
        return f"형식 {shown}에 상태가 없습니다"

    def log_unreadable(self, path: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"access log {with_particle(path, '을')} 읽을 수 없습니다: {why}",
            mend=f"loadrig를 실행하는 사용자가 {with_particle(path, '을')} 읽을 수 있게 하십시오",
        )

    def no_log(self, component: str) -> ErrorWords:
        return ErrorWords(
            what=f"{component}의 access log를 알 수 없습니다",
            mend="쓰게 하거나 (gunicorn: --access-logfile FILE) 이 프로브의 `path`로 지정하십시오",
        )

    def wrong_options(self, why: str) -> ErrorWords:
        return ErrorWords(what=why, mend="access_log 프로브의 옵션을 바로잡으십시오")


class KoreanProbesServerLogErrors(ProbesServerLogErrors):
    none_readable = "읽을 수 있는 로그를 쓰지 않습니다"

    def log_not_read(self, path: str, why: str) -> str:
        return f"로그 {with_particle(path, '을')} 읽지 않습니다: {why}"

    def journal_not_read(self, unit: str, why: str) -> str:
        return f"{unit}의 journal을 읽지 않습니다: {why}"

    def no_longer_read(self, path: str, why: str) -> str:
        return f"{with_particle(path, '을')} 더는 읽지 않습니다: {why}"

    def no_log_seen(self, component: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"{component}의 로그가 하나도 보이지 않습니다: {why}",
            mend="이름이 .log로 끝나는 파일에 쓰게 하십시오",
        )

    def log_unreadable(self, path: str, component: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"{component}의 로그 {with_particle(path, '을')} 읽을 수 없습니다: {why}",
            mend=f"loadrig를 실행하는 사용자가 {with_particle(path, '을')} 읽을 수 있게 하십시오",
        )


class KoreanProbesLogsErrors(ProbesLogsErrors):
    replaced = "그 자리에 다른 파일이 있습니다"
    no_journalctl = "journalctl이 없습니다"
    output_into_pipe = "표준 출력이 다른 프로그램의 파이프로 갑니다"
    error_output_into_pipe = "표준 오류 출력이 다른 프로그램의 파이프로 갑니다"

    def descriptors_hidden(self, pid: str) -> str:
        return f"프로세스 {with_particle(pid, '이')} 연 것을 볼 수 없습니다: 다른 사용자의 것입니다"

    def containers_unreadable(self, why: str) -> str:
        return f"컨테이너의 로그를 읽을 수 없습니다: {why}"

    def owner_changed(self, owner: str, before: str) -> str:
        return f"사용자 {owner}의 것인데, 전에 있던 것은 사용자 {before}의 것이었습니다"
