"""Sentences of `memory_pressure` in Korean."""

from loadrig.language.en.causes.memory_pressure import MemoryPressureTexts
from loadrig.language.particles import with_particle


class KoreanMemoryPressureTexts(MemoryPressureTexts):
    """Sentences of `causes.memory_pressure`, in Korean."""

    title = "메모리가 부족합니다"
    memory_or_disk = "메모리를, 또는 디스크에서 다시 읽히기를"
    how_long_tasks = "태스크가 메모리를 기다린 시간을 읽지 못했습니다: psi=1로 부팅하십시오"
    mend = "메모리 한계를 올리거나 (docker update --memory; Kubernetes: resources.limits.memory), worker를 줄이거나 힙과 캐시를 줄이십시오"
    decides = "메모리를 두 배로, 또는 worker를 반으로 같은 부하를: 대기가 사라집니다"
    read_pages_back = "매초 디스크에서 {} 페이지를 다시 읽었습니다"
    pages_swapped_every = "매초 {} 페이지가 스왑 인되었습니다"
    how_much_memory = "남은 메모리를 읽지 못했습니다"
    no_limit_read = "한계를 읽지 못했습니다"

    def tasks_waited_time(self, what: str, waits: str) -> str:
        return f"태스크가 전체 시간의 {waits} 동안 {what} 기다렸습니다"

    def group_ran_into(self, group: str) -> str:
        return f"그룹 {with_particle(group, '이')} 초당 {{}}회 한계에 닿았습니다"

    def group_uses_may(self, high: str, median: str) -> str:
        return f"그룹이 쓸 수 있는 {median} 중 {with_particle(high, '를')} 씁니다"

    def machine_memory(self, share: str) -> str:
        return f"머신 메모리의 {with_particle(share, '가')} 남아 있었습니다"
