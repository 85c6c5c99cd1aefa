from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


class KoreanCliCheckErrors:
    no_plan = ErrorWords(
        what="plan을 지정하지 않았습니다",
        mend="loadrig check PLAN 또는 loadrig check --schema라고 쓰십시오",
    )


class KoreanCliDiagnoseErrors:
    option_without_proof = ErrorWords(
        what="--budget, --plan, --permit은 증명에 쓰는 것인데 증명을 요청하지 않았습니다",
        mend="--prove를 붙이십시오: loadrig diagnose {run} --prove",
    )
    not_a_time = ErrorWords(what="{reason}", mend="90s나 3m 같은 시간을 쓰십시오")


class KoreanCliDiscoverErrors:
    nothing_to_look_at = ErrorWords(
        what="주소도 프로세스도 지정하지 않았습니다",
        mend="loadrig discover URL 또는 loadrig discover --pid N이라고 쓰십시오",
    )
    no_listener = ErrorWords(
        what="프로세스 {pid:은} 어떤 포트도 열고 있지 않습니다",
        mend="부하를 걸 URL을 쓰십시오: loadrig discover URL --as-plan",
    )


class KoreanCliExplainErrors:
    no_word = ErrorWords(
        what="설명할 낱말을 쓰지 않았습니다",
        mend="loadrig explain WORD 또는 loadrig explain --list라고 쓰십시오",
    )

    def no_page(self, shown: str, near: str) -> ErrorWords:
        return ErrorWords(
            what=f"{shown}에 대한 설명이 없습니다",
            mend=f"혹시 {near}입니까?" if near else "loadrig explain --list를 보십시오",
        )


class KoreanCliExportErrors:
    def unknown_format(self, shown: str, formats: str, close: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(shown, '이라')}는 형식은 없습니다" + (f". 혹시 {close}?" if close else ""),
            mend=f"다음 중 하나를 쓰십시오: {formats}",
        )

    def no_folder(self, folder: str) -> ErrorWords:
        return ErrorWords(what=f"{folder} 폴더가 없습니다", mend="폴더를 만들거나, -o로 다른 파일을 쓰십시오")


class KoreanCliHistoryErrors:
    no_number_of_runs = ErrorWords(
        what="{shown:은} 실행의 수가 아닙니다",
        mend="10처럼 정수를 쓰십시오",
    )


class KoreanCliImportErrors:
    no_value = ErrorWords(
        what="{shown}에는 속성의 값이 없습니다",
        mend="-J users=50처럼 둘 다 적으십시오",
    )
    no_other_name = ErrorWords(
        what="{shown}에 경로와 그 다른 이름이 모두 있지 않습니다",
        mend="--route 'GET /search=search'처럼 둘 다 쓰십시오",
    )


class KoreanCliLabErrors:
    no_lab_named = ErrorWords(
        what="lab을 지정하지 않았습니다",
        mend="loadrig lab {verb} NAME이라고 쓰십시오; 무엇이 있는지는 loadrig lab list가 알려 줍니다",
    )


class KoreanCliInitErrors:
    elsewhere = ErrorWords(
        what="{host:은} 이 머신의 주소가 아닙니다",
        why="트래픽은 plan이 이름을 적은 호스트로만 나갑니다",
        mend="그 호스트가 맞다면 --allow {host}를 붙이십시오",
    )

    def nothing_listens(self, unseen: int) -> ErrorWords:
        return ErrorWords(
            what="이 머신에서 포트를 연 서버가 보이지 않습니다",
            why=f"열린 소켓 {unseen}개의 프로그램은 다른 사용자의 것입니다" if unseen else "",
            mend="서버를 시작하거나 URL을 쓰십시오: loadrig init http://127.0.0.1:8000/",
        )

    several = ErrorWords(
        what="이 머신에서 여러 서버가 포트를 열고 있고, 어느 것인지 물어볼 사람이 없습니다",
        why="{servers}",
        mend="하나를 고르십시오: loadrig init {example}",
    )
    in_the_way = ErrorWords(
        what="{path:이} 이미 있습니다",
        why="init은 아무것도 덮어쓰지 않습니다",
        mend="-o로 다른 파일을 적거나, 그 파일을 옮기십시오",
    )
    not_written = ErrorWords(what="{path:을} 쓸 수 없습니다: {reason}", mend="-o로 다른 파일을 적으십시오")


class KoreanCliManErrors:
    def no_command(self, shown: str, nearest: str) -> ErrorWords:
        return ErrorWords(
            what=f"{shown}라는 명령은 없습니다",
            mend=f"`loadrig man {nearest}`을 뜻했습니까?" if nearest else "loadrig --help를 보십시오",
        )

    not_written = ErrorWords(
        what="{folder}에 설명서를 쓸 수 없습니다: {reason}", mend="-o로 다른 폴더를 적으십시오"
    )


class KoreanCliPublishErrors:
    no_receiver = ErrorWords(
        what="{shown:은} 형식과 그 위치가 아닙니다",
        mend="statsd=127.0.0.1:8125처럼 FORMAT=PLACE라고 쓰십시오. 형식: {formats}",
    )
    not_begun = ErrorWords(
        what="{shown:을} 시작할 수 없습니다: {why}",
        mend="다른 위치를 쓰거나 이 위치를 비우십시오",
    )


class KoreanCliRunsErrors:
    no_folder = ErrorWords(
        what="폴더 {folder:이} 없습니다",
        mend="폴더를 지정하십시오: loadrig runs --in FOLDER",
        why="실행은 명령을 입력하는 폴더 아래의 runs/에 보관됩니다",
    )
    no_number_of_runs = ErrorWords(
        what="{shown:은} 실행의 수가 아닙니다",
        mend="100처럼 정수를 쓰십시오",
    )


class KoreanCliSteerErrors:
    order_not_written = ErrorWords(
        what="{path}에 쓸 수 없었습니다: {reason}",
        mend="실행을 시작한 사용자로 조작하십시오",
        why="명령은 실행 폴더의 파일 하나이며, 그 소유자만 쓸 수 있습니다",
    )
    needless_value = ErrorWords(
        what="{order:은} 값을 받지 않는데 {shown:이} 주어졌습니다",
        mend="loadrig steer {order}",
    )
    no_text = ErrorWords(
        what="mark에는 내용이 필요합니다",
        mend='{most}자까지 쓰십시오: loadrig steer mark "deployed"',
    )
    no_number = ErrorWords(
        what="level에는 수가 필요한데 {shown:이} 주어졌습니다",
        mend="loadrig steer level 200",
    )


class KoreanCliUiErrors:
    no_folder = ErrorWords(
        what="폴더 {folder:이} 없습니다",
        mend="먼저 실행을 만드십시오: loadrig attack URL --ui; 또는 폴더를 지정하십시오: loadrig ui FOLDER",
        why="실행은 명령을 입력하는 폴더 아래의 runs/에 보관됩니다",
    )
    no_tls = ErrorWords(
        what="{host:을} TLS 없이 열게 됩니다",
        mend="인증서를 지정하십시오: --tls-cert FILE --tls-key FILE; 또는 --plain-http를 쓰십시오",
        why="중간에서 엿보는 사람이 토큰을 얻어 실행을 조작하고 삭제할 수 있습니다",
    )
    no_port = ErrorWords(
        what="{shown:은} 포트가 아닙니다",
        mend="8600처럼 65535까지의 정수를 쓰십시오",
    )


class KoreanCliVerifyErrors:
    no_file_of_a_run = "실행이나 trial에 있어야 할 파일이 하나도 없습니다"
    not_a_run = ErrorWords(
        what="{folder:은} 실행 폴더가 아닙니다",
        mend="runs/2025-01-31-120000-shop처럼 loadrig가 쓴 폴더를 지정하십시오",
        why="{why}",
    )
