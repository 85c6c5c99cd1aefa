class KoreanLockContentionTexts:
    title = "요청이 애플리케이션 안의 락, 제한, 큐에서 차례를 기다립니다"
    no_proof = "락은 프로그램 안에 있으므로, 사본에서 락을 더 짧게 잡거나 나누고 둘을 번갈아 실행해 보십시오"
    decides = "이것이 원인이라면 스레드를 늘려도 처리량이 그대로이고, 사본에서 락을 나누면 올라갑니다"
    mend_deadlock = "스레드가 멈춰 선 위치를 확인하고, 락은 항상 같은 순서로 잡고, 가져간 것은 반환하십시오"
    decides_deadlock = "멈춰 있는 동안의 스레드 스택"
    mend_tasks = (
        "한 번에 몇 개의 태스크만 통과시키는 것을 찾으십시오. limiter나 semaphore라면 뒤쪽이 견디는 만큼 올리고,"
        " await 동안 쥔 락이라면 더 짧게 잡고, 소비자가 하나인 큐라면 소비자를 늘리십시오"
    )
    loop_is_free = "이벤트 루프가 시간의 {share} 동안 이벤트를 기다렸습니다: 막는 호출은 없고 태스크들이 차례를 기다립니다"
    go_shows = 'import _ "net/http/pprof"로 볼 수 있습니다'
    go_names = "runtime.SetMutexProfileFraction(5) 설정 후 /debug/pprof/mutex에 락이 나옵니다"
    jvm_shows = "jstack이나 jvm 프로브로 볼 수 있습니다"
    jvm_names = "jstack PID에 락과 그 락을 쥔 스레드가 나옵니다"
    python_shows = "py-spy dump로 볼 수 있습니다"
    python_names = "py-spy dump --pid PID에 누가 어디서 기다리는지 나옵니다"
    stacks_show = "각 스레드의 스택(gdb -p)으로 볼 수 있습니다"
    stacks_name = "스레드 스택에 락이 나옵니다"
    stood_idle = "코어도 쓰지 않고 다른 프로그램도 기다리지 않으면서 요청 {waiting}개가 안에 멈춰 있었습니다"
    deadlock_unseen = "어느 락, 큐, 풀인지는 관찰되지 않았습니다: {how}"
    wait_for_each_other = (
        "마지막 {duration} 동안 요청 {waiting}개가 서로를, 또는 결코 반환되지 않는 것을 기다립니다"
    )
    in_flight = "처리 중인 요청 {number}개"
    at_cores = "{shown}, 처리량 {rate}/s, 사용 중인 코어 {cores}개"
    at_unknown_cores = "{shown}, 처리량 {rate}/s, 사용 중인 코어 수는 알 수 없음"
    mend_file = (
        "{file}의 락을 더 짧게 잡으십시오. 트랜잭션이나 세션이 열린 동안 다른 프로그램을 호출하지 마십시오. SQLite라면"
        " PRAGMA journal_mode=WAL을 쓰고, 쓰기가 많으면 데이터베이스 서버를 쓰십시오"
    )
    mend = "락을 찾아({way}) 더 짧게 잡거나 나누십시오"
    waits_share = "요청은 소요 시간의 {share:를} 락을 기다리는 데 씁니다"
    waits_unseen = "스레드들이 무엇을 기다리는지는 관찰되지 않았습니다: {how}"
