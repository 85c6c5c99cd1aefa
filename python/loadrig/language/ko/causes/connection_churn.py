from loadrig.language.en.causes.connection_churn import ConnectionChurnTexts
from loadrig.language.particles import with_particle


class KoreanConnectionChurnTexts(ConnectionChurnTexts):
    title = "커넥션을 유지하지 않고 새로 엽니다"
    load_asks_new = "부하가 새 커넥션을 요구합니다: 실제 클라이언트가 커넥션을 유지하는지는 알 수 없습니다"
    rises_if_cause = "이것이 원인이라면 오릅니다"
    if_real_clients = (
        "실제 클라이언트가 커넥션을 유지한다면 부하도 그렇게 하십시오 (connections: {keep_alive: true})"
    )
    gunicorn_sync_workers = (
        "gunicorn의 sync worker는 모든 커넥션을 닫습니다: -k gthread --threads 8 --keep-alive 10"
    )
    let_server_keep = "서버나 그 프록시가 커넥션을 유지하게 하십시오 (keep-alive 타임아웃, 커넥션당 요청 수)"

    def connections_s_from(self, rate: str, name: str, ended_rps: str, a_request: str) -> str:
        return f"요청 {ended_rps}/s에 {name}에서 커넥션 {rate}/s: 요청당 {a_request}"

    def should_rise_up(self, rises: str) -> str:
        return f"최대 {rises} 오를 것입니다"

    def takes_about(self, formula: str) -> str:
        return f"; 약 {formula} 걸립니다"

    def effect(self, rate: str, name: str, a_request: str, takes: str) -> str:
        return f"{name}에서 초당 커넥션 {rate}개를 엽니다. 요청당 {a_request}개{takes}"

    def decides(self, name: str, gain: str) -> str:
        return f"{name}에서 커넥션을 유지하며 같은 부하를: 처리량이 {gain}"

    def redis_connectionpool_process(self, to: str) -> str:
        return f"{with_particle(to, '으로')} 요청마다 커넥션을 여는 대신 프로세스당 redis.ConnectionPool 하나"

    def pool_keeps_idle(self, source: str, to: str) -> str:
        return (
            f"{source}의 풀이 {with_particle(to, '으로')} 가는 유휴 커넥션을 동시에 쓰는 만큼 유지하게 하십시오"
            " (Go: SetMaxIdleConns)"
        )

    def pool_or_http(self, source: str, to: str) -> str:
        return f"{source}에서 {with_particle(to, '으로')} 가는 커넥션 풀 (또는 keep-alive를 쓰는 HTTP 클라이언트)"
