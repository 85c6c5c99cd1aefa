"""Sentences of `lock_contention` in Korean."""

from loadrig.language.en.causes.lock_contention import LockContentionTexts
from loadrig.language.particles import with_particle


class KoreanLockContentionTexts(LockContentionTexts):
    """Sentences of `causes.lock_contention`, in Korean."""

    title = "스레드들이 애플리케이션의 락을 기다립니다"
    no_proof = "락은 프로그램 안에 있습니다. 사본에서 더 짧게 잡거나 나누고, 둘을 번갈아 실행하십시오"
    runtime_setmutexprofilefraction_then = (
        "runtime.SetMutexProfileFraction(5) 뒤 /debug/pprof/mutex가 이름을 알려 줍니다"
    )
    jstack_or_probe = "jstack, 또는 jvm 프로브,"
    jstack_pid_names = "jstack PID가 락과 잡은 쪽의 이름을 알려 줍니다"
    py_spy_dump = "py-spy dump"
    py_spy_dump_pid = "py-spy dump --pid PID가 누가 어디서 기다리는지 알려 줍니다"
    stack_each_thread = "각 스레드의 스택 (gdb -p)"
    stacks_threads_name = "스레드의 스택이 이름을 알려 줍니다"
    lock_queue_or = "어떤 락, 큐, 풀인지는 보지 못했습니다: "
    mend = "스레드가 어디에 서 있는지 보십시오. 락을 한 순서로 잡고, 잡은 것은 돌려주십시오"
    decides = "멈춰 있는 동안의 스레드 스택"
    unknown_number = "알 수 없는 수의"
    more_threads_throughput = (
        "스레드를 늘리면 이것이 원인일 때 처리량이 그대로이고, 사본에서 락을 나누면 오릅니다"
    )
    throughput_time_request = "처리량 × 혼자일 때의 요청 시간 = 1"
    threads_wait_interpreter = "스레드들이 인터프리터 락을 기다립니다"
    threads_wait_no = "스레드들이 다른 프로그램을 기다리지 않고, 한 번에 요청 하나만 처리됩니다"

    def requests_stood_while(self, waiting: str) -> str:
        return f"코어도 쓰지 않고 다른 프로그램도 기다리지 않는데 요청 {waiting}건이 안에 서 있었습니다"

    def effect(self, waiting: str, seconds: str) -> str:
        return f"마지막 {seconds} 동안 요청 {waiting}건이 서로를, 또는 돌려받지 못하는 것을 기다립니다"

    def requests_flight(self, in_flight: str) -> str:
        return f"처리 중인 요청 {in_flight}건"

    def s_cores_use(self, shown: str, ok_rps: str, cores: str) -> str:
        return f"{shown}, 사용 중인 코어 {cores}개에서 {ok_rps}/s"

    def find_lock_hold(self, runtime: str) -> str:
        return f"락을 찾아 ({runtime}) 더 짧게 잡거나 나누십시오"

    def request_waits_time(self, share: str) -> str:
        return f"요청이 그 시간의 {share} 동안 기다립니다"

    def requests_flight_2(self, text: str, in_flight: str) -> str:
        return f"처리 중인 요청 {in_flight}건 중 {text}"

    def what_threads_wait(self, how: str) -> str:
        return f"스레드가 무엇을 기다리는지 보지 못했습니다: {how}"

    def shows(self, runtime: str) -> str:
        return f"{with_particle(runtime, '이')} 보여 줍니다"

    def goroutines_waited_s(self, mean: str) -> str:
        return f"goroutine들이 매초 {mean} s 동안 락을 기다렸습니다"

    def works_request_once(self, at_once: str, fastest_s: str, ok_rps: str) -> str:
        return f"한 번에 요청 {at_once}건을 처리합니다: 혼자일 때 {fastest_s}, {ok_rps}/s"

    def throughput_time_request_alone(self, at_once: str) -> str:
        return f"처리량 × 혼자일 때의 요청 시간 = {at_once}"

    def threads_gave_up(self, switches: str) -> str:
        return f"스레드들이 요청당 {switches}회 코어를 내놓았습니다"
