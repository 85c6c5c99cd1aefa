"""Clauses on what bundled labs and their plans show, in Korean, by the English one of `lab.yaml`."""

CLAUSES: dict[str, str] = {
    "a default middleware compresses JSON for every request, and takes most of the CPU":
        "기본 미들웨어가 요청마다 JSON을 압축하며 CPU를 대부분 씁니다",
    "32 users, answers compressed by chi's middleware": "사용자 32명, chi 미들웨어가 응답을 압축",
    "without the middleware, at one and a half times what it can do with it":
        "미들웨어 없이, 있을 때 낼 수 있는 처리량의 1.5배로",
    "30 % of capacity, with compression": "용량의 30 %, 압축 사용",
    "60 % of capacity, with compression": "용량의 60 %, 압축 사용",
    "85 % of capacity, with compression": "용량의 85 %, 압축 사용",
    "a CPU limit of a quarter core at 1,000 requests a second, on a machine that looks idle":
        "한가해 보이는 머신에서 초당 요청 1,000건에 CPU 제한이 4분의 1코어",
    "0.25 cores, 1,000 requests a second, a time-out of 500 ms": "0.25코어, 초당 요청 1,000건, 타임아웃 500 ms",
    "the same without a limit": "같은 조건, 제한 없음",
    "0.25 cores at 30 % of what they can do": "0.25코어, 낼 수 있는 처리량의 30 %",
    "0.25 cores at 60 %: the throttle counters tick, nobody is late":
        "0.25코어, 60 %: throttle 카운터는 오르지만 늦는 요청은 없음",
    "0.25 cores at 85 %": "0.25코어, 85 %",
    "a heap too small for what lives on it, so that the garbage collector takes the core":
        "살아 있는 데이터에 비해 힙이 작아 가비지 컬렉터가 코어를 차지합니다",
    "the load of token-storm on a quarter of its heap": "token-storm의 부하, 힙은 4분의 1",
    "the same with room on the heap": "같은 조건, 힙에 여유 있음",
    "an application that keeps something of every request": "요청마다 무언가를 남겨 두는 애플리케이션",
    "Flask's development server at half of its capacity; 16 kB leak with each request":
        "용량 절반의 부하를 받는 Flask 개발 서버, 요청마다 16 kB 누수",
    "the same behind gunicorn with 8 sync workers": "같은 조건, gunicorn의 sync worker 8개",
    "2 workers with 8 threads each": "worker 2개, 각각 스레드 8개",
    "gthread, at 20 % of capacity, with allocations traced: names the line":
        "gthread, 용량의 20 %, 할당을 추적하여 줄을 찾아냄",
    "2 gevent workers": "gevent worker 2개",
    "gthread, each worker replaced after 2,000 requests: the leak is bounded, not cured":
        "gthread, 요청 2,000건마다 worker 교체: 누수가 제한될 뿐 없어지지 않음",
    "the same with jitter, so that the workers are not replaced together":
        "같은 조건에 jitter를 더해 worker가 한꺼번에 교체되지 않음",
    "no leak, a cache that fills, 30 % of capacity": "누수 없음, 차오르는 캐시, 용량의 30 %",
    "the same at 60 %": "같은 조건, 60 %",
    "the same at 85 %": "같은 조건, 85 %",
    "every request opens a connection to redis, until no port is left":
        "요청마다 redis 커넥션을 열어 남은 포트가 없어집니다",
    "a connection to redis for each request; 2,000 ports, which are used up after 2,000 requests":
        "요청마다 redis 커넥션 하나, 포트 2,000개는 요청 2,000건이면 바닥남",
    "the same with all ports there are: no failure, but most of the work is for connections":
        "같은 조건, 모든 포트 사용: 실패는 없으나 일의 대부분이 커넥션 때문",
    "with a pool of connections, on the narrow range": "커넥션 풀 사용, 좁은 포트 범위",
    "with a pool, and sync workers, which close the client's connection after each answer":
        "풀과 sync worker 사용, 응답마다 클라이언트의 커넥션을 닫음",
    "with a pool, at 30 % of capacity, by clients that keep no connection: TIME_WAIT without harm":
        "풀 사용, 용량의 30 %, 커넥션을 유지하지 않는 클라이언트: 해롭지 않은 TIME_WAIT",
    "throughput dips with every expiry of the tokens, and the garbage collector is blamed":
        "토큰이 만료될 때마다 처리량이 떨어지는데 가비지 컬렉터가 의심받습니다",
    "200 users whose tokens expire together, every 12 s": "토큰이 12초마다 함께 만료되는 사용자 200명",
    "the same load and heap, each token with an end of its own": "같은 부하와 힙, 토큰마다 만료 시각이 다름",
    "30 % of capacity, with collections that everybody can see": "용량의 30 %, 누구나 볼 수 있는 컬렉션",
    "60 % of capacity": "용량의 60 %",
    "85 % of capacity": "용량의 85 %",
    "an application whose every knob changes nothing, because its database is out of CPU":
        "데이터베이스의 CPU가 바닥나 어떤 knob도 소용없는 애플리케이션",
    "60 users; the database has half a core": "사용자 60명, 데이터베이스는 반 코어",
    "the same with a quarter of a core": "같은 조건, 4분의 1코어",
    "the same with a whole core": "같은 조건, 온전한 코어 하나",
    "a study: threads, connections and heap against the database's cores":
        "study: 스레드, 커넥션, 힙과 데이터베이스의 코어",
    "30 % of capacity": "용량의 30 %",
    "60 % of capacity; the database's quota is used up now and then, and nobody waits for it":
        "용량의 60 %, 데이터베이스의 쿼터가 가끔 바닥나지만 기다리는 요청은 없음",
    "a plan of your own": "직접 쓴 plan",
}  # fmt: skip
