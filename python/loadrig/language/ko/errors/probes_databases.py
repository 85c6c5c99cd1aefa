from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


class KoreanProbesRedisErrors:
    def access_refused(self, server: str, word: str, command: str) -> ErrorWords:
        why = {
            "NOAUTH": "비밀번호를 요구합니다",
            "NOPERM": "이 사용자에게 INFO를 읽게 하지 않습니다",
            "DENIED": "protected 모드라서 다른 호스트를 거절합니다",
        }
        return ErrorWords(
            what=f"{with_particle(server, '이')} {why.get(word, '이 비밀번호를 받지 않습니다')}",
            mend=(
                "plan에 `probes: [{redis: {user: loadrig, password_env: REDIS_PASSWORD}}]`를 쓰고 redis에"
                f" 사용자를 만드십시오: {command}"
            ),
        )

    def trouble(self, server: str, word: str, shown: str) -> ErrorWords:
        why = {
            "LOADING": "데이터를 불러오는 중입니다",
            "BUSY": "끝나지 않는 스크립트로 바쁩니다",
            "MASTERDOWN": "primary를 잃었습니다",
        }
        state = why.get(word) or f"{with_particle(shown, '으로')} 응답합니다"
        return ErrorWords(
            what=f"{with_particle(server, '이')} {state}",
            mend="로그를 보고 잘 돌고 있는지 살펴보십시오",
        )

    command_not_allowed = "사용자 {user}에게 {command:이} 허용되지 않았습니다: ACL SETUSER {user} {right}"


class KoreanProbesMariadbErrors:
    not_let_in = ErrorWords(
        what="{server:이} 접속을 거절합니다: {why}",
        mend=(
            "plan에 `probes: [{{mariadb: {{user: loadrig, password_env: MARIADB_PASSWORD}}}}]`를 쓰고 사용자를"
            " 만드십시오: CREATE USER loadrig IDENTIFIED BY 'PASSWORD'; {rights}"
        ),
    )
    needs_cryptography = ErrorWords(
        what="{server:이} 요구하는 비밀번호 방식에는 cryptography 패키지가 필요합니다: {error}",
        mend="pip install cryptography, 또는 Unix 소켓으로 접속하십시오",
    )

    def table_unreadable(self, table: str, why: str, rights: str) -> str:
        mend = rights or "이 서버에는 없습니다"
        return f"{with_particle(table, '을')} 읽을 수 없습니다: {why}; {mend}"


class KoreanProbesPostgresqlErrors:
    not_let_in = ErrorWords(
        what="{server:이} 접속을 거절합니다: {why}",
        mend=(
            "plan에 `probes: [{{postgresql: {{user: loadrig, password_env: POSTGRES_PASSWORD}}}}]`를 쓰고"
            " 사용자를 만드십시오: CREATE ROLE loadrig LOGIN PASSWORD 'PASSWORD' IN ROLE pg_monitor"
        ),
    )
    titles_silent = (
        "PostgreSQL 프로세스의 제목이 세션이 하는 일을 알려 주지 않습니다: update_process_title이 꺼져 있습니다."
        " 켜거나(Linux에서는 비용이 거의 없습니다) 프로브 postgresql이 접속할 수 있게 하십시오"
    )
    sessions_hidden = "세션이 무엇을 하는지 사용자 {user}에게는 보이지 않습니다: GRANT pg_monitor TO {user}"
    statements_unreadable = "pg_stat_statements를 읽을 수 없습니다: {why}"


class KoreanProbesMemcachedErrors:
    login_wanted = ErrorWords(
        what="{server:이} 로그인을 요구합니다",
        mend="127.0.0.1에 -Y나 -S 없이 전용 포트를 하나 더 여십시오",
    )
    other_protocol = ErrorWords(
        what="{server:이} memcached 프로토콜을 쓰지 않습니다",
        mend="memcached 프로브의 `at`을 바로잡으십시오",
    )


class KoreanProbesRespErrors:
    other_protocol = ErrorWords(
        what="{server:이} redis 프로토콜을 쓰지 않습니다",
        mend="redis 프로브의 `at`을 바로잡으십시오",
    )
