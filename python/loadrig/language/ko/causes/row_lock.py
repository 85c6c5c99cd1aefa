class KoreanRowLockTexts:
    title = "쿼리들이 서로의 락을 기다립니다"
    no_proof = "행은 프로그램이 고릅니다. 사본에서 쓰기를 더 많은 키에 흩뜨리고 둘을 번갈아 실행하십시오"
    decides = "키 하나 대신 여러 키에 같은 부하를: 다른 것을 바꾸지 않아도 처리량이 오릅니다"
    locks_not_read = "락을 읽지 못했습니다"
    sessions_work_waited = "실행 중인 세션 {among}개 중 평균 {waiting}개가 락을 기다렸습니다"
    used_meanwhile = "그동안 {cores} 중 {mean:를} 썼습니다"
    sessions_waited_lock = "어느 시점에나 세션 {waiting}개가 락을 기다렸습니다"
    each_request = ": 요청당 {waiting}"
    whose_median = ", 중앙값은 {p50}"
    requests_database_waited = "데이터베이스 안의 요청 {in_database}건 중 {waiting}건이 그렇게 기다렸습니다"
    used = "그동안 {cores} 중 {mean:를} 썼습니다"
    idle_too = "{used}, 그리고 {name}도 놀고 있었습니다"
    effect = "바쁜 CPU 없이 요청 {waiting}건이 안에서 기다릴 수 있습니다"
    let_probe_read = "프로브가 {name}의 세션이 무엇을 기다리는지 읽게 하십시오"
    look_at = " ({top} 참고)"
    held_by = "; {holder}의 세션이 잡고 있었습니다"
    waited_behind = "대부분이 {holder}의 트랜잭션 뒤에 서 있었습니다"
    mend_holder = (
        "{holder:이} 더 일찍 커밋하게 하십시오. 트랜잭션의 행을 줄이고, 열린 동안 느린 일을 하지 마십시오. 또는 요청이"
        " 없는 시간에 실행하십시오"
    )
    make_transaction_shorter = (
        "트랜잭션을 짧게 하거나 몰리는 행을 여럿으로 나누십시오{which}: 쓴 직후에 커밋하십시오"
    )
