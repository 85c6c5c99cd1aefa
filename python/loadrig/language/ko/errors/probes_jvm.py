from collections.abc import Mapping
from typing import ClassVar

from loadrig.base.error_words import ErrorWords
from loadrig.language.en.errors.probes_jvm import (
    ProbesHikariErrors,
    ProbesJvmAttachErrors,
    ProbesJvmGcSourceErrors,
    ProbesJvmGcWatchErrors,
    ProbesJvmJdkErrors,
    ProbesJvmReaderErrors,
    ProbesJvmSessionErrors,
    ProbesJvmWatchErrors,
    ProbesTomcatErrors,
)
from loadrig.language.ko.errors.permits import not_permitted
from loadrig.language.particles import with_particle

_HANGS = "멈춰 있지 않은지, CPU를 다 쓰지 않았는지 살펴보십시오"


class KoreanProbesJvmAttachErrors(ProbesJvmAttachErrors):
    no_socket_opened = "소켓을 열지 않았습니다"

    def other_user(self, pid: str, user: str) -> ErrorWords:
        return ErrorWords(
            what=f"프로세스 {with_particle(pid, '은')} {user}의 JVM이고, 그 사용자만 attach할 수 있습니다",
            mend=f"sudo -u {user} loadrig …",
        )

    def attach_disabled(self, pid: str, flag: str) -> ErrorWords:
        return ErrorWords(
            what=f"JVM {with_particle(pid, '이')} 아무도 들이지 않습니다: {with_particle(flag, '으로')} 실행되었습니다",
            mend=f"{flag} 없이 시작하십시오",
        )

    def no_way_in(self, pid: str) -> ErrorWords:
        return ErrorWords(
            what=f"JVM {pid}에 attach할 수 없습니다: SIGQUIT을 처리하지 않고 /tmp에 소켓도 없습니다",
            mend="-Xrs 없이 다시 시작하십시오",
        )

    def command_refused(self, pid: str, command: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"JVM {with_particle(pid, '이')} {with_particle(command, '을')} 거절합니다: {why}",
            mend="버전 9 이상의 HotSpot JVM인지 살펴보십시오",
        )

    def status_of(self, status: str) -> str:
        return f"상태 {status}"

    def jvm_ended(self, pid: str) -> ErrorWords:
        return ErrorWords(
            what=f"JVM {with_particle(pid, '이')} 끝났습니다", mend="로그에서 이유를 찾으십시오"
        )

    def trigger_not_made(self, pid: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"JVM {with_particle(pid, '이')} 찾는 곳에 파일을 만들 수 없습니다: {why}",
            mend="root로 loadrig를 실행하십시오",
        )

    def another_listener(self, pid: str, listener: str, path: str) -> ErrorWords:
        return ErrorWords(
            what=f"JVM {pid}의 소켓을 다른 프로세스가 열고 있습니다 ({listener or '우리 것이 아님'})",
            mend=f"{with_particle(path, '을')} 누가 만들었는지 보고 지우십시오",
        )

    def no_answer(self, pid: str, why: str) -> ErrorWords:
        return ErrorWords(what=f"JVM {with_particle(pid, '이')} 응답하지 않습니다: {why}", mend=_HANGS)

    def process_unknown(self) -> ErrorWords:
        return ErrorWords(
            what="서버의 프로세스를 알 수 없습니다", mend="plan에 pid를 쓰거나 그 머신에서 실행하십시오"
        )

    def user_without_name(self, number: str) -> str:
        return f"사용자 {number}"


class KoreanProbesJvmJdkErrors(ProbesJvmJdkErrors):
    def reader_not_private(self, path: str, why: str, folder: str) -> ErrorWords:
        return ErrorWords(
            what=f"JVM의 MBean을 읽는 프로그램을 시작하지 않았습니다: {path} {why}",
            mend=f"{with_particle(folder, '을')} 지우거나 본인만 쓸 수 있게 하십시오",
        )

    def tool_missing(self, tool: str) -> ErrorWords:
        return ErrorWords(
            what=f"JVM의 MBean을 읽는 데 필요한 도구가 이 머신에 없습니다: {tool}",
            mend="apt-get install openjdk-17-jdk-headless, 또는 JAVA_HOME을 설정하십시오",
        )

    def not_compiled(self, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"JVM의 MBean을 읽는 프로그램을 컴파일할 수 없습니다: {why}",
            mend="JAVA_HOME을 버전 11 이상의 JDK로 설정하십시오",
        )


class KoreanProbesJvmReaderErrors(ProbesJvmReaderErrors):
    def jvm_of(self, pid: str) -> str:
        return f"JVM {pid}"

    def own_network(self, place: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(place, '이')} 자기 네트워크 안에 있어 root만 들어갈 수 있습니다",
            mend="root로 loadrig를 실행하십시오",
        )

    def no_connector(self, place: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(place, '이')} JMX connector를 열지 않습니다",
            mend="jdk.management.agent 모듈이 있는지 살펴보십시오",
        )

    def silent(self, place: str) -> ErrorWords:
        return ErrorWords(what=f"{with_particle(place, '이')} JMX로 응답하지 않습니다", mend=_HANGS)

    def failed(self, place: str, error: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(place, '이')} JMX로 응답하지 않습니다: {error}",
            mend="떠 있는지 살펴보십시오",
        )

    def refused(self, place: str, error: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(place, '이')} 거절합니다: {error}",
            mend="JMX의 user와 password_env를 지정하십시오",
        )

    def reader_ended(self, place: str) -> ErrorWords:
        return ErrorWords(
            what=f"{place}의 MBean을 읽는 프로그램이 끝났습니다",
            mend="이 머신에 메모리가 모자라지 않은지 살펴보십시오",
        )


class KoreanProbesJvmSessionErrors(ProbesJvmSessionErrors):
    contents: ClassVar[Mapping[str, str]] = {
        "jvm": "JVM의 풀별 메모리와 상태별 스레드",
        "hikari": "풀의 커넥션이 몇 개나 쓰이는지",
        "tomcat": "Tomcat의 스레드가 몇 개나 바쁜지",
    }

    def not_permitted(self, probe: str) -> ErrorWords:
        does = "JVM에 attach하여 그곳의 루프백에 포트를 열"
        return not_permitted("jvm-attach", self.contents.get(probe, probe), does)


class KoreanProbesJvmGcWatchErrors(ProbesJvmGcWatchErrors):
    undated = "JVM의 로그에 날짜가 없습니다: 멈춤을 읽은 때에 놓습니다"

    def not_permitted(self) -> ErrorWords:
        does = "JVM에 attach하여 로그를 켤"
        wording = not_permitted("jvm-attach", "JVM GC의 멈춤 하나하나", does)
        return wording._replace(what=f"{wording.what} (또는 -Xlog:gc*,safepoint:file=gc.log로 시작하십시오)")


class KoreanProbesJvmGcSourceErrors(ProbesJvmGcSourceErrors):
    folder_replaced = "누군가 우리 폴더 자리에 다른 폴더를 놓았습니다"

    def file_not_made(self, pid: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"JVM {pid}의 로그를 둘 파일을 만들 수 없습니다: {why}",
            mend="root로 loadrig를 실행하거나 -Xlog:gc*,safepoint:file=gc.log로 JVM을 시작하십시오",
        )

    def log_refused(self, pid: str, path: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"JVM {with_particle(pid, '이')} GC를 {path}에 기록할 수 없습니다: {why}",
            mend="-Xlog:gc*,safepoint:file=gc.log로 시작하십시오",
        )


class KoreanProbesJvmWatchErrors(ProbesJvmWatchErrors):
    def not_a_number(self, shown: str) -> ErrorWords:
        return ErrorWords(
            what=f"mbeans 옵션의 {with_particle(shown, '은')} MBean의 수를 가리키지 않습니다",
            mend="java.lang:type=Threading/PeakThreadCount처럼 MBEAN/ATTRIBUTE를 쓰십시오",
        )

    def only_published(self, reason: str, mend: str) -> str:
        return f"JVM이 스스로 공개하는 것만 읽습니다: {reason}; {mend}"


class KoreanProbesHikariErrors(ProbesHikariErrors):
    def no_mbeans(self) -> ErrorWords:
        return ErrorWords(
            what="이 JVM의 HikariCP가 MBean을 등록하지 않습니다",
            mend=(
                "spring.datasource.hikari.register-mbeans=true, 또는 풀의 registerMbeans=true를 설정하십시오"
            ),
        )


class KoreanProbesTomcatErrors(ProbesTomcatErrors):
    def no_mbeans(self) -> ErrorWords:
        return ErrorWords(
            what="이 JVM의 Tomcat이 MBean을 등록하지 않습니다",
            mend="server.tomcat.mbeanregistry.enabled=true를 설정하십시오 (Spring Boot)",
        )
