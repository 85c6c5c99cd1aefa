from loadrig.language.en.judgement.judgement import (
    JudgementCardsTexts,
    JudgementDiagnoseTexts,
    JudgementGainsTexts,
    JudgementOwnWordsTexts,
    JudgementRankTexts,
    JudgementWeighTexts,
    JudgementWordsTexts,
)
from loadrig.language.particles import with_particle


class KoreanJudgementCardsTexts(JudgementCardsTexts):
    loop_thread = "루프는 스레드 하나입니다"
    bytes_clients = "클라이언트로 가는 바이트"

    def shorter_test_cannot(self, text: str) -> str:
        return f"{text}: 더 짧은 시험은 실패할 수 없습니다"

    def ports_from(self, name: str) -> str:
        return f"{name}의 포트"

    def more_requests_than(self, mean: str) -> str:
        return f"이보다 많은 요청에는 응답할 수 없습니다. 쿼터의 {with_particle(mean, '를')} 썼습니다"

    def threads_once_use(self, at_once: str, busy_s: str, idle_s: str, period_s: str) -> str:
        return f"; 스레드 {at_once}개가 동시에 돌면 {busy_s} 만에 다 쓰고 {period_s}마다 {idle_s} 멈춥니다"

    def happened_periods(self, grew: str) -> str:
        return f"; 주기의 {grew}에서 그랬습니다"

    def cpu_quota(self, name: str) -> str:
        return f"{name}의 CPU 쿼터"

    def s_x_use(self, wanted_rps: str, held_s: str, offered: str, m: str, needed: str) -> str:
        return (
            f"{wanted_rps}/s x {held_s} = {m}개 중 {offered}개 사용; 필요 {offered} + 2 √{offered} = {needed}"
        )

    def all_use_they(self, m: str, held_s: str, rate: str) -> str:
        return f"{m}개가 모두 사용 중입니다: {m} / {held_s} = {rate}/s를 감당합니다"

    def and_wait_for(self, mean: str) -> str:
        return f", 그리고 {mean}건이 하나를 기다립니다"

    def requests_should_have(self, wait: str, queue_s: str) -> str:
        return f"요청의 {with_particle(wait, '가')} 기다리게 됩니다 (Erlang C), 전체 평균 {queue_s}"

    def subject_of(self, subject: str) -> str:
        return f" ({subject})"

    def in_text(self, what: str, word: str, name: str) -> str:
        return f"{name}의 {what}{word}"

    def pauses_second(self, mean: str) -> str:
        return f"매초 멈춤 {mean}"

    def processes(self, number: str, share: str) -> str:
        return f" / 프로세스 {number}개 = {share}"

    def beside_program(self, along: str, share: str) -> str:
        return f", + 프로그램 옆에서 {along} = {share}"

    def cpu_time(self, median: str, share: str) -> str:
        return f", + CPU 시간의 {median} = {share}"

    def collections_can_cost(self, share: str) -> str:
        return f"GC는 처리량의 많아야 {share}, 느린 응답은 멈춤 한 번만큼 잃게 합니다"

    def garbage_collection(self, name: str) -> str:
        return f"{name}의 가비지 컬렉션"

    def lock_held_looks(self, held: str, looks: str) -> str:
        return f"{looks}번 관찰 중 {held}번 락이 잡혀 있었습니다"

    def serial_x_request(self, part: str, demand_s: str) -> str:
        return f"요청당 직렬 구간 {part} x {demand_s}"

    def more_threads_make(self, how: str, cores: str, gain: str, processes: str) -> str:
        return f"{how}; 코어 {cores}에서 스레드를 늘려도 프로세스 하나는 많아야 {gain}배 빨라집니다 (Amdahl), 프로세스 {processes}개면 {processes}배까지"

    def process(self, name: str) -> str:
        return f"{name}의 프로세스 하나"

    def request_x_s(self, size: str, ended_rps: str, bytes_per_s: str) -> str:
        return f"요청당 {size} x {ended_rps}/s = {bytes_per_s}/s"

    def loopback_has_no(self, byte_ns: str) -> str:
        return f"루프백에는 회선이 없습니다. 서버는 바이트당 많아야 CPU 시간 {byte_ns} ns를 씁니다"

    def bytes_per_s_of(self, bytes_per_s: str, subject: str) -> str:
        return f"{subject}의 {bytes_per_s}"

    def carries_s_full(self, used: str, most: str, requests: str) -> str:
        return f"{used}, {most}/s까지 나를 수 있습니다: {requests}건/s에서 가득 찹니다"


class KoreanJudgementDiagnoseTexts(JudgementDiagnoseTexts):
    mostly_of_before = "그 사용량은 대부분 서버가 멈춰 서기 전에 측정되었습니다"
    profile_high_load = (
        "높은 부하에서의 프로파일(--profile)은 시간이 어디에 쓰이는지, 로그는 오류를 알려 줍니다"
    )
    nothing_seen_server = "서버를 전혀 보지 못했습니다"
    likely = "유력: "
    possibly = "가능: "
    nothing_full = "관찰한 것 중 가득 찬 것이 없습니다: 요청의 시간과 사용자 수가 한계입니다."

    def fails_with_room(self, harm: str) -> str:
        return f"관찰한 것 중 가득 찬 것이 없는데도 {harm}: 이유는 응답과 서버의 로그에 있습니다."

    def is_less_sure(self, verdict: str, why: str) -> str:
        return f"덜 확실합니다({verdict}): {why}"

    def is_too(self, verdict: str, effect: str) -> str:
        return f"이것도 판정은 '{verdict}'이지만 설명하는 몫이 더 작습니다: {effect}"

    def would_give_answer(self, mend: str) -> str:
        return f" 답을 얻으려면: {mend}."

    def nothing_can_server(self, text: str, mend: str) -> str:
        return f"서버에 대해 아무 말도 할 수 없습니다: {text}.{mend}"

    def we_cannot_tell(self, harm: str, would: str) -> str:
        return f"무엇이 한계인지 알 수 없습니다: {harm}. 아는 원인의 징후가 보이지 않습니다. 이것이 알려 줍니다: {would}."


class KoreanJudgementGainsTexts(JudgementGainsTexts):
    def the_cpu(self, row: str) -> str:
        return f"{row}의 CPU"

    def much_who_queue(self, times: str, slots: str, more: str, where: str, gain: str) -> str:
        return f"{with_particle(times, '으로')} 하면, {with_particle(where, '을')} 기다리던 {slots}에서 {with_particle(more, '으로')}: 처리량 {gain} (평균값 분석)"

    def as_much(self, times: str) -> str:
        return f"이 자원의 용량이 {times}라면"

    def many_answers(self, text: str, times: str) -> str:
        return f"{text} 처리량 {times}"

    def nobody_waits_any(self, text: str, times: str, bound: str) -> str:
        return f"{text}, {with_particle(times, '이')} 되면 어떤 요청도 기다리지 않습니다 (1 / (1 - {bound}))"

    def without_many_answers(self, share: str, times: str) -> str:
        return f"이 일이 없다면: 1 / (1 - {share}) = 처리량 {times}"

    def much_leaves_takes(self, times: str, rest: str, share: str, gain: str) -> str:
        return f"{with_particle(times, '으로')} 하면 차지하던 {share} 중 {with_particle(rest, '가')} 남습니다: (1 - {rest}) / (1 - {share}) = 처리량 {gain}"

    def full_s(self, resource: str, component: str, rate: str) -> str:
        return f"{component}의 {with_particle(resource, '이')} {rate}/s에서 가득 찹니다"

    def no_more_than(self, offered_rps: str, times: str) -> str:
        return f"{offered_rps}/s보다 많이 요청되지 않습니다: {times}"


class KoreanJudgementOwnWordsTexts(JudgementOwnWordsTexts):
    def so_times(self, text: str, speaker: str, count: str) -> str:
        return f"{text}: {with_particle(speaker, '이')} {count}회 보고했습니다"


class KoreanJudgementRankTexts(JudgementRankTexts):
    def cpu_time_not(self, component: str) -> str:
        return (
            f"CPU 시간을 보지 못했습니다: {with_particle(component, '이')} 도는 곳에서 loadrig를 실행하십시오"
        )

    def own_words_failed(self, name: str, error: str) -> str:
        return f"서버 자신의 말을 읽지 못했습니다 ({name}: {error}); 실행 폴더를 보내 주십시오"

    def full_at_times(self, name_of: str) -> str:
        return f"{with_particle(name_of, '은')} 평균적으로는 여유가 있었으므로, 순간적으로만 가득 찼을 수 있습니다"


class KoreanJudgementWeighTexts(JudgementWeighTexts):
    no_goal = "요청이 얼마나 빨라야 하는지 말하는 목표가 없습니다"
    nothing_wrong_could = "이것이 설명할 만한 이상이 없습니다"
    no_harm = "피해를 찾지 못했습니다"

    def looking_failed_please(self, name: str, error: str) -> str:
        return f"찾다가 실패했습니다 ({name}: {error}); 실행 폴더를 보내 주십시오"

    def cause(self, cause: str) -> str:
        return f"원인 {cause}"

    def can_explain_most(self, bound: str, bound_text: str) -> str:
        return f"많아야 {with_particle(bound, '를')} 설명합니다: {bound_text}"

    def only_measured_s(self, measured_s: str, sure_s: str) -> str:
        return f"{measured_s}만 측정되었습니다: 확신하려면 {sure_s} s가 필요합니다"


class KoreanJudgementWordsTexts(JudgementWordsTexts):
    def core_may_use(self, owner: str) -> str:
        return f"{with_particle(owner, '이')} 쓸 수 있는 코어"

    def may_use(self, number: str, owner: str) -> str:
        return f"{with_particle(owner, '이')} 쓸 수 있는 {number}"

    def the_quota(self, number: str, owner: str) -> str:
        return f"{owner}의 쿼터 {number}"

    def interpreter_lock(self, owner: str) -> str:
        return f"{owner}의 인터프리터 락"

    def thread_does_work(self, owner: str) -> str:
        return f"{owner}의 일을 하는 단 하나의 스레드"

    def what_gives_request(self, owner: str) -> str:
        return f"{owner}의 락, 또는 한 번에 요청 하나만 처리하는 부분"

    def turn_at_disk(self, owner: str) -> str:
        return f"{owner}에서 한 번에 요청 하나만 데이터를 영구 기록하는 부분"

    def queue_who_connect(self, owner: str) -> str:
        return f"{owner}의 accept 큐"

    def worker_or_thread(self, owner: str) -> str:
        return f"{owner}의 단 하나뿐인 worker나 스레드"

    def workers_or_threads(self, number: str, owner: str) -> str:
        return f"{owner}의 worker나 스레드 {number}개"

    def few_connections_from(self, owner: str, name: str) -> str:
        return f"{owner}에서 {with_particle(name, '으로')} 가는 몇 안 되는 커넥션"

    def places_inside_let(self, number: str, owner: str) -> str:
        return f"요청을 통과시키는 {owner} 안의 자리 {number}개"

    def connections_from(self, number: str, owner: str, name: str) -> str:
        return f"{owner}에서 {with_particle(name, '으로')} 가는 커넥션 {number}개"

    def took(self, what: str, share: str, name: str) -> str:
        return f"{with_particle(what, '이')} {name}의 {with_particle(share, '를')} 차지했습니다"

    def requests_waited(self, waiting: str, name: str) -> str:
        return f"요청 {waiting}건이 {with_particle(name, '을')} 기다렸습니다"

    def used(self, name: str, is_one: bool, share: str) -> str:
        return f"{with_particle(name, '이')} {share} 사용되었습니다"

    def full_each_who(self, name_of: str) -> str:
        return f"{with_particle(name_of, '이')} 가득 찼고, 거절된 클라이언트는 1초 뒤에 다시 시도합니다"

    def shorter_turns(self, share: str, gain: str) -> str:
        return f"이 원인이 없을 때의 예측: 차례마다 걸리는 시간이 {share} 줄어 처리할 수 있는 요청 {gain}배"

    def no_longer_waits(self, gain: str) -> str:
        return f"이 원인이 없을 때의 예측: 스레드가 코어를 기다린 시간으로 보아 처리할 수 있는 요청 최대 {gain}배"

    def foretold_without_times(self, gain: str) -> str:
        return f"이 원인이 없을 때의 예측: 요청당 비용이 지금과 같다면 처리할 수 있는 요청 {gain}배 (평균값 분석)"

    def had_room_use(self, name_of: str, share: str) -> str:
        return f"{name_of}에는 여유가 있었습니다: {share} 사용 중"

    def had_room_beside(self, name_of: str, share: str, others: str) -> str:
        return f"{name_of}에는 여유가 있었습니다: {share} 사용 중, 다른 프로그램이 쓴 {others}은(는) 필요할 때 내주었습니다"
