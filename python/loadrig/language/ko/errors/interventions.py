from typing import Literal

from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


class KoreanInterventionsCapacityErrors:
    not_a_process_here = ErrorWords(
        what="{component:은} 이 머신의 프로세스가 아닙니다",
        mend="그 머신에서 증명하거나, plan이 여기서 시작하게 하십시오",
    )
    ended_component = ErrorWords(what="{component:이} 끝났습니다", mend="그 로그를 보십시오")
    shared_cores = ErrorWords(
        what="{component:은} {cores:을} 다른 것과 나누어 쓰며, 다른 것이 {others:을} 씁니다",
        mend='자기만의 코어에서 돌게 하십시오(taskset). 나누어 쓰는 코어는 실험 "cores"가 측정합니다',
    )
    shared_quota = ErrorWords(
        what="{component:은} {group}의 쿼터({quota})를 {others:과} 나누어 씁니다",
        mend="각각 자기 쿼터가 있는 자기 cgroup에서 시작하십시오",
    )


class KoreanInterventionsCompanionErrors:
    ended_program = ErrorWords(
        what="변경을 수행하는 {program:이} 끝났습니다",
        mend="위에서 무엇을 출력했는지 보십시오",
    )


class KoreanInterventionsCoresErrors:
    nothing_busy_here = ErrorWords(
        what="CPU를 쓰는 구성 요소 중 이 머신의 프로세스가 없습니다",
        mend="그것이 있는 머신에서 증명하거나 부하를 더 거십시오",
    )


class KoreanInterventionsCpuQuotaErrors:
    nothing_mounted = ErrorWords(
        what="여기에는 cgroup이 마운트되어 있지 않습니다",
        mend="마운트하십시오(cgroup v2를 /sys/fs/cgroup에)",
    )
    shared_group = ErrorWords(
        what="{component:은} cgroup {group:을} 다른 것과 함께 쓰며, cgroup v2는 그것을 나누지 못합니다",
        mend="자기만의 cgroup에서 시작하십시오: systemd-run --scope 또는 컨테이너",
    )
    several_groups = ErrorWords(
        what="{component}의 프로세스 일부가 {group:이} 아닌 cgroup에 있습니다",
        mend="모두 한 cgroup에서 시작하십시오",
    )
    controller_off = ErrorWords(
        what="{group}에서 컨트롤러 cpu가 켜져 있지 않습니다",
        mend='root로: echo +cpu > "{parent}/cgroup.subtree_control"',
    )
    unwritable_group = ErrorWords(
        what="{group}에 쓸 권한이 없습니다", mend="root로, 또는 위임된 cgroup에서 실행하십시오"
    )
    refused_change = ErrorWords(
        what="커널이 {component}의 cgroup을 바꾸기를 거부했습니다: {error}",
        mend="그 위의 cgroup들의 쿼터와 소유자를 보십시오",
    )


class KoreanInterventionsCpuWeightErrors:
    has_its_cores = ErrorWords(
        what="지금은 다른 프로그램이 {component}의 코어를 그다지 쓰지 않습니다",
        mend="다른 프로그램이 일하고 있을 때 증명하십시오",
    )

    def works_beside(self, component: str, other: str) -> ErrorWords:
        first, second = with_particle(component, "이"), with_particle(other, "은")
        return ErrorWords(
            what=f"{second} {component}의 코어에서 함께 일하므로, {first} 먼저 돌면 기다리게 됩니다",
            mend=f"{other}에 따로 코어를 준 다음 증명하십시오",
        )

    refused_weight = ErrorWords(
        what="커널이 {component:을} 먼저 돌게 하기를 거부했습니다: {error}",
        mend="그 cgroup과 그 위의 cgroup들의 소유자를 보십시오",
    )


class KoreanInterventionsDependencyDelayErrors:
    any_option = "옵션"
    one_or_other = " 또는 "
    port = "포트 {number}"
    unix_socket = ErrorWords(
        what="{dependency:과} 유닉스 소켓 {socket:으로} 통신하는데, 프록시는 TCP만 다룹니다",
        mend="서버가 {dependency:과} TCP로 통신하게 하고, 그 포트를 plan에 쓰십시오",
    )
    foreign_server = ErrorWords(
        what="측정 장치가 시작한 서버가 아니어서 {dependency}의 다른 포트를 알려 줄 수 없습니다",
        mend="측정 장치가 시작하게 하고(target: command), 의존 서비스의 주소를 env에 쓰십시오",
    )
    no_proxy = ErrorWords(
        what="{dependency} 앞에 프록시가 없고, 이미 돌고 있는 서버는 프록시를 거치게 할 수 없습니다",
        mend="그 주소를 쓰면 시작할 때 프록시를 둡니다: prove: {{through: {{{dependency}: "
        "'127.0.0.1:PORT'}}}}",
    )
    unnamed_address = ErrorWords(
        what="대상 {target:은} {dependency}의 {wanted:을} {options}에서 밝히지 않으므로, 서버가 프록시를 거치게 할 수 없습니다",
        mend="서버가 주소를 변수에서 받게 하고 plan에 쓰십시오: env: {{{variable}_ADDRESS: '{address}'}}",
    )


class KoreanInterventionsKnobStepErrors:
    ruled_out = ErrorWords(
        what="설정이 {setting}일 때는 {knob:을} 정하지 않습니다",
        mend="조건 `when`을 넓히거나, {knob:이} 있는 설정에서 증명하십시오",
    )
    fixed_by_argument = ErrorWords(
        what="{knob:은} 설정보다 앞서는 대상의 args에서 {argument:으로} 고정되어 있습니다",
        mend="대신 knobs 아래에 쓰십시오: `knobs: {{{knob}: …}}`",
    )
    foreign_server = ErrorWords(
        what="{target:은} 측정 장치가 시작하지 않는 서버이며, 시작하지 않는 것에는 설정 항목이 없습니다",
        mend="plan이 시작하게 하십시오: target: {{command: …}}, 설정 항목은 knob_flags에",
    )
    no_knob = ErrorWords(
        what="{target}에는 {role:을} 정하는 설정 항목이 알려져 있지 않습니다",
        mend="손으로 바꾸고 실행들을 비교하십시오",
    )
    undeclared_knob = ErrorWords(
        what="{target}에는 {role:을} 정하는 설정 항목이 알려져 있지 않습니다",
        mend="하나를 선언하십시오: {key}: {{{name}: {declaration}}}, 시험할 값: {tried}",
    )

    def unknown_value(self, knob: str, towards: Literal["more", "less", "other"]) -> ErrorWords:
        value = {"more": "그보다 큰", "less": "그보다 작은"}.get(towards, "그 대신 쓸")
        return ErrorWords(
            what=f"지금 {with_particle(knob, '이')} 무엇인지 알 수 없어 {value} 값을 정할 수 없습니다",
            mend=f"무엇인지 쓰십시오: knobs: {{{knob}: …}}",
        )

    def no_other_value(self, knob: str, towards: Literal["more", "less", "other"], old: str) -> ErrorWords:
        value = {"more": f"쓸 수 있는 {old}보다 큰", "less": f"쓸 수 있는 {old}보다 작은"}.get(
            towards, f"{old} 대신 쓸 수 있는"
        )
        return ErrorWords(
            what=f"{knob}에 {value} 값을 알 수 없습니다",
            mend=f"시험할 값을 쓰십시오: prove: {{knobs: {{{knob}: …}}}}",
        )


class KoreanInterventionsLoadShapeErrors:
    no_plain_http = ErrorWords(
        what="plan에 보통 HTTP로 보내는 요청이 없습니다", mend="설정 항목으로 압축을 끄십시오"
    )
    no_compression = ErrorWords(
        what="plan이 이미 압축하지 않은 응답을 요청합니다", mend="gzip을 요청하는 plan으로 증명하십시오"
    )
    always_kept = ErrorWords(
        what="HTTP/{version}의 커넥션은 언제나 유지됩니다",
        mend="HTTP/1.1로 증명하십시오: connections: {{http: 1.1}}",
    )
    kept_already = ErrorWords(
        what="부하는 이미 커넥션을 유지합니다",
        mend="오가는 클라이언트로 증명하십시오: connections: {{keep_alive: false}}",
    )
    web_sockets_alone = ErrorWords(
        what="열린 것은 WebSocket뿐이고, 그것은 언제나 유지됩니다", mend="서버에서 바꾸십시오"
    )
    no_logins = ErrorWords(
        what="이 plan에서는 아무도 로그인하지 않습니다", mend="login이 있는 plan으로 증명하십시오"
    )
    endless_tokens = ErrorWords(
        what="토큰이 얼마나 유효한지 거절되기 전에는 알 수 없습니다",
        mend="밝히십시오: login: {{lasts: 10m}}, 응답이 알려 준다면 lasts_from",
    )
    single_login = ErrorWords(
        what="사용자 한 명만 로그인합니다",
        mend="더 많은 사용자로, 또는 rate: {{identities: N}}으로 증명하십시오",
    )
    spread_already = ErrorWords(
        what="로그인이 이미 토큰 수명의 {share}에 걸쳐 분산되어 있습니다",
        mend="한꺼번에 오는 다른 것을 찾으십시오",
    )
    no_rate = ErrorWords(
        what="낼 수 있는 최대로 거는 부하에는 절반으로 줄일 요청률이 없습니다",
        mend="커넥션 수를 밝히십시오: connections: {{most: 10}}",
    )
    single_user = ErrorWords(what="사용자 한 명의 절반은 없습니다", mend="더 많은 사용자로 증명하십시오")
    routes_of_steps = ErrorWords(
        what="경로들이 앞 단계에서 다음이 이어지는 시나리오의 단계입니다",
        mend="경로들이 requests: 아래에 있는 plan으로 증명하십시오",
    )
    single_route = ErrorWords(
        what="plan이 경로 하나만 요청합니다", mend="경로가 여럿인 plan으로 증명하십시오"
    )
    unknown_route = ErrorWords(
        what="plan은 경로 {route:을} 요청하지 않습니다",
        mend="plan이 요청하는 경로를 쓰십시오",
    )
    needed_routes = ErrorWords(
        what="뺄 수 있는 경로가 없습니다: {needed}", mend="그 값들을 feed에서 가져오게 하십시오"
    )


class KoreanInterventionsProxyErrors:
    ended = "그 프로세스가 끝났습니다"
    strange_answer = "{answer:이라}고 답했습니다"
    no_proxy = "프록시를 시작할 수 없었습니다: {error}"
    failed_start = ErrorWords(what="{reason}", mend="{log}에 무엇이 있는지 보고 다시 실행하십시오")
    broken_proxy = ErrorWords(
        what="{address} 앞의 프록시가 실패했습니다: {reason}",
        mend="다시 실행하십시오. 두 번 일어나면 실행 폴더와 {log:을} 함께 보내 주십시오",
        why="서버가 더는 그 의존 서비스에 닿을 수 없습니다",
    )
    unknown_address = ErrorWords(
        what="{host}의 주소를 알 수 없습니다: {reason}",
        mend="숫자로 쓰십시오: prove: {{through: {{NAME: '127.0.0.1:6379'}}}}",
    )


class KoreanInterventionsStoppedErrors:
    foreign_process = ErrorWords(
        what="{component:은} 다른 사용자의 것입니다: 프로세스 {pid:을} 멈출 수 없습니다",
        mend="root나 그 사용자로 실행하십시오",
    )
    no_pidfd = ErrorWords(
        what="이 커널에서는 프로세스를 확실히 지정할 수 없습니다(pidfd): {reason}",
        mend="쿼터를 쓰도록 root로 실행하십시오",
    )
