from loadrig.language.en.causes.dependency_port_exhaustion import DependencyPortExhaustionTexts
from loadrig.language.particles import with_particle


class KoreanDependencyPortExhaustionTexts(DependencyPortExhaustionTexts):
    title = "서버에서 의존 서비스로 나가는 로컬 포트가 고갈되었습니다"
    connection_pool = "커넥션 풀"
    pool_or_http = "커넥션 풀, 또는 keep-alive를 쓰는 HTTP 클라이언트"
    connectionpool_process_redis = "프로세스당 ConnectionPool 하나 (redis.Redis(connection_pool=POOL))"

    def ports_carry_new(self, sustained: str) -> str:
        return f"이 포트로는 새 커넥션 {sustained}/s까지 계속 견딥니다"

    def new_connections_s(self, rate: str) -> str:
        return f" (새 커넥션 {rate}/s)"

    def had_no_local(self, source: str, to: str, rate: str) -> str:
        return f"{source}에 {with_particle(to, '으로')} 나갈 로컬 포트가 남지 않았습니다{rate};"

    def requests_failed(self, wrong: str) -> str:
        return f" 요청 {wrong}건이 실패했고,"

    def requests_waited_any(self, waiting: str) -> str:
        return f" 어느 시점에나 요청 {waiting}건이 대기했습니다"

    def same_load_fails(self, longer_s: str) -> str:
        return f"{longer_s} 동안 같은 부하를: 모든 포트를 쓰면 실패합니다"

    def will_have_no(self, source: str, to: str, after: str, rate: str) -> str:
        return f"{after} 뒤에 {source}에 {with_particle(to, '으로')} 나갈 로컬 포트가 남지 않게 됩니다{rate}"

    def s_answered_well(self, before: str, during: str) -> str:
        return f"포트가 있을 때는 {before}/s, 없을 때는 {during}/s가 제대로 응답되었습니다"

    def connections_to(self, source: str, address: str) -> str:
        return f"{source}에서 {with_particle(address, '으로')} 가는 커넥션"

    def run_longer_see(self, text: str) -> str:
        return f"{text}: 확인하려면 더 오래 실행하십시오"

    def held_local_ports(self, connections: str, peak: str) -> str:
        return f"{with_particle(connections, '이')} 로컬 포트의 {with_particle(peak, '를')} 차지했습니다"

    def time_wait(self, text: str, in_time_wait: str) -> str:
        return f"{text}, 그중 {in_time_wait}개가 TIME_WAIT"

    def requests_failed_no(self, failed_share: str) -> str:
        return f"요청의 {with_particle(failed_share, '가')} 실패했고, 서 있는 커넥션이 없었습니다"

    def connections_to_address(self, address: str) -> str:
        return f"{with_particle(address, '으로')} 가는 커넥션"

    def effect(self, name: str, address: str) -> str:
        return f"{name}에 {with_particle(address, '으로')} 나갈 로컬 포트가 남지 않았습니다"

    def accepted_connections_s(self, to: str, mean: str) -> str:
        return f"{with_particle(to, '이')} 초당 커넥션 {mean}개를 받아들였습니다"

    def ports_not_seen(self, source: str, usual: str, accepted: str) -> str:
        return f"{source}의 포트를 보지 못했습니다: 그 머신에서 loadrig를 실행하거나 관찰하십시오. 보통의 범위는 새 커넥션 {usual}/s를 견디며, {accepted}"

    def new_connections_s_take(self, mean: str, to: str) -> str:
        return f"{with_particle(to, '으로')} 초당 새 커넥션 {mean}개면 1분 안에 모든 포트를 씁니다"

    def keep_connections_stop(self, to: str, pool: str) -> str:
        return f"{with_particle(to, '으로')} 가는 커넥션을 유지하십시오: {pool}. 임시로는 sysctl -w net.ipv4.tcp_tw_reuse=1"

    def same_load_pool(self, to: str) -> str:
        return f"{with_particle(to, '으로')} 커넥션 풀을 두고 같은 부하를: TIME_WAIT이 없어지고 실패도 사라집니다"
