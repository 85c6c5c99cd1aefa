from loadrig.base.error_words import ErrorWords


class KoreanProbesPythonErrors:
    stacks = "스택"
    py_spy_failed = "py-spy가 실패했습니다"
    silent_inside = "서버가 안에서 아무것도 알려 주지 않습니다: 다른 PYTHONPATH가 있거나, -I나 -E로 실행되었거나, trial의 폴더에 쓸 수 없습니다"
    no_py_spy = ErrorWords(what="py-spy가 설치되지 않았습니다", mend="pip install py-spy")
    not_understood = ErrorWords(
        what="py-spy가 프로세스 {pid:을} 읽을 수 없습니다: {why}",
        mend="직접 해 보십시오: py-spy dump --pid {pid}; Python 버전이 너무 새것일 수 있습니다",
    )
    lock_not_watched = "인터프리터 락을 관찰하지 않습니다: {reason}; {mend}"


class KoreanProbesGunicornErrors:
    no_log = "gunicorn의 로그가 읽을 수 있는 파일로 가지 않습니다: worker가 왜 끝나는지 알 수 없습니다; --error-logfile FILE로 시작하십시오"
    not_gunicorn = ErrorWords(
        what="{pid} 아래에 gunicorn을 실행하는 프로세스가 없습니다",
        mend="plan에 gunicorn master의 pid를 쓰십시오",
    )
    log_lost = "gunicorn의 로그를 더는 읽을 수 없습니다: {why}"
