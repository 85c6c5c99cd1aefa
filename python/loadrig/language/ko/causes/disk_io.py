class KoreanDiskIoTexts:
    title = "디스크를 기다리고 있습니다"
    no_proof = "데이터는 사용자의 것이므로 옮길 수 없습니다. tmpfs에 둔 사본으로, 또는 내구성 설정을 낮추고 다시 실행해 보십시오"
    decides = "데이터를 tmpfs에 두거나 내구성 설정을 낮추고 같은 부하를 걸면 처리량이 올라갑니다"
    unknown_number = "알 수 없는 수"
    states_unread = "스레드 상태를 읽지 못했습니다. loadrig를 root나 해당 프로세스의 사용자로 실행하십시오"
    stalls_unread = "태스크가 디스크를 기다린 시간을 읽지 못했습니다. psi=1로 부팅하십시오"
    mend_mariadb = "1초의 손실을 감수할 수 있다면 innodb_flush_log_at_trx_commit=2, 여러 쓰기를 한 트랜잭션으로 묶기, 더 빠른 디스크"
    mend_postgresql = "0.5초의 손실을 감수할 수 있다면 synchronous_commit=off, commit_delay, 여러 쓰기를 한 트랜잭션으로 묶기, 더 빠른 디스크"
    mend_redis = "appendfsync를 always 대신 everysec로, 더 빠른 디스크"
    mend = "더 드물게 한 번에 많이 쓰거나, fsync를 다른 스레드에 맡기거나, 더 빠른 디스크를 쓰십시오"
    mend_reads = (
        "거듭 읽는 데이터를 메모리에 두거나(메모리 증설, 더 큰 캐시), 요청마다 읽는 양을 줄이거나,"
        " 더 빠른 디스크를 쓰십시오"
    )
    waited_for_turn = (
        "평균 {number}개의 요청이 데이터를 영구 기록(fsync)할 차례를 기다렸습니다."
        " 한 번에 한 요청만 기록합니다"
    )
    waited = "평균 {number}개의 스레드나 세션이 디스크를 기다렸습니다"
    somebody_waited = "전체 시간의 {share} 동안 디스크를 기다리는 태스크가 있었습니다"
    request_makes_durable = "차례를 기다리는 시간을 빼면, 요청의 {share:를} 데이터를 영구히 쓰는 데 씁니다"
    made_durable_each = "쓰는 요청마다 fsync {number}번"
    wait_for_lock = (
        "세션 {locked}개가 잠금을, {number}개가 디스크를 기다렸습니다: 동시에 쓰는 것은 함께 영구 기록됩니다"
    )
    cpu_used = "쓸 수 있는 CPU의 {share:를} 썼습니다"
    made_durable = "{disk:이} 데이터를 초당 {rate}회, 회당 {each} 걸려 영구 기록했습니다"
    was_busy = "{disk:은} 전체 시간의 {share} 동안 바빴습니다"
    waited_until_durable = "데이터가 디스크에 기록될 때까지 초당 {rate}회 기다렸습니다"
    wrote_little_of = "; 초당 기록된 {total} 중 자체 기록은 {own}뿐입니다"
    read = "; 초당 {own:을} 읽었습니다"
    wrote = "; 초당 {own:을} 기록했습니다"
