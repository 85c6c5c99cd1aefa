from loadrig.base.error_words import ErrorWords


class KoreanProbesGoErrors:
    not_here = ErrorWords(
        what="{component:이} 이 머신에 없습니다",
        mend="probes 아래에 페이지를 지정하십시오: `- go: {{pprof: URL}}`",
    )
    either = "{place} 또는 {other}"
    no_pages = ErrorWords(
        what="{places}에서 자기 수치의 페이지를 찾지 못했습니다: goroutine, 힙, GC가 보이지 않습니다",
        mend=(
            '프로그램에 `import _ "net/http/pprof"`를 더하거나 probes 아래에 페이지를 지정하십시오:'
            " `- go: {{pprof: URL}}`"
        ),
    )
    only_outside = "go 프로브가 {component:을} 밖에서만 봅니다: {reason}; {mend}"


class KoreanProbesGoPagesErrors:
    no_longer_go = ErrorWords(
        what="{page:이} 더는 Go 프로그램의 수치를 보여 주지 않습니다",
        mend="지금 거기서 무엇이 열려 있는지 살펴보십시오",
    )
