from loadrig.language.en.terminal import TerminalTexts


class KoreanTerminalTexts(TerminalTexts):
    starting = "서버를 시작하는 중"
    reaching = "이미 실행 중인 서버를 살펴보는 중"
    warm_up = "워밍업"
    measuring = "측정하는 중"
    draining = "마지막 응답을 기다리는 중"
    stopping = "서버를 멈추는 중"
    leaving = "계속 실행되는 서버의 마지막 수치를 읽는 중"
    waiting_for_run = "실행을 기다리는 중"
    between_trials = "다음 trial을 기다리는 중"
    over = "끝남"
    folder_gone = "실행 폴더가 없어졌습니다"
    now = "지금"
    answered = "응답"
    failed = "실패"
    in_flight = "처리 중"
    generator = "부하 발생기"
    latency = "지연 시간"
    a_request = "요청 하나"
    outcomes = "결과"
    note = "참고"
    setting = "설정"
    trials = "trial"
    rates_title = "예정, 응답, 실패"
    trial_void = "무효"
    trial_failed = "실패"
    valid = "유효"
    disturbed = "교란됨"
    void = "무효"
    run_over = "실행이 끝났습니다"
    nothing_to_prove = "증명할 것이 없습니다: 지목된 원인이 없습니다"

    def of_at_most(self, longest: str) -> str:
        return f" / 최대 {longest}"

    def at_most(self, longest: str) -> str:
        return f", 최대 {longest}"

    def phase_progress(self, phase: str, elapsed: str, longest: str) -> str:
        return f"{phase}  최대 {longest} 중 {elapsed} s"

    def trial_of(self, number: str, total: str) -> str:
        return f"trial {number}/{total}"

    def time_left(self, time: str) -> str:
        return f"약 {time} 남음"

    def trial_of_with_time_left(self, number: str, total: str, time: str) -> str:
        return f"trial {number}/{total}, 약 {time} 남음"

    def rate_of_due(self, answered: str, due: str) -> str:
        return f"{answered}/s (예정 {due})"

    def up_to(self, top: str) -> str:
        return f"최대 {top}"

    def cores(self, number: str) -> str:
        return f"코어 {number}개"

    def share_of(self, share: str, total: str) -> str:
        return f" {total}개의 {share}"

    def noted(self, note: str) -> str:
        return f"참고: {note}"

    def trial_over(self, number: str, setting: str, rate: str, verdict: str) -> str:
        return f"trial {number}  {setting}  {rate}  {verdict}"

    def failed_rate(self, rate: str) -> str:
        return f"  실패 {rate}/s"

    def second(self, at: str, answered: str, due: str, failed: str, times: str, in_flight: str) -> str:
        return f"{at}  응답 {answered}/s (예정 {due}){failed}  {times}  처리 중 {in_flight}"

    def users(self, number: str) -> str:
        return f"   사용자 {number}명"

    def lag(self, time: str) -> str:
        return f", {time} 늦음 (p99)"

    def share_of_a_core(self, share: str, lag: str) -> str:
        return f"한 코어의 {share}{lag}"

    def more_above(self, number: str) -> str:
        return f"위에 {number}개 더"

    def done_before(self, number: str) -> str:
        return f", {number}개는 이미 끝남"

    def study_begins(self, total: str, before: str, time: str) -> str:
        return f"  trial {total}개{before}, 약 {time}"

    def trial_done(self, count: str, total: str, setting: str, outcome: str, left: str) -> str:
        return f"  {count}/{total}  {setting}: {outcome}  ({left} 남음)"

    def not_told_in_time(self, seconds: str, run: str) -> str:
        return f"--out: 실행이 끝나고 {seconds}초 안에 수신처에 모두 전하지 못했습니다. 측정한 것은 온전합니다: loadrig export {run} --to FORMAT"

    def watch_it(self, address: str) -> str:
        return f"지켜보기: {address}"

    def proving(self, plan: str, longest: str) -> str:
        return f"무엇이 {plan}의 한계인지 증명하는 중, 최대 {longest}"

    def not_answered(self, seconds: str) -> str:
        return f"{seconds} s 안에 대답이 없습니다: 부하가 끝났거나 아직 시작되지 않았을 수 있습니다"

    def refused(self, why: str) -> str:
        return f"거절됨: {why}"

    run_begun = "시작"
    run_name = "실행"
    run_answer = "결과"

    def runs_listed(self, listed: str, total: str, folder: str) -> str:
        return f"{folder} 아래 실행 {total}개 중 {listed}개"
