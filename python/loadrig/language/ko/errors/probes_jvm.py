from collections.abc import Mapping
from typing import ClassVar

from loadrig.base.error_words import ErrorWords
from loadrig.language.ko.errors.permits import not_permitted
from loadrig.language.particles import with_particle

_HANGS = "멈춰 있지 않은지, CPU를 다 쓰지 않았는지 살펴보십시오"


class KoreanProbesJvmAttachErrors:
    no_socket_opened = "소켓을 열지 않았습니다"
    other_user = ErrorWords(
        what="프로세스 {pid:은} {user}의 JVM이고, 그 사용자만 attach할 수 있습니다",
        mend="sudo -u {user} loadrig …",
    )
    attach_disabled = ErrorWords(
        what="JVM {pid:이} 아무도 들이지 않습니다: {flag:으로} 실행되었습니다",
        mend="{flag} 없이 시작하십시오",
    )
    no_way_in = ErrorWords(
        what="JVM {pid}에 attach할 수 없습니다: SIGQUIT을 처리하지 않고 /tmp에 소켓도 없습니다",
        mend="-Xrs 없이 다시 시작하십시오",
    )
    command_refused = ErrorWords(
        what="JVM {pid:이} {command:을} 거절합니다: {why}",
        mend="버전 9 이상의 HotSpot JVM인지 살펴보십시오",
    )
    status_of = "상태 {status}"
    jvm_ended = ErrorWords(what="JVM {pid:이} 끝났습니다", mend="로그에서 이유를 찾으십시오")
    trigger_not_made = ErrorWords(
        what="JVM {pid:이} 찾는 곳에 파일을 만들 수 없습니다: {why}",
        mend="root로 loadrig를 실행하십시오",
    )

    def another_listener(self, pid: str, listener: str, path: str) -> ErrorWords:
        return ErrorWords(
            what=f"JVM {pid}의 소켓을 다른 프로세스가 열고 있습니다 ({listener or '우리 것이 아님'})",
            mend=f"{with_particle(path, '을')} 누가 만들었는지 보고 지우십시오",
        )

    no_answer = ErrorWords(what="JVM {pid:이} 응답하지 않습니다: {why}", mend=_HANGS)
    process_unknown = ErrorWords(
        what="서버의 프로세스를 알 수 없습니다", mend="plan에 pid를 쓰거나 그 머신에서 실행하십시오"
    )
    user_without_name = "사용자 {number}"


class KoreanProbesJvmJdkErrors:
    reader_not_private = ErrorWords(
        what="JVM의 MBean을 읽는 프로그램을 시작하지 않았습니다: {path} {why}",
        mend="{folder:을} 지우거나 본인만 쓸 수 있게 하십시오",
    )
    tool_missing = ErrorWords(
        what="JVM의 MBean을 읽는 데 필요한 도구가 이 머신에 없습니다: {tool}",
        mend="apt-get install openjdk-17-jdk-headless, 또는 JAVA_HOME을 설정하십시오",
    )
    not_compiled = ErrorWords(
        what="JVM의 MBean을 읽는 프로그램을 컴파일할 수 없습니다: {why}",
        mend="JAVA_HOME을 버전 11 이상의 JDK로 설정하십시오",
    )


class KoreanProbesJvmReaderErrors:
    jvm_of = "JVM {pid}"
    own_network = ErrorWords(
        what="{place:이} 자기 네트워크 안에 있어 root만 들어갈 수 있습니다",
        mend="root로 loadrig를 실행하십시오",
    )
    no_connector = ErrorWords(
        what="{place:이} JMX connector를 열지 않습니다",
        mend="jdk.management.agent 모듈이 있는지 살펴보십시오",
    )
    silent = ErrorWords(what="{place:이} JMX로 응답하지 않습니다", mend=_HANGS)
    failed = ErrorWords(
        what="{place:이} JMX로 응답하지 않습니다: {error}",
        mend="떠 있는지 살펴보십시오",
    )
    refused = ErrorWords(
        what="{place:이} 거절합니다: {error}",
        mend="JMX의 user와 password_env를 지정하십시오",
    )
    reader_ended = ErrorWords(
        what="{place}의 MBean을 읽는 프로그램이 끝났습니다",
        mend="이 머신에 메모리가 모자라지 않은지 살펴보십시오",
    )


class KoreanProbesJvmSessionErrors:
    contents: ClassVar[Mapping[str, str]] = {
        "jvm": "JVM의 풀별 메모리와 상태별 스레드",
        "hikari": "풀의 커넥션이 몇 개나 쓰이는지",
        "tomcat": "Tomcat의 스레드가 몇 개나 바쁜지",
    }

    def not_permitted(self, probe: str) -> ErrorWords:
        does = "JVM에 attach하여 그곳의 루프백에 포트를 열"
        return not_permitted("jvm-attach", self.contents.get(probe, probe), does)


class KoreanProbesJvmGcWatchErrors:
    undated = "JVM의 로그에 날짜가 없습니다: 멈춤을 읽은 때에 놓습니다"

    def not_permitted(self) -> ErrorWords:
        does = "JVM에 attach하여 로그를 켤"
        wording = not_permitted("jvm-attach", "JVM GC의 멈춤 하나하나", does)
        return wording._replace(what=f"{wording.what} (또는 -Xlog:gc*,safepoint:file=gc.log로 시작하십시오)")


class KoreanProbesJvmGcSourceErrors:
    folder_replaced = "누군가 우리 폴더 자리에 다른 폴더를 놓았습니다"
    file_not_made = ErrorWords(
        what="JVM {pid}의 로그를 둘 파일을 만들 수 없습니다: {why}",
        mend="root로 loadrig를 실행하거나 -Xlog:gc*,safepoint:file=gc.log로 JVM을 시작하십시오",
    )
    log_refused = ErrorWords(
        what="JVM {pid:이} GC를 {path}에 기록할 수 없습니다: {why}",
        mend="-Xlog:gc*,safepoint:file=gc.log로 시작하십시오",
    )


class KoreanProbesJvmWatchErrors:
    not_a_number = ErrorWords(
        what="mbeans 옵션의 {shown:은} MBean의 수를 가리키지 않습니다",
        mend="java.lang:type=Threading/PeakThreadCount처럼 MBEAN/ATTRIBUTE를 쓰십시오",
    )
    only_published = "JVM이 스스로 공개하는 것만 읽습니다: {reason}; {mend}"


class KoreanProbesHikariErrors:
    no_mbeans = ErrorWords(
        what="이 JVM의 HikariCP가 MBean을 등록하지 않습니다",
        mend=("spring.datasource.hikari.register-mbeans=true, 또는 풀의 registerMbeans=true를 설정하십시오"),
    )


class KoreanProbesTomcatErrors:
    no_mbeans = ErrorWords(
        what="이 JVM의 Tomcat이 MBean을 등록하지 않습니다",
        mend="server.tomcat.mbeanregistry.enabled=true를 설정하십시오 (Spring Boot)",
    )
