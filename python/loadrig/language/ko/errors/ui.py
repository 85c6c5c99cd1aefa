from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


class KoreanUiGuardErrors:
    other_address = "이 주소는 loadrig ui가 출력한 주소가 아닙니다."
    not_from_the_page = "페이지 자신만 이것을 요청할 수 있습니다."
    no_token = "토큰이 없거나 틀렸습니다: loadrig ui가 출력한 주소를 여십시오."


class KoreanUiHomeErrors:
    too_long = "너무 깁니다."
    cut_short = "본문이 오기 전에 요청이 끝났습니다."
    no_run = "{folder} 아래에 실행 {run_id:이} 없습니다."
    not_readable = "읽을 수 없습니다: {reason}"


class KoreanUiPagesErrors:
    no_page = "그런 페이지가 없습니다."


class KoreanUiPlanFilesErrors:
    def not_readable(self, path: str, reason: str) -> str:
        return f"{with_particle(path, '을')} 읽을 수 없습니다: {reason or '텍스트가 아닙니다'}."

    changed = "{path}의 내용이 이 페이지가 읽었을 때와 다릅니다: 다시 열거나 다른 이름으로 저장하십시오."
    not_writable = "{path}에 쓸 수 없습니다: {reason}."
    not_below = "{shown:은} {folder} 아래에 있지 않습니다."
    no_plan_name = "{shown:은} plan의 이름이 아닙니다: plan.yaml 같은 이름을 쓰십시오."
    no_folder = "폴더 {folder:이} 없습니다."


class KoreanUiReportsErrors:
    not_made = "보고서를 만들 수 없습니다."
    not_two_runs = "비교하려면 실행 두 개가 필요합니다."
    run_gone = "두 실행 중 하나가 없어졌습니다."
    made_late = "보고서를 {seconds}초 안에 만들지 못했습니다. 장비가 바쁠 수 있으니 다시 요청하세요."
    not_readable = "보고서를 읽을 수 없습니다: {reason}."


class KoreanUiRunsErrors:
    goes_on = "실행이 아직 돌고 있습니다: 먼저 끝내십시오."
    labels_not_written = "라벨을 쓸 수 없었습니다: {reason}."
    not_removed = "실행을 삭제할 수 없었습니다: {reason}."


class KoreanUiServeErrors:
    no_certificate = ErrorWords(
        what="인증서 {certificate} 또는 그 키 {key:을} 쓸 수 없습니다",
        mend="PEM 형식의 인증서와 그 키를 지정하십시오: --tls-cert FILE --tls-key FILE",
        why="{reason}",
    )
    cannot_listen = ErrorWords(
        what="{address:을} 열 수 없습니다: {reason}",
        mend="--port를 빼면 비어 있는 포트를 씁니다",
        why="포트가 이미 쓰이고 있거나 이 머신의 주소가 아닙니다",
    )


class KoreanUiStartErrors:
    starts_nothing = (
        "이 서버는 실행을 시작하지 않습니다: 실행 하나만 보여 주거나, 다른 머신에서 닿을 수 있는 서버입니다."
    )


class KoreanUiStarterErrors:
    not_begun = "명령을 시작할 수 없습니다: {reason}."


class KoreanUiStartingErrors:
    no_starter = "실행을 시작하는 프로세스가 끝났습니다: loadrig ui를 다시 시작하십시오."
    ended = "명령이 상태 {status:으로} 끝났습니다."
    not_begun = "{seconds} s 안에 실행이 시작되지 않았습니다."


class KoreanUiSteerErrors:
    over = "실행이 끝났습니다."
    not_written = "명령을 쓸 수 없었습니다: {reason}."
