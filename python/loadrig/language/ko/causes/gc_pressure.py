"""Sentences of `gc_pressure` in Korean."""

from loadrig.language.en.causes.gc_pressure import GcPressureTexts
from loadrig.language.particles import with_particle


class KoreanGcPressureTexts(GcPressureTexts):
    """Sentences of `causes.gc_pressure`, in Korean."""

    title = "가비지 컬렉션이 시간을 차지합니다"
    decides = "힙을 두 배로 하고 같은 부하를: GC의 비중이 줄고 피해도 줄어듭니다"
    whether_they_collect = "가비지를 수집하는지 보지 못했습니다: inspector가 알려 줍니다 (node --inspect)"
    mend_go = (
        "덜 할당하거나 (pprof: allocs) GOGC 또는 GOMEMLIMIT을 올리십시오: 메모리를 더 쓰고 GC는 줄어듭니다"
    )
    mend_node = "덜 할당하거나, young 세대(--max-semi-space-size)와 힙(--max-old-space-size)을 늘리십시오"
    mend_cpython = "순환 참조 객체를 줄이거나, 시작 뒤 gc.freeze(), 또는 gc.set_threshold를 높이십시오"
    more_heap_xmx = (
        "힙을 늘리십시오 (-Xmx): GC 뒤에도 거의 가득 차 있습니다. 그다음 무엇이 붙들고 있는지 찾으십시오"
    )
    allocate_less_profile = "덜 할당하거나 (할당 프로파일이 위치를 알려 줍니다) 힙을 늘리십시오 (-Xmx)"

    def after_collections_greatest(self, heap: str) -> str:
        return f"GC 뒤에도 최대 힙의 {with_particle(heap, '가')} 사용 중이었습니다"

    def collections_whole_heap(self, full: str) -> str:
        return f"GC 중 {full}회가 힙 전체에 대한 것이었습니다"

    def pauses_long_slow(self, size: str, over_s: str, met: str) -> str:
        return f"멈춤 {size}회가 느린 요청이 기다린 만큼({over_s}) 길었고, 그중 {met}에 해당합니다"

    def pauses_dips_work(self, stood_s: str, lost_s: str, bound: str) -> str:
        return f"저하 구간의 멈춤 {stood_s}, 그 안에서 잃은 작업 {lost_s}: 많아야 {bound}"

    def gc_took_time(self, share: str) -> str:
        return f"GC가 시간의 {with_particle(share, '를')} 차지했습니다: 저하의 원인이 될 수 없습니다"

    def threads_wanted_core(self, mean: str) -> str:
        return f"한 번에 스레드 {mean}개가 코어를 원했고, 코드는 하나에서 돕니다"

    def threads_work_beside(self, mean: str) -> str:
        return f"자신의 코드 옆에서 스레드 {mean}개가 GC처럼 일합니다"

    def stood_still_time(self, paused: str) -> str:
        return f"GC 때문에 전체 시간의 {paused} 동안 멈춰 있었습니다"

    def pauses_longest(self, size: str, max_text: str) -> str:
        return f" (멈춤 {size}회, 가장 긴 것 {max_text})"

    def cpu_went_into(self, beside: str) -> str:
        return f", 스레드와 별도로 CPU의 {with_particle(beside, '가')} GC에 쓰였습니다"
