"""Facts that lines of known programs tell, in English, by the names that the table of lines gives them."""

from collections.abc import Mapping
from typing import ClassVar


class LogFactTexts:
    """Sentences of `probes._logs.known`."""

    sentences: ClassVar[Mapping[str, str]] = {
        "pool_timed_out": "no connection of the pool became free in time",
        "pool_queue_full": "so many wait for the pool that no more may",
        "pool_taken": "all connections of the pool are taken",
        "pool_not_given": "a connection was asked of the pool and not given",
        "pool_not_returned": "a connection was not given back in time",
        "pool_thread_starved": "the pool's own thread did not run for a long time, or the clock leapt",
        "redis_late": "redis did not answer in time",
        "redis_unreached": "redis was not reached, however often it was tried",
        "database_not_connected": "the database did not take a connection in time",
        "database_closed": "the database closed a connection",
        "database_late": "the database did not answer in time",
        "pool_broken": "a connection of the pool was broken",
        "pool_used_after": "a connection was used after it was given back",
        "pool_keeps_fewer": (
            "the pool keeps fewer connections than are in use, so each time one is opened anew"
        ),
        "program_late": "a program that was called did not answer in time",
        "call_late": "what was called did not answer in time",
        "name_without_address": "no address was found for a name",
        "worker_silent": "a worker was silent for longer than `timeout`, and is killed",
        "worker_over_time": "a worker took longer than it may, and is killed with its request",
        "worker_killed": "a worker was killed, perhaps for lack of memory",
        "concurrency_full": "more requests at once than `limit_concurrency` lets in",
        "worker_died": "a worker ended and is started anew",
        "connector_threads_taken": "all of the connector's threads are taken",
        "pool_processes_taken": "all of the pool's processes are taken",
        "workers_taken": "all workers are taken",
        "no_more_threads": "no more threads may be started",
        "no_more_processes": "no more processes may be started",
        "worker_connections_full": "a worker has as many connections as it may",
        "behind_late": "the server behind did not answer in time",
        "behind_dead": "all servers behind are taken for dead",
        "behind_closed": "the server behind closed a connection before it had answered",
        "requests_limited": "requests are held back or refused by limit_req",
        "connections_limited": "connections are refused by limit_conn",
        "database_full": "the database takes no more connections",
        "role_full": "a database or a role has as many connections as it may",
        "deadlock": "transactions waited for each other, and one was ended",
        "frequent_checkpoints": "so much is written that checkpoints follow each other closely",
        "lock_late": "a lock was not got in time",
        "statement_long": "a statement took longer than it may",
        "transaction_left_open": "a transaction was left open and is ended",
        "lock_waited": "a transaction waits for a lock",
        "lock_table_full": "the table of locks is full",
        "work_mem_small": "a sort or a hash did not fit into work_mem",
        "user_full": "a user has as many connections as he may",
        "client_gone": "a client was gone without a word",
        "redis_full": "redis takes no more connections",
        "redis_memory_full": "redis has as much memory as it may",
        "jvm_memory_full": "the heap, or another area of the JVM, is full",
        "node_heap_full": "the heap of Node is full",
        "go_no_memory": "the system gave Go no more memory",
        "python_no_memory": "the system gave Python no more memory",
        "kernel_killed": "the kernel killed a process for lack of memory",
        "no_descriptors": "no more descriptors may be opened",
        "no_ports": "no local port is left towards that address",
        "no_memory": "the system gave no more memory",
        "disk_full": "the disk is full",
    }
