from collections.abc import Mapping
from typing import ClassVar

_POOLS_TOGETHER = (
    "모든 프로세스의 풀을 합친 크기를 {limit}보다 작게 하고 다른 쓰임을 위해 커넥션 몇 개를 남기십시오:"
    " 프로세스마다 풀이 따로 있습니다"
)


class KoreanLogMendTexts:
    mends: ClassVar[Mapping[str, str]] = {
        "postgresql.connections.full": (
            _POOLS_TOGETHER.format(limit="max_connections")
            + ". 또는 데이터베이스 앞에 풀러(PgBouncer)를 두십시오"
        ),
        "sqlite.locks.timed_out": (
            "파일의 락을 더 짧게 잡으십시오. 쓰기 트랜잭션 안에서 다른 프로그램을 호출하지 말고, 읽기가 기다리지"
            " 않도록 PRAGMA journal_mode=WAL을 쓰십시오. 쓰기가 많으면 데이터베이스 서버가 필요합니다"
        ),
        "postgresql.locks.conflict": (
            "READ COMMITTED에서 한 문장(UPDATE … SET n = n + 1)으로 행을 바꾸거나, 같은 행을 바꾸는 트랜잭션을"
            " 짧게 유지하십시오. 충돌할 때마다 작업을 다시 합니다"
        ),
        "mariadb.connections.full": _POOLS_TOGETHER.format(limit="max_connections와 max_user_connections"),
        "redis.connections.full": _POOLS_TOGETHER.format(limit="maxclients"),
        "php-fpm.workers.timed_out": (
            "요청이 무엇을 기다리는지 찾아 (request_slowlog_timeout이 slowlog에 스택을 적습니다) 그 호출에 제한"
            " 시간을 두십시오. 또는 request_terminate_timeout과 nginx의 fastcgi_read_timeout을 함께 늘리십시오"
        ),
        "uwsgi.workers.timed_out": (
            "요청이 무엇을 기다리는지 찾아 (느린 worker의 py-spy dump --pid PID) 그 호출에 제한 시간을 두거나"
            " harakiri를 늘리십시오"
        ),
        "puma.workers.timed_out": (
            "무엇이 worker의 확인 신호를 막는지 찾아 (rbspy dump --pid PID) 그 호출에 제한 시간을 두거나"
            " worker_timeout을 늘리십시오"
        ),
        "unicorn.workers.timed_out": (
            "요청이 무엇을 기다리는지 찾아 (rbspy dump --pid PID) 그 호출에 제한 시간을 두거나 timeout을"
            " 늘리십시오"
        ),
        "php.memory.exhausted": (
            "한 번에 메모리에 담는 양을 줄이십시오(결과를 한 행씩 읽고 업로드는 파일로 받습니다). 또는"
            " memory_limit × pm.max_children가 서버 메모리에 들어가는 한도에서 php.ini나"
            " 풀의 memory_limit을 올리십시오"
        ),
        "waitress.workers.full": (
            "threads를 올리십시오(waitress-serve --threads=N, 정하지 않으면 4). 다른"
            " 프로그램을 동시에 기다리는 요청 수 정도면 되고, CPU가 다 쓰였다면 늘려도 소용이 없습니다"
        ),
    }
