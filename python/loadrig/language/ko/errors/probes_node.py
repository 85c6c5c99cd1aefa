from loadrig.base.error_words import ErrorWords
from loadrig.language.ko.errors.permits import not_permitted
from loadrig.language.particles import with_particle

_NAME_IT = "probes 아래에 inspector를 지정하십시오: `- node: {inspector: HOST:PORT}`"
_WITH_INSPECTOR = "NODE_OPTIONS=--inspect=127.0.0.1:0으로 프로그램을 시작하십시오"


class KoreanProbesNodeErrors:
    more_processes = "loadrig가 시작하는 서버라면 `- node: {inspect: true}`로 넷까지 보입니다"
    not_an_address = ErrorWords(
        what="{shown:은} 주소가 아닙니다",
        mend="`- node: {{inspector: 127.0.0.1:9229}}`처럼 쓰십시오",
    )

    def not_here(self, component: str) -> ErrorWords:
        return ErrorWords(what=f"{with_particle(component, '이')} 이 머신에 없습니다", mend=_NAME_IT)

    def not_permitted(self) -> ErrorWords:
        does = "Node의 inspector를 열고 그것으로 코드 몇 줄을 실행할"
        return not_permitted("node-inspector", "이벤트 루프의 지연과 힙, 가비지 컬렉션", does)

    def no_node_program(self, pid: str) -> ErrorWords:
        return ErrorWords(what=f"프로세스 {with_particle(pid, '은')} Node 프로그램이 아닙니다", mend=_NAME_IT)

    inspector_closed = ErrorWords(
        what="프로세스 {pid}의 inspector가 닫혀 있습니다",
        mend="--permit node-inspector를 붙이거나 --inspect로 시작하십시오",
    )
    not_yet_open = ErrorWords(what="프로세스 {pid:이} 아직 inspector를 열지 않았습니다", mend="기다리십시오")

    def processes_left_out(self, watched: int, processes: int) -> str:
        return f"node 프로브가 Node 프로세스 {processes}개 중 {watched}개를 관찰합니다; {self.more_processes}"

    answers_late = ErrorWords(
        what="프로세스들이 너무 늦게 응답합니다", mend="CPU를 다 쓰지 않았는지 살펴보십시오"
    )
    no_longer_watched = ErrorWords(what="프로세스 {pid:을} 더는 관찰하지 않습니다", mend="기다리십시오")


class KoreanProbesNodeInspectorErrors:
    questions_refused = ErrorWords(
        what="{place}의 프로그램이 질문을 거절합니다: {why}",
        mend="이 방법은 Node 16부터 됩니다. 다른 것은 `unwatched`로 빼십시오",
    )
    no_inspector = ErrorWords(
        what="{place:을} 여는 것은 inspector가 아닙니다",
        mend="inspector의 포트를 지정하십시오",
    )
    not_opened_within = ErrorWords(
        what="프로세스 {pid:이} {limit_s} s 안에 inspector를 열지 않았습니다",
        mend="CPU를 다 쓰지 않았는지 살펴보십시오",
    )
    port_taken = ErrorWords(
        what="프로세스 {pid:이} inspector를 열 포트 {port:이} 이미 쓰이고 있습니다",
        mend=_WITH_INSPECTOR,
    )
    signal_not_handled = ErrorWords(
        what="프로세스 {pid:은} SIGUSR1에 inspector를 열지 않습니다",
        mend=_WITH_INSPECTOR,
    )
    other_user = ErrorWords(
        what="프로세스 {pid:은} 다른 사용자의 것입니다",
        mend="그 사용자로, 또는 root로 loadrig를 실행하십시오",
    )
    process_gone = ErrorWords(what="프로세스 {pid:이} 없어졌습니다", mend="왜 끝났는지 살펴보십시오")
    own_network = ErrorWords(
        what="프로세스 {pid:이} 자기 네트워크(컨테이너) 안에 있어 inspector에 닿을 수 없습니다",
        mend="그 안에서 loadrig를 실행하십시오: `observers`에 `via: docker exec -i NAME`",
    )
