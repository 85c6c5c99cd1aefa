"""Sentences of `interventions` in Korean, a class for each of its files."""

from loadrig.language.en.interventions import (
    InterventionsCapacityTexts,
    InterventionsCoresTexts,
    InterventionsCpuQuotaTexts,
    InterventionsDependencyDelayTexts,
    InterventionsKnobStepTexts,
    InterventionsLoadShapeTexts,
    InterventionsProxyTexts,
    InterventionsStoppedTexts,
)
from loadrig.language.particles import with_particle


class KoreanInterventionsCapacityTexts(InterventionsCapacityTexts):
    """Sentences of `interventions.capacity`, in Korean."""

    none_has_more = "없음: 전보다 CPU가 많습니다"
    no_cpu_uses = "쓰는 CPU를 빼앗지 않습니다"
    fifth_cpu_uses = "쓰는 CPU의 5분의 1을 빼앗습니다"

    def cpu_to(self, name: str, cores: str, ratio: str) -> str:
        return f"{name}의 CPU: {cores}에서 {with_particle(ratio, '으로')}"


class KoreanInterventionsCoresTexts(InterventionsCoresTexts):
    """Sentences of `interventions.cores`, in Korean."""

    what_runs_busiest = "가장 바쁜 코어에서 도는 것, 10 ms마다 2 ms 동안."
    name = "공유 코어"
    fifth_cores_taken = "이 코어에서 도는 모두에게서 코어의 5분의 1을 빼앗습니다"
    generator_too = ", 부하 발생기도"
    only_roughly_right = "; 실시간 우선순위 권한이 없어 대략적으로만"

    def to(self, named: str, who: str, cores: str, ratio: str) -> str:
        return f"{named} ({who}): {cores}에서 {with_particle(ratio, '으로')}"


class KoreanInterventionsCpuQuotaTexts(InterventionsCpuQuotaTexts):
    """Sentences of `interventions.cpu_quota`, in Korean."""

    cpu_quota_component = "구성 요소 cgroup의 CPU 쿼터; 되돌립니다."
    name = "CPU 쿼터"


class KoreanInterventionsDependencyDelayTexts(InterventionsDependencyDelayTexts):
    """Sentences of `interventions.dependency_delay`, in Korean."""

    proxy_rig_loopback = "서버가 의존 서비스에 닿는 루프백의 프록시; 끝냅니다."
    name = "의존 서비스의 지연"
    any_option = "아무 옵션"

    def way_longer(self, name: str, longer: str) -> str:
        return f"{name}로 가는 길: {longer} 길게"

    def each_round_trip(self, name: str, longer: str) -> str:
        return f"{name}로 가는 왕복이 {longer} 길어졌습니다"

    def port(self, port: str) -> str:
        return f"포트 {port}"

    def target_does_not(self, member: str, wanted: str, name: str, own: str) -> str:
        return f"대상 {with_particle(member, '은')} {with_particle(name, '이')} 여는 {with_particle(wanted, '를')} {own}에서 밝히지 않으므로, 서버에 프록시를 거치라고 할 수 없습니다"

    def let_server_take(self, variable: str, host: str, port: str) -> str:
        return (
            f"서버가 주소를 변수에서 받게 하고 plan에 쓰십시오: env: {{{variable}_ADDRESS: '{host}:{port}'}}"
        )


class KoreanInterventionsKnobStepTexts(InterventionsKnobStepTexts):
    """Sentences of `interventions.knob_step`, in Korean."""

    knob_server_rig = "측정 장치가 그것을 위해 새로 시작하는 서버의 설정 항목 하나."
    name = "대상의 설정 항목"
    let_plan_start = "plan이 시작하게 하십시오: target: {command: …}, 설정 항목은 knob_flags에"
    change_hand_compare = "손으로 바꾸고 실행들을 비교하십시오"
    instead = "다음 대신"

    def title(self, name: str, old: str, value: str) -> str:
        return f"{name}: {old}에서 {with_particle(value, '으로')}"

    def server_rig_does(self, member: str) -> str:
        return f"{with_particle(member, '은')} 측정 장치가 시작하지 않는 서버이며, 시작하지 않는 것에는 설정 항목이 없습니다"

    def declare_what_try(self, key: str, what: str, declaration: str, tried: str) -> str:
        return f"하나를 선언하십시오: {key}: {{{what}: {declaration}}}, 시험할 값: {tried}"

    def no_knob_set(self, member: str, what: str) -> str:
        return f"{member}에는 {with_particle(what, '을')} 정하는 설정 항목이 알려져 있지 않습니다"

    def what_now_not(self, name: str, where: str) -> str:
        return f"지금 {with_particle(name, '이')} 무엇인지 알 수 없어 {where} 것이 없습니다"

    def write_what_knobs(self, name: str) -> str:
        return f"무엇인지 쓰십시오: knobs: {{{name}: …}}"

    def nothing_says_what(self, name: str, where: str, old: str) -> str:
        return f"{with_particle(name, '이')} {old} {where} 무엇이 될 수 있는지 알 수 없습니다"

    def write_what_try(self, name: str) -> str:
        return f"시험할 값을 쓰십시오: prove: {{knobs: {{{name}: …}}}}"


class KoreanInterventionsLoadShapeTexts(InterventionsLoadShapeTexts):
    """Sentences of `interventions.load_shape`, in Korean."""

    name = "부하의 모양"
    shape_identity = "모든 요청이 압축하지 않은 응답을 요청합니다."
    shape_keep_alive = "응답마다 닫던 커넥션은 유지하고, 유지하던 것은 닫습니다."
    shape_spread_logins = "토큰마다 수명의 끝이 아니라 후반의 무작위 순간에 갱신합니다."
    shape_half_rate = "요청률의 절반, 또는 사용자의 절반."
    shape_without = "경로 하나를 뺍니다: `without:NAME`, 또는 차례로 하나씩."
    connections_closed_after = "connections: 응답마다 닫기에서 유지하기로"
    connections_closed = "connections: 유지하기에서 닫기로"
    in_step = "동시에"
    load_all_half = "부하: 전부에서 절반으로"

    def accept_encoding_identity(self, before: str) -> str:
        return f"Accept-Encoding: {before}에서 identity로"

    def logins_spread_over(self, jitter: str) -> str:
        return f"로그인: {jitter}에서 다음으로 분산: "

    def token_life(self, title: str, spread: str) -> str:
        return f"{title}토큰 수명의 {spread}"

    def connections_to(self, most: str, fewer: str) -> str:
        return f"connections: {most}에서 {with_particle(fewer, '으로')}"

    def gives_others(self, name: str, sorted_text: str) -> str:
        return f"{with_particle(name, '이')} {with_particle(sorted_text, '을')} 다른 것에 줍니다"

    def without(self, name: str) -> str:
        return f"{name} 없이"


class KoreanInterventionsProxyTexts(InterventionsProxyTexts):
    """Sentences of `interventions.proxy`, in Korean."""

    def proxy_to(self, address: str) -> str:
        return f"{address}로 가는 프록시"

    def no_proxy_could(self, error: str) -> str:
        return f"프록시를 시작할 수 없었습니다: {error}"


class KoreanInterventionsStoppedTexts(InterventionsStoppedTexts):
    """Sentences of `interventions.stopped`, in Korean."""

    busy_processes_component = "구성 요소의 바쁜 프로세스들, 10 ms마다 2 ms 동안."
    sigstop_sigcont = "그 동안 SIGSTOP과 SIGCONT."
    name = "순간적으로 멈춤"
