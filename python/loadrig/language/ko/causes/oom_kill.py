class KoreanOomKillTexts:
    title = "메모리 부족으로 커널이 프로세스를 강제 종료했습니다(OOM)"
    no_proof = "커널이 직접 알려 준 사실이므로, 메모리를 두 배로 늘리거나 worker를 절반으로 줄이고 다시 실행해 보십시오"
    mend = (
        "메모리 한도를 높이거나(docker update --memory, Kubernetes: resources.limits.memory), worker를 줄이거나,"
        " 그만큼 커지기 전에 worker를 교체하십시오(gunicorn: --max-requests)"
    )
    decides = "메모리를 두 배로 늘리고 같은 부하를 걸면 강제 종료되는 프로세스가 없습니다"
    kernel_killed = "커널이 메모리 부족으로 {times}번 강제 종료했습니다"
    ended_then = "그 순간에 {program}의 프로세스 {count}개가 종료되었습니다"
    none_ended_then = "그 순간에 종료된 {program}의 프로세스는 없습니다: 다른 프로그램이었습니다"
    failed_after_kills = "실패의 {share:이} 강제 종료 시점이나 프로세스가 복구되기 전에 발생했습니다"
    were_killed = "프로세스 {count}개가 강제 종료되었습니다"
    largest_had = ", 가장 큰 것은 {size}"
    under_limit = ", 메모리 한도는 {limit}"
