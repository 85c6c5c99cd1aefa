class KoreanLeakTexts:
    title = "요청마다 무언가가 늘어나고 반환되지 않습니다"
    decides = "요청률을 두 배로 올린 뒤 부하 없이 쉬면, 요청당 증가량은 그대로이고 반환되는 것이 없습니다"
    it_grows = "늘어납니다"
    they_grow = "늘어납니다"
    by_pprof = "pprof 페이지"
    by_inspector = "inspector(node --inspect)"
    mend_pool = "요청이 실패할 때도 커넥션을 반드시 반환하십시오(결과 집합과 트랜잭션 닫기: with, defer, try-with-resources)"
    decides_pool = "커넥션 풀을 키우면 그만큼 더 버티다가 마찬가지로 응답이 멈춥니다"
    mend_if_it_stops = "고칠 것이 없으며, 정말 누수라면 더 긴 실행에서 드러납니다"
    decides_if_it_stops = "더 오래 실행하면, 차오르던 것은 멈춥니다"

    def find_line(self, runtime: str) -> str:
        match runtime:
            case "cpython":
                return "메모리를 할당하는 코드 줄을 찾아(python: {memory_sites: true})"
            case "go":
                return "메모리를 할당하는 코드 줄을 찾아(힙 프로파일 두 번: /debug/pprof/heap)"
            case "node":
                return "메모리를 붙들고 있는 것을 찾아(inspector의 힙 스냅샷 두 번: node --inspect)"
            case "jvm":
                return "메모리를 붙들고 있는 것을 찾아(클래스 히스토그램 두 번: jcmd PID GC.class_histogram)"
            case _:
                return "메모리를 할당하는 것을 찾아(힙 프로파일 두 번)"

    stood_idle = "요청 {waiting}개가 안에서 기다리는 동안 {to} 커넥션 {number}개가 모두 놀고 있었습니다"
    connections_taken = (
        "{to} 커넥션을 가져가고 반환하지 않습니다: {after} 만에 {number}개가 모두 점유되고 응답이 멈췄습니다"
    )
    grew = "{what:이} 요청 {requests}건 동안 {amount} 늘었습니다"
    grew_in_lives = (
        "{what:이} 프로세스 수명 {lives}회(동시에 {at_once}개) 각각에서"
        " 요청 {requests}건 동안 {amount} 늘었습니다"
    )
    growth_a_request = "{grew}: 요청당 {a_request} (95 % {low} – {high})"
    rose_like_a_line = "측정값의 {rises}에서 증가했고, 끝의 증가 속도는 처음의 {lasting}입니다; 차오르다 멈추는 곡선보다 직선이 더 잘 맞습니다(BIC {bic} 낮음)"
    grows = "{what:이} 요청마다 {a_request}, {rate}/s에서 초당 {a_second}씩 {verb}"
    grows_until_restarted = "worker가 재시작될 때까지 {what:이} 요청마다 {a_request}씩 {verb}; 재시작할 때마다 같은 증가가 다시 시작됩니다"
    reaches_limit = "; {left} 뒤에 {name}({limit})에 도달합니다"
    grew_too = "{what}도 늘었습니다: 요청당 {a_request}"
    restarts_hide_it = (
        "재시작이 누수를 가립니다: 프로세스 {ended}개가 종료되었고, 매번 같은 크기에서 다시 늘어났습니다"
    )
    collector_unseen = (
        "GC가 더 회수할 수 있는 양은 관찰되지 않았습니다: {how}, 또는 더 긴 실행으로 알 수 있습니다"
    )
    each_goes_through_it = "{rise}: 요청마다 앞선 요청들이 남긴 것을 훑으며, 이는 가비지로는 생기지 않습니다"
    close_what_is_opened = (
        "요청이 실패할 때도 요청이 연 것({what})을 반드시 닫으십시오(with, defer, try-with-resources)"
    )
    look_at = "{place:을} 살펴보고"

    def mend_memory(self, where: str, *, is_bounded: bool) -> str:
        bounds = "제한하고 있지만" if is_bounded else "제한할 수 있지만"
        return f"{where} 그곳에서 메모리를 놓아 주십시오; max_requests는 누수를 {bounds} 고치지는 못합니다"

    grew_but = "{what:이} {amount} 늘었지만, {how}"
