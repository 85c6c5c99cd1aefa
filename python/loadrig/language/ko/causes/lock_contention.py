from loadrig.language.en.causes.lock_contention import LockContentionTexts
from loadrig.language.particles import with_particle


class KoreanLockContentionTexts(LockContentionTexts):
    title = "스레드가 애플리케이션 안의 락을 기다립니다"
    no_proof = "락은 프로그램 안에 있으므로, 사본에서 락을 더 짧게 잡거나 나누고 둘을 번갈아 실행해 보십시오"
    decides = "이것이 원인이라면 스레드를 늘려도 처리량이 그대로이고, 사본에서 락을 나누면 올라갑니다"
    mend_deadlock = "스레드가 멈춰 선 위치를 확인하고, 락은 항상 같은 순서로 잡고, 가져간 것은 반환하십시오"
    decides_deadlock = "멈춰 있는 동안의 스레드 스택"
    go_shows = 'import _ "net/http/pprof"로 볼 수 있습니다'
    go_names = "runtime.SetMutexProfileFraction(5) 설정 후 /debug/pprof/mutex에 락이 나옵니다"
    jvm_shows = "jstack이나 jvm 프로브로 볼 수 있습니다"
    jvm_names = "jstack PID에 락과 그 락을 쥔 스레드가 나옵니다"
    python_shows = "py-spy dump로 볼 수 있습니다"
    python_names = "py-spy dump --pid PID에 누가 어디서 기다리는지 나옵니다"
    stacks_show = "각 스레드의 스택(gdb -p)으로 볼 수 있습니다"
    stacks_name = "스레드 스택에 락이 나옵니다"

    def stood_idle(self, waiting: str) -> str:
        return f"코어도 쓰지 않고 다른 프로그램도 기다리지 않으면서 요청 {waiting}개가 안에 멈춰 있었습니다"

    def deadlock_unseen(self, how: str) -> str:
        return f"어느 락, 큐, 풀인지는 관찰되지 않았습니다: {how}"

    def wait_for_each_other(self, waiting: str, duration: str) -> str:
        return f"마지막 {duration} 동안 요청 {waiting}개가 서로를, 또는 결코 반환되지 않는 것을 기다립니다"

    def in_flight(self, number: str) -> str:
        return f"처리 중인 요청 {number}개"

    def at_cores(self, shown: str, rate: str, cores: str) -> str:
        return f"{shown}, 처리량 {rate}/s, 사용 중인 코어 {cores}개"

    def at_unknown_cores(self, shown: str, rate: str) -> str:
        return f"{shown}, 처리량 {rate}/s, 사용 중인 코어 수는 알 수 없음"

    def mend(self, way: str) -> str:
        return f"락을 찾아({way}) 더 짧게 잡거나 나누십시오"

    def waits_share(self, share: str) -> str:
        return f"요청은 소요 시간의 {with_particle(share, '를')} 락을 기다리는 데 씁니다"

    def waits_unseen(self, how: str) -> str:
        return f"스레드들이 무엇을 기다리는지는 관찰되지 않았습니다: {how}"
