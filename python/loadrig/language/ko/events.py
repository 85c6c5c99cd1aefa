from collections.abc import Mapping
from typing import ClassVar

from loadrig.language.ko.log_facts import KoreanLogFactTexts
from loadrig.language.particles import with_particle


def _with(size: str) -> str:
    return f" (메모리 {size})" if size else ""


class KoreanEventTexts:
    reasons: ClassVar[Mapping[str, str]] = {
        "recycled": "교체",
        "timed_out": "타임아웃",
        "killed": "강제 종료",
        "out_of_memory": "메모리 부족",
    }
    checkpoint_causes: ClassVar[Mapping[str, str]] = {"requested": "요청에 의함", "timed": "주기에 의함"}
    go_sources: ClassVar[Mapping[str, str]] = {
        "the environment variable GOMAXPROCS": "환경 변수 GOMAXPROCS",
        "the affinity mask": "CPU affinity 마스크",
        "the quota of its group": "그룹의 CPU 할당량",
    }
    log_facts: ClassVar[Mapping[str, str]] = KoreanLogFactTexts.sentences

    # --- components and processes -------------------------------------------------------------------

    def component_found(self, name: str, kind: str, version: str, pid: str) -> str:
        what = kind if kind == name else f"{name}: {kind}"
        return what + (f" {version}" if version else "") + (f", 프로세스 {pid}" if pid else "")

    def process_started(self, pid: str, name: str) -> str:
        return f"프로세스 {with_particle(f'{pid} ({name})', '이')} 시작되었습니다"

    def process_ended(self, pid: str, name: str) -> str:
        return f"프로세스 {with_particle(f'{pid} ({name})', '이')} 끝났습니다"

    restarted = "{program:이} 새로 시작되었습니다"
    restarted_before = "{program:이} {ago} 전에 새로 시작되었습니다"

    def worker_started(self, pid: str, memory: str) -> str:
        return with_particle(f"worker {pid}{_with(memory)}", "이") + " 시작되었습니다"

    def worker_replaced(self, pid: str, memory: str, before: str, memory_before: str) -> str:
        started = with_particle(f"worker {pid}{_with(memory)}", "이")
        return f"worker {before}{_with(memory_before)} 대신 {started} 시작되었습니다"

    def worker_ended(self, pid: str, reason: str, how: str, lived: str, memory: str) -> str:
        why = self.reasons.get(reason, "" if reason in ("unknown", "exited") else reason)
        cause = ", ".join(part for part in (why, how) if part)
        worker = with_particle(f"worker {pid}{_with(memory)}", "이")
        ended = f"{worker} {lived} 만에 끝났습니다"
        return ended + (f": {cause}" if cause else "")

    group_killed = "메모리 한도 때문에 커널이 그룹 {group}의 프로세스 {count}개를 종료했습니다"
    memory_killed = "메모리가 부족해 커널이 프로세스 {count}개를 종료했습니다"

    # --- collectors of garbage, threads and memory --------------------------------------------------
    go_stopped = "가비지 컬렉션이 프로그램을 {took} 동안 멈췄습니다"
    go_stopped_with_heap = (
        "가비지 컬렉션이 프로그램을 {took} 동안 멈췄습니다. 힙은 {before}에서 {after:으로} 바뀌었습니다"
    )

    def go_runtime(self, version: str, threads: str, source: str, cores: str) -> str:
        program = f"Go {version or '(버전 알 수 없음)'}"
        origin = self.go_sources.get(source, source)
        limit = f"그룹이 쓸 수 있는 CPU: {cores}" if cores else "CPU 할당량이 없습니다"
        if not threads:
            return f"{program}. {limit}"
        runs = with_particle(program, "이")
        return f"{runs} 동시에 스레드 {threads}개로 실행됩니다 (GOMAXPROCS, 출처: {origin}). {limit}"

    python_stopped = "프로세스 {pid:이} {took} 동안 멈췄습니다: {generation}세대 가비지 컬렉션"
    node_stopped = "가비지 컬렉션({kind})이 프로세스 {pid}의 이벤트 루프를 {took} 동안 멈췄습니다"

    def jvm_stopped(self, operation: str, took: str) -> str:
        why = f"{operation} 때문에" if operation else "가비지 컬렉션이 아닌 이유로"
        return f"모든 스레드가 {why} 멈췄습니다: {took}"

    lock_held = "프로세스 {pid:이} 시간의 {share} 동안 인터프리터 락을 잡았습니다. 가장 많이 잡은 곳: {frame}"

    def busiest_thread(self, tid: str, name: str, share: str) -> str:
        return f"스레드 {with_particle(f'{tid} ({name})', '이')} 시간의 {share} 동안 실행되었고, 다른 스레드는 거의 실행되지 않았습니다"

    def busiest_of_threads(self, tid: str, name: str, share: str, count: int) -> str:
        return f"스레드 {with_particle(f'{tid} ({name})', '이')} 시간의 {share} 동안 실행되어, 바쁜 스레드 {count}개 중 가장 많았습니다"

    memory_grows = "메모리가 가장 많이 느는 곳은 {place}입니다: 처음 본 뒤로 블록 {blocks}개, {size}"

    # --- databases and logs -------------------------------------------------------------------------

    def checkpoint(self, cause: str) -> str:
        return f"체크포인트 ({self.checkpoint_causes.get(cause, cause)})"

    def checkpoint_written(self, cause: str, took: str) -> str:
        return f"체크포인트 ({self.checkpoint_causes.get(cause, cause)}), 쓰기 {took}"

    slow_command = "{command:이} {took} 걸렸습니다. 그동안 다른 요청은 처리되지 않았습니다"
    latency = "redis가 {event}에서 {took}의 지연을 기록했습니다"

    def server_fact(self, system: str, fact: str) -> str:
        return f"{system}: {self.log_facts.get(fact, fact)}"

    log_begun_anew = "로그 {log:이} 옮겨지거나 잘려 새로 시작되었습니다"
    access_log_moved = "액세스 로그 {log:이} 옮겨져 새로 시작되었습니다"
    access_log_cut = "액세스 로그 {log:이} 잘려 새로 시작되었습니다"

    # --- effects on servers -------------------------------------------------------------------------
    inspector_opened = "프로세스 {pid}의 inspector가 {host}의 포트 {port}에 열렸습니다"
    inspector_closed = "프로세스 {pid}의 inspector를 다시 닫았습니다"
    node_watch_begun = "프로세스 {pid} 안에서 타이머와 가비지 컬렉션 관찰기를 실행합니다"
    node_watch_ended = "프로세스 {pid} 안에서 실행하던 것을 끝냈습니다"
    jvm_attached = "JVM {pid}에 attach했습니다. 이때 열린 로컬 커넥터는 JVM이 끝날 때까지 남습니다"
    jvm_log_begun = "JVM {pid:이} 가비지 컬렉션을 {file}에 기록하게 했습니다"
    jvm_log_ended = "JVM {pid:이} 거기에 더는 기록하지 않습니다"
    async_profiler_loaded = (
        "async-profiler를 JVM {pid}에 불러왔습니다. 라이브러리는 JVM이 끝날 때까지 남습니다"
    )
    async_profiler_stopped = "JVM {pid}에서 async-profiler를 멈췄습니다"

    def level_judged(self, level: str, verdict: str) -> str:
        words = {"meets": "목표를 만족합니다", "fails": "목표를 벗어납니다", "open": "판정하지 못했습니다"}
        return f"부하 {level}: {words.get(verdict, verdict)}"
