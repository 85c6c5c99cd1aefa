from collections.abc import Mapping
from typing import ClassVar

from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


class KoreanPlanChecksErrors:
    generator = "부하 발생기"
    loops_without_users = ErrorWords(
        what="loops는 사용자마다 하는 일을 세는데, 계속 머무는 사용자는 `users`에만 있습니다",
        mend="limit: {requests: N}을 쓰거나, 세션 안의 반복이면 sessions: {requests: N}을 쓰십시오",
    )
    stages_without_length = ErrorWords(
        what="모든 단계의 길이를 합해도 0이라, 부하가 시작하기도 전에 끝납니다",
        mend="단계마다 걸리거나 머무는 시간을 적으십시오: stages: [{to: 100, over: 30s, hold: 1m}]",
    )
    fewer_users_than_generators = ErrorWords(
        what="부하의 사용자는 {users}명인데, 부하 발생기는 {generators}개입니다",
        mend="발생기마다 사용자가 한 명은 있게 하거나, 발생기를 줄이십시오",
        why="사용자 한 명은 발생기 하나가 혼자 만드므로, 아무도 맡지 않는 발생기가 생깁니다",
    )
    jitter_without_end = ErrorWords(
        what="jitter는 토큰이 만료되기 전에 새로 받는 것인데, 언제 만료되는지 알 수 없습니다",
        mend="토큰이 얼마나 유효한지 추가하십시오: lasts: 10m 또는 lasts_from: $.expires_in",
    )
    host_not_allowed = ErrorWords(
        what="{host:은} 이 머신이 아니며 plan이 허용하지 않습니다",
        mend="맨 위에 추가하십시오: allow: [{hosts}]",
        why="트래픽은 plan이 이름으로 허용한 호스트로만 나갑니다. 부하를 걸어도 되는 곳인지 확인하십시오",
    )
    first_to_last = "{first} ~ {last}"
    no_such_core = ErrorWords(
        what="{user}에 줄 {core}번 코어가 없습니다",
        mend="cpus: [{last}]로 쓰거나, 빼서 loadrig가 고르게 하십시오",
        why="이 프로세스가 쓸 수 있는 코어는 {allowed}입니다",
    )
    size_bounds_reversed = ErrorWords(
        what="{low:,}바이트 이상이면서 {high:,}바이트 이하인 본문은 있을 수 없습니다",
        mend="작은 쪽을 size_min으로 쓰십시오",
    )
    not_two_bounds = ErrorWords(
        what="uniform이 [{bounds}]인데, 작은 것부터 경계 두 개를 받습니다",
        mend="[1s, 3s]처럼 경계 두 개를 쓰십시오",
    )

    def too_few_connections(
        self, most: int, users: float, needed: int, streams: int, has_websockets: bool
    ) -> ErrorWords:
        why = "사용자마다 커넥션을 하나씩 씁니다"
        if streams > 1:
            why = f"사용자 최대 {streams:,}명이 커넥션 하나를 나누어 씁니다"
        elif has_websockets:
            why = "사용자마다 WebSocket 하나와, 다른 요청에 쓸 커넥션 하나를 씁니다"
        return ErrorWords(
            what=f"커넥션 {most:,}개는 사용자 {users:,}명에게 모자랍니다",
            mend=f"{with_particle(f'most: {needed}', '으로')} 쓰거나 빼십시오",
            why=why,
        )

    def unknown_route(self, shown: str, goal: str, routes: str, meant: str) -> ErrorWords:
        return ErrorWords(
            what=f"목표 {goal}에 있는 경로 {with_particle(shown, '이')} 없습니다",
            mend=f"{with_particle(meant, '을')} 쓰십시오" if meant else "이 중 하나를 쓰십시오",
            why=f"있는 경로는 {routes}입니다",
        )

    study_without_knobs = ErrorWords(
        what="study {study}에 고를 것이 없습니다",
        mend="knobs: {{workers: [1, 2, 4]}}처럼 값이 여럿인 설정 항목을 추가하십시오",
        why="값이 둘 이상인 설정 항목이 없습니다",
    )
    knobs_without_study = ErrorWords(
        what="{knobs}의 여러 값을 시험하는 study가 없습니다",
        mend="모든 설정을 시험하려면 study: grid를, 첫 설정만 시험하려면 study: one_trial을 추가하십시오",
    )


class KoreanPlanServersErrors:
    no_address = ErrorWords(
        what="{url!r:은} 서버의 주소가 아닙니다",
        mend="{name}: http://HOST:PORT 또는 {name}: https://HOST:PORT로 쓰십시오",
    )
    too_many = ErrorWords(
        what="plan에는 target 외의 서버를 {most}개까지 둘 수 있습니다",
        mend="plan을 여러 개로 나누십시오",
    )

    def unknown_server(self, name: str, names: str, meant: str | None) -> ErrorWords:
        return ErrorWords(
            what=f"plan에 서버 {with_particle(repr(name), '이')} 없습니다",
            mend=f"server: {with_particle(meant, '을')} 쓰십시오"
            if meant
            else f"맨 위에 추가하십시오: servers: {{{name}: http://HOST:PORT}}",
            why=f"target 외의 서버는 {names}입니다" if names else "target 외의 서버가 없습니다",
        )


class KoreanPlanCheckSecretsErrors:
    secret_in_the_open = ErrorWords(
        what="여기서는 빈칸 {hole:이} 비밀로 지켜지지 않습니다",
        mend="변수로 프로그램에 넘기십시오: env: {{NAME: '{hole}'}}",
        why="명령줄은 이 머신의 모든 사용자가 읽을 수 있고, 설정 항목의 값은 보고서에 나옵니다",
    )


class KoreanPlanSecretsErrors:
    reasons: ClassVar[Mapping[str, str]] = {"it is not UTF-8 text": "UTF-8 텍스트가 아닙니다"}

    def masked_value(self, name: str) -> str:
        return f"이 plan을 보관할 때 {name}의 값은 뺐습니다"

    def no_masked_value(self, name: str, variable: str) -> ErrorWords:
        return ErrorWords(
            what=self.masked_value(name),
            mend=f"그 자리에 {{env:{variable}}}를 쓰고 export {variable}=…를 하거나, 그 실행에 쓴 원래 plan을 쓰십시오",
            why="사람이 쓴 비밀은 어디에도 보관하지 않으므로, 보내려면 다시 주어야 합니다",
        )

    no_variable = ErrorWords(what="환경 변수 {name:이} 설정되어 있지 않습니다", mend="export {name}=…")
    unreadable_file = ErrorWords(
        what="파일 {file:을} 읽을 수 없습니다: {reason}",
        mend="경로를 고치십시오. plan이 있는 폴더를 기준으로 합니다",
    )


class KoreanPlanCheckFleetErrors:
    only_with_ray = ErrorWords(
        what="`{key}`는 부하 발생기를 Ray의 호스트에 배치하는 키인데, 이 fleet에는 `ray`가 없습니다",
        why="`ray`가 없으면 부하 발생기는 모두 이 기계의 프로세스입니다",
        mend="`ray: auto`나 헤드의 HOST:PORT를 추가하거나 이 키를 빼십시오. 이 기계의 코어는 "
        "`trial: {{cpus: […]}}`로 정합니다",
    )
    no_address = ErrorWords(
        what="{address!r}는 Ray 헤드의 주소가 아닙니다",
        mend="`{key}`에 `ray start --head`가 출력한 HOST:PORT를 쓰거나, 이 기계가 속한 클러스터라면 `auto`라고 쓰십시오",
    )
