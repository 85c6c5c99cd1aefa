from typing import Literal

from loadrig.base.error_words import ErrorWords
from loadrig.language.en.errors.interventions import (
    InterventionsCapacityErrors,
    InterventionsCompanionErrors,
    InterventionsCoresErrors,
    InterventionsCpuQuotaErrors,
    InterventionsCpuWeightErrors,
    InterventionsDependencyDelayErrors,
    InterventionsKnobStepErrors,
    InterventionsLoadShapeErrors,
    InterventionsProxyErrors,
    InterventionsStoppedErrors,
)
from loadrig.language.particles import with_particle


class KoreanInterventionsCapacityErrors(InterventionsCapacityErrors):
    def not_a_process_here(self, component: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(component, '은')} 이 머신의 프로세스가 아닙니다",
            mend="그 머신에서 증명하거나, plan이 여기서 시작하게 하십시오",
        )

    def ended_component(self, component: str) -> ErrorWords:
        return ErrorWords(what=f"{with_particle(component, '이')} 끝났습니다", mend="그 로그를 보십시오")

    def shared_cores(self, component: str, cores: str, others: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(component, '은')} {with_particle(cores, '을')} 다른 것과 나누어 쓰며, 다른 것이 {with_particle(others, '을')} 씁니다",
            mend='자기만의 코어에서 돌게 하십시오(taskset). 나누어 쓰는 코어는 실험 "cores"가 측정합니다',
        )

    def shared_quota(self, component: str, group: str, quota: str, others: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(component, '은')} {group}의 쿼터({quota})를 {with_particle(others, '과')} 나누어 씁니다",
            mend="각각 자기 쿼터가 있는 자기 cgroup에서 시작하십시오",
        )


class KoreanInterventionsCompanionErrors(InterventionsCompanionErrors):
    def ended_program(self, program: str) -> ErrorWords:
        return ErrorWords(
            what=f"변경을 수행하는 {with_particle(program, '이')} 끝났습니다",
            mend="위에서 무엇을 출력했는지 보십시오",
        )


class KoreanInterventionsCoresErrors(InterventionsCoresErrors):
    def nothing_busy_here(self) -> ErrorWords:
        return ErrorWords(
            what="CPU를 쓰는 구성 요소 중 이 머신의 프로세스가 없습니다",
            mend="그것이 있는 머신에서 증명하거나 부하를 더 거십시오",
        )


class KoreanInterventionsCpuQuotaErrors(InterventionsCpuQuotaErrors):
    def nothing_mounted(self) -> ErrorWords:
        return ErrorWords(
            what="여기에는 cgroup이 마운트되어 있지 않습니다",
            mend="마운트하십시오(cgroup v2를 /sys/fs/cgroup에)",
        )

    def shared_group(self, component: str, group: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(component, '은')} cgroup {with_particle(group, '을')} 다른 것과 함께 쓰며, cgroup v2는 그것을 나누지 못합니다",
            mend="자기만의 cgroup에서 시작하십시오: systemd-run --scope 또는 컨테이너",
        )

    def several_groups(self, component: str, group: str) -> ErrorWords:
        return ErrorWords(
            what=f"{component}의 프로세스 일부가 {with_particle(group, '이')} 아닌 cgroup에 있습니다",
            mend="모두 한 cgroup에서 시작하십시오",
        )

    def controller_off(self, group: str, parent: str) -> ErrorWords:
        return ErrorWords(
            what=f"{group}에서 컨트롤러 cpu가 켜져 있지 않습니다",
            mend=f'root로: echo +cpu > "{parent}/cgroup.subtree_control"',
        )

    def unwritable_group(self, group: str) -> ErrorWords:
        return ErrorWords(
            what=f"{group}에 쓸 권한이 없습니다", mend="root로, 또는 위임된 cgroup에서 실행하십시오"
        )

    def refused_change(self, component: str, error: str) -> ErrorWords:
        return ErrorWords(
            what=f"커널이 {component}의 cgroup을 바꾸기를 거부했습니다: {error}",
            mend="그 위의 cgroup들의 쿼터와 소유자를 보십시오",
        )


class KoreanInterventionsCpuWeightErrors(InterventionsCpuWeightErrors):
    def has_its_cores(self, component: str) -> ErrorWords:
        return ErrorWords(
            what=f"지금은 다른 프로그램이 {component}의 코어를 그다지 쓰지 않습니다",
            mend="다른 프로그램이 일하고 있을 때 증명하십시오",
        )

    def works_beside(self, component: str, other: str) -> ErrorWords:
        first, second = with_particle(component, "이"), with_particle(other, "은")
        return ErrorWords(
            what=f"{second} {component}의 코어에서 함께 일하므로, {first} 먼저 돌면 기다리게 됩니다",
            mend=f"{other}에 따로 코어를 준 다음 증명하십시오",
        )

    def refused_weight(self, component: str, error: str) -> ErrorWords:
        return ErrorWords(
            what=f"커널이 {with_particle(component, '을')} 먼저 돌게 하기를 거부했습니다: {error}",
            mend="그 cgroup과 그 위의 cgroup들의 소유자를 보십시오",
        )


class KoreanInterventionsDependencyDelayErrors(InterventionsDependencyDelayErrors):
    any_option = "옵션"
    one_or_other = " 또는 "

    def port(self, number: str) -> str:
        return f"포트 {number}"

    def unix_socket(self, dependency: str, socket: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(dependency, '과')} 유닉스 소켓 {with_particle(socket, '으로')} 통신하는데, 프록시는 TCP만 다룹니다",
            mend=f"서버가 {with_particle(dependency, '과')} TCP로 통신하게 하고, 그 포트를 plan에 쓰십시오",
        )

    def foreign_server(self, dependency: str) -> ErrorWords:
        return ErrorWords(
            what=f"측정 장치가 시작한 서버가 아니어서 {dependency}의 다른 포트를 알려 줄 수 없습니다",
            mend="측정 장치가 시작하게 하고(target: command), 의존 서비스의 주소를 env에 쓰십시오",
        )

    def no_proxy(self, dependency: str) -> ErrorWords:
        return ErrorWords(
            what=f"{dependency} 앞에 프록시가 없고, 이미 돌고 있는 서버는 프록시를 거치게 할 수 없습니다",
            mend=f"그 주소를 쓰면 시작할 때 프록시를 둡니다: prove: {{through: {{{dependency}: "
            "'127.0.0.1:PORT'}}",
        )

    def unnamed_address(
        self, target: str, wanted: str, dependency: str, options: str, variable: str, address: str
    ) -> ErrorWords:
        return ErrorWords(
            what=f"대상 {with_particle(target, '은')} {dependency}의 {with_particle(wanted, '을')} {options}에서 밝히지 않으므로, 서버가 프록시를 거치게 할 수 없습니다",
            mend=f"서버가 주소를 변수에서 받게 하고 plan에 쓰십시오: env: {{{variable}_ADDRESS: '{address}'}}",
        )


class KoreanInterventionsKnobStepErrors(InterventionsKnobStepErrors):
    def ruled_out(self, knob: str, setting: str) -> ErrorWords:
        return ErrorWords(
            what=f"설정이 {setting}일 때는 {with_particle(knob, '을')} 정하지 않습니다",
            mend=f"조건 `when`을 넓히거나, {with_particle(knob, '이')} 있는 설정에서 증명하십시오",
        )

    def fixed_by_argument(self, knob: str, argument: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(knob, '은')} 설정보다 앞서는 대상의 args에서 {with_particle(argument, '으로')} 고정되어 있습니다",
            mend=f"대신 knobs 아래에 쓰십시오: `knobs: {{{knob}: …}}`",
        )

    def foreign_server(self, target: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(target, '은')} 측정 장치가 시작하지 않는 서버이며, 시작하지 않는 것에는 설정 항목이 없습니다",
            mend="plan이 시작하게 하십시오: target: {command: …}, 설정 항목은 knob_flags에",
        )

    def no_knob(self, target: str, role: str) -> ErrorWords:
        return ErrorWords(
            what=f"{target}에는 {with_particle(role, '을')} 정하는 설정 항목이 알려져 있지 않습니다",
            mend="손으로 바꾸고 실행들을 비교하십시오",
        )

    def undeclared_knob(
        self, target: str, role: str, key: str, name: str, declaration: str, tried: str
    ) -> ErrorWords:
        return ErrorWords(
            what=f"{target}에는 {with_particle(role, '을')} 정하는 설정 항목이 알려져 있지 않습니다",
            mend=f"하나를 선언하십시오: {key}: {{{name}: {declaration}}}, 시험할 값: {tried}",
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


class KoreanInterventionsLoadShapeErrors(InterventionsLoadShapeErrors):
    def no_plain_http(self) -> ErrorWords:
        return ErrorWords(
            what="plan에 보통 HTTP로 보내는 요청이 없습니다", mend="설정 항목으로 압축을 끄십시오"
        )

    def no_compression(self) -> ErrorWords:
        return ErrorWords(
            what="plan이 이미 압축하지 않은 응답을 요청합니다", mend="gzip을 요청하는 plan으로 증명하십시오"
        )

    def always_kept(self, version: str) -> ErrorWords:
        return ErrorWords(
            what=f"HTTP/{version}의 커넥션은 언제나 유지됩니다",
            mend="HTTP/1.1로 증명하십시오: connections: {http: 1.1}",
        )

    def kept_already(self) -> ErrorWords:
        return ErrorWords(
            what="부하는 이미 커넥션을 유지합니다",
            mend="오가는 클라이언트로 증명하십시오: connections: {keep_alive: false}",
        )

    def web_sockets_alone(self) -> ErrorWords:
        return ErrorWords(
            what="열린 것은 WebSocket뿐이고, 그것은 언제나 유지됩니다", mend="서버에서 바꾸십시오"
        )

    def no_logins(self) -> ErrorWords:
        return ErrorWords(
            what="이 plan에서는 아무도 로그인하지 않습니다", mend="login이 있는 plan으로 증명하십시오"
        )

    def endless_tokens(self) -> ErrorWords:
        return ErrorWords(
            what="토큰이 얼마나 유효한지 거절되기 전에는 알 수 없습니다",
            mend="밝히십시오: login: {lasts: 10m}, 응답이 알려 준다면 lasts_from",
        )

    def single_login(self) -> ErrorWords:
        return ErrorWords(
            what="사용자 한 명만 로그인합니다",
            mend="더 많은 사용자로, 또는 rate: {identities: N}으로 증명하십시오",
        )

    def spread_already(self, share: str) -> ErrorWords:
        return ErrorWords(
            what=f"로그인이 이미 토큰 수명의 {share}에 걸쳐 분산되어 있습니다",
            mend="한꺼번에 오는 다른 것을 찾으십시오",
        )

    def no_rate(self) -> ErrorWords:
        return ErrorWords(
            what="낼 수 있는 최대로 거는 부하에는 절반으로 줄일 요청률이 없습니다",
            mend="커넥션 수를 밝히십시오: connections: {most: 10}",
        )

    def single_user(self) -> ErrorWords:
        return ErrorWords(what="사용자 한 명의 절반은 없습니다", mend="더 많은 사용자로 증명하십시오")

    def routes_of_steps(self) -> ErrorWords:
        return ErrorWords(
            what="경로들이 앞 단계에서 다음이 이어지는 시나리오의 단계입니다",
            mend="경로들이 requests: 아래에 있는 plan으로 증명하십시오",
        )

    def single_route(self) -> ErrorWords:
        return ErrorWords(what="plan이 경로 하나만 요청합니다", mend="경로가 여럿인 plan으로 증명하십시오")

    def unknown_route(self, route: str) -> ErrorWords:
        return ErrorWords(
            what=f"plan은 경로 {with_particle(route, '을')} 요청하지 않습니다",
            mend="plan이 요청하는 경로를 쓰십시오",
        )

    def needed_routes(self, needed: str) -> ErrorWords:
        return ErrorWords(
            what=f"뺄 수 있는 경로가 없습니다: {needed}", mend="그 값들을 feed에서 가져오게 하십시오"
        )


class KoreanInterventionsProxyErrors(InterventionsProxyErrors):
    ended = "그 프로세스가 끝났습니다"

    def strange_answer(self, answer: str) -> str:
        return f"{with_particle(answer, '이라')}고 답했습니다"

    def no_proxy(self, error: str) -> str:
        return f"프록시를 시작할 수 없었습니다: {error}"

    def failed_start(self, reason: str, log: str) -> ErrorWords:
        return ErrorWords(what=reason, mend=f"{log}에 무엇이 있는지 보고 다시 실행하십시오")

    def broken_proxy(self, address: str, reason: str, log: str) -> ErrorWords:
        return ErrorWords(
            what=f"{address} 앞의 프록시가 실패했습니다: {reason}",
            mend=f"다시 실행하십시오. 두 번 일어나면 실행 폴더와 {with_particle(log, '을')} 함께 보내 주십시오",
            why="서버가 더는 그 의존 서비스에 닿을 수 없습니다",
        )

    def unknown_address(self, host: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{host}의 주소를 알 수 없습니다: {reason}",
            mend="숫자로 쓰십시오: prove: {through: {NAME: '127.0.0.1:6379'}}",
        )


class KoreanInterventionsStoppedErrors(InterventionsStoppedErrors):
    def foreign_process(self, component: str, pid: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(component, '은')} 다른 사용자의 것입니다: 프로세스 {with_particle(pid, '을')} 멈출 수 없습니다",
            mend="root나 그 사용자로 실행하십시오",
        )

    def no_pidfd(self, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"이 커널에서는 프로세스를 확실히 지정할 수 없습니다(pidfd): {reason}",
            mend="쿼터를 쓰도록 root로 실행하십시오",
        )
