from loadrig.base.error_words import ErrorWords
from loadrig.language.en.errors.probes_go import ProbesGoErrors, ProbesGoPagesErrors
from loadrig.language.particles import with_particle


class KoreanProbesGoErrors(ProbesGoErrors):
    def not_here(self, component: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(component, '이')} 이 머신에 없습니다",
            mend="probes 아래에 페이지를 지정하십시오: `- go: {pprof: URL}`",
        )

    def either(self, place: str, other: str) -> str:
        return f"{place} 또는 {other}"

    def no_pages(self, places: str) -> ErrorWords:
        return ErrorWords(
            what=f"{places}에서 자기 수치의 페이지를 찾지 못했습니다: goroutine, 힙, GC가 보이지 않습니다",
            mend=(
                '프로그램에 `import _ "net/http/pprof"`를 더하거나 probes 아래에 페이지를 지정하십시오:'
                " `- go: {pprof: URL}`"
            ),
        )

    def only_outside(self, component: str, reason: str, mend: str) -> str:
        return f"go 프로브가 {with_particle(component, '을')} 밖에서만 봅니다: {reason}; {mend}"


class KoreanProbesGoPagesErrors(ProbesGoPagesErrors):
    def no_longer_go(self, page: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(page, '이')} 더는 Go 프로그램의 수치를 보여 주지 않습니다",
            mend="지금 거기서 무엇이 열려 있는지 살펴보십시오",
        )
