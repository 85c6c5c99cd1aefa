"""Facts that lines of known programs tell, in Korean, by the names that the table of lines gives them."""

from collections.abc import Mapping
from typing import ClassVar

from loadrig.language.en.log_facts import LogFactTexts


class KoreanLogFactTexts(LogFactTexts):
    """Sentences of `probes._logs.known`, in Korean."""

    sentences: ClassVar[Mapping[str, str]] = {
        "pool_timed_out": "커넥션 풀의 커넥션이 제때 비지 않았습니다",
        "pool_queue_full": "커넥션 풀을 기다리는 요청이 너무 많아 더 기다릴 수 없습니다",
        "pool_taken": "커넥션 풀의 모든 커넥션이 쓰이고 있습니다",
        "pool_not_given": "커넥션 풀에 커넥션을 요청했으나 받지 못했습니다",
        "pool_not_returned": "커넥션이 제때 반환되지 않았습니다",
        "pool_thread_starved": "커넥션 풀 자신의 스레드가 오랫동안 실행되지 못했거나 시계가 크게 바뀌었습니다",
        "redis_late": "redis가 제때 응답하지 않았습니다",
        "redis_unreached": "여러 번 시도했으나 redis에 닿지 못했습니다",
        "database_not_connected": "데이터베이스가 제때 커넥션을 받지 않았습니다",
        "database_closed": "데이터베이스가 커넥션을 닫았습니다",
        "database_late": "데이터베이스가 제때 응답하지 않았습니다",
        "pool_broken": "커넥션 풀의 커넥션이 끊어져 있었습니다",
        "pool_used_after": "반환된 뒤의 커넥션을 사용했습니다",
        "pool_keeps_fewer": "커넥션 풀이 보관하는 수보다 많은 커넥션이 쓰여 매번 새로 엽니다",
        "program_late": "호출한 프로그램이 제때 응답하지 않았습니다",
        "call_late": "호출한 대상이 제때 응답하지 않았습니다",
        "name_without_address": "이름의 주소를 찾지 못했습니다",
        "worker_silent": "worker가 `timeout`보다 오래 응답이 없어 종료됩니다",
        "worker_killed": "worker가 강제 종료되었습니다. 메모리 부족일 수 있습니다",
        "concurrency_full": "동시 요청이 `limit_concurrency`가 허용하는 수보다 많습니다",
        "worker_died": "worker가 끝나 새로 시작됩니다",
        "connector_threads_taken": "커넥터의 모든 스레드가 쓰이고 있습니다",
        "pool_processes_taken": "풀의 모든 프로세스가 쓰이고 있습니다",
        "workers_taken": "모든 worker가 쓰이고 있습니다",
        "no_more_threads": "스레드를 더 시작할 수 없습니다",
        "worker_connections_full": "worker의 커넥션 수가 한도에 이르렀습니다",
        "behind_late": "뒤에 있는 서버가 제때 응답하지 않았습니다",
        "behind_dead": "뒤에 있는 모든 서버가 죽은 것으로 간주됩니다",
        "behind_closed": "뒤에 있는 서버가 응답하기 전에 커넥션을 닫았습니다",
        "requests_limited": "limit_req가 요청을 늦추거나 거부합니다",
        "connections_limited": "limit_conn이 커넥션을 거부합니다",
        "database_full": "데이터베이스가 커넥션을 더 받지 않습니다",
        "role_full": "데이터베이스나 역할(role)의 커넥션 수가 한도에 이르렀습니다",
        "deadlock": "트랜잭션들이 서로를 기다려 하나가 중단되었습니다",
        "frequent_checkpoints": "쓰기가 많아 체크포인트가 잇달아 일어납니다",
        "lock_late": "락을 제때 얻지 못했습니다",
        "statement_long": "쿼리가 허용된 시간보다 오래 걸렸습니다",
        "transaction_left_open": "열린 채로 남은 트랜잭션이 종료됩니다",
        "lock_waited": "트랜잭션이 락을 기다립니다",
        "lock_table_full": "락 테이블이 가득 찼습니다",
        "work_mem_small": "정렬이나 해시가 work_mem에 들어가지 않았습니다",
        "user_full": "사용자의 커넥션 수가 한도에 이르렀습니다",
        "client_gone": "클라이언트가 알리지 않고 사라졌습니다",
        "redis_full": "redis가 커넥션을 더 받지 않습니다",
        "redis_memory_full": "redis의 메모리가 한도에 이르렀습니다",
        "jvm_memory_full": "힙이나 JVM의 다른 영역이 가득 찼습니다",
        "node_heap_full": "Node의 힙이 가득 찼습니다",
        "go_no_memory": "시스템이 Go에 메모리를 더 주지 않았습니다",
        "python_no_memory": "시스템이 Python에 메모리를 더 주지 않았습니다",
        "kernel_killed": "메모리가 부족해 커널이 프로세스를 종료했습니다",
        "no_descriptors": "파일 디스크립터를 더 열 수 없습니다",
        "no_ports": "그 주소로 쓸 로컬 포트가 남아 있지 않습니다",
        "no_memory": "시스템이 메모리를 더 주지 않았습니다",
        "disk_full": "디스크가 가득 찼습니다",
    }
