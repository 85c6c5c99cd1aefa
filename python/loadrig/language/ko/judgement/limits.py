from loadrig.language.en.judgement.limits import JudgementLimitsHoldersTexts
from loadrig.language.particles import with_particle


class KoreanJudgementLimitsHoldersTexts(JudgementLimitsHoldersTexts):
    by_share_missing_index = "인덱스 없이 행을 읽는 것"
    by_share_n_plus_one = "한 요청의 쿼리들"
    by_share_connection_churn = "커넥션을 여는 것"
    by_share_pool_too_large = "롤백되어 다시 시작되는 트랜잭션들"
    programs_none_server = "서버와 무관한 프로그램들"
    other_virtual_machines = "다른 가상 머신 (steal)"
    mend = "다른 호스트, 또는 전용 코어를 가진 인스턴스; 이 실행에 표시를 남기십시오"
    what_asked_because = "키가 캐시에 없어서 물은 것"
    clients_send_request = "요청을 느리게 보내거나 요청 없이 커넥션을 잡고 있는 클라이언트"
    let_something_wait = "클라이언트를 기다리는 동안 worker를 잡지 않는 것에 맡기십시오: 요청 전체를 받아 두는 프록시, 스레드, 이벤트 루프; 클라이언트 타임아웃 단축"
    accepting_connection_each = "요청마다 커넥션을 받아들이는 것"
    reading_pages_back = "밀려난 페이지를 다시 읽고 그 자리를 마련하는 것"
    collecting_garbage = "가비지 컬렉션"
    starting_up = "시작하는 것"
    starting_up_anew = "새로 시작하는 것"
    threads_ran_when = "요청이 없을 때도 계속 돈 스레드"
    waking_in_vain = "요청이 없는데 깨어난 worker"
    refilling_caches = "worker가 바뀔 때마다 캐시를 다시 채우는 것"
    switching_between_threads = "스레드 사이의 전환"
    what_they_cost = "서로에게 주는 비용은 더 적은 수로 실행한 것과 나란히 놓아야 보입니다"

    def no_cpu_time(self, unseen: str) -> str:
        return f"CPU 시간을 읽지 못한 {with_particle(unseen, '이')} 그 주인공일 수 있습니다 (root로 실행하십시오)"

    def waiting_for(self, name: str) -> str:
        return f"{with_particle(name, '을')} 기다리는 것"

    def let_do_background(self, name: str) -> str:
        return f"{with_particle(name, '이')} 백그라운드 작업을 별도의 프로세스나 다른 코어에서, 또는 더 드물게 하게 하십시오"
