from loadrig.base.error_words import ErrorWords


class KoreanTargetPythonErrors:
    _looked_for = "module:variable로 가리키며, 모듈은 서버의 폴더에서 찾습니다"
    _correct_app = (
        "`app`을 고치거나, `chdir`를 모듈이 있는 폴더로 정하십시오 (plan이 있는 폴더를 기준으로 합니다)"
    )
    _leave_out = "설정 항목을 빼거나 다른 버전을 설치하십시오"
    interpreter_not_run = ErrorWords(
        what="{python}에서 {program:을} 찾을 수 없습니다",
        why="{reason}",
        mend="{program:이} 있는 다른 `python`을 지정하십시오",
    )
    program_not_installed = ErrorWords(
        what="{python}에서 {program:을} 찾을 수 없습니다",
        why="{python:이} 그것을 import할 수 없습니다",
        mend="거기에 설치하십시오: {python} -m pip install {program}; 또는 다른 `python`을 지정하십시오",
    )
    no_module_for_app = ErrorWords(
        what="{name:이} 앱 {app!r}의 모듈 {module!r:을} 찾지 못합니다",
        why=_looked_for,
        mend=_correct_app,
    )
    no_module = ErrorWords(
        what="{name:이} 모듈 {module!r:을} 찾지 못합니다",
        why=_looked_for,
        mend=_correct_app,
    )
    no_variable = ErrorWords(
        what="{name:이} 모듈 {module!r}에서 {variable!r:을} 찾지 못합니다",
        why=_looked_for,
        mend=_correct_app,
    )
    unknown_option = ErrorWords(
        what="{name:이} {option:을} 알지 못합니다",
        why="설치된 버전에는 그런 옵션이 없습니다",
        mend=_leave_out,
    )
    value_not_taken = ErrorWords(
        what="{name:이} {option}에 {value:을} 받지 않습니다",
        mend="다른 값을 쓰십시오",
    )


class KoreanTargetGunicornErrors:
    _library = "gunicorn 옆에 설치하거나, 그 클래스를 study에서 빼십시오"
    no_place_to_bind = ErrorWords(
        what="gunicorn을 {bind!r}에 bind할 수 없습니다",
        mend="127.0.0.1:8000 같은 host:port, 또는 unix:PATH로 쓰십시오. 포트 0은 빈 포트입니다",
    )
    socket_path_too_long = ErrorWords(
        what="소켓의 경로가 너무 깁니다: {path!r}",
        why="시스템은 {most}바이트까지 허용하는데 이것은 {size}바이트입니다",
        mend="unix:/run/shop.sock처럼 더 짧은 절대 경로를 쓰십시오",
    )
    unknown_setting = ErrorWords(
        what="gunicorn {version}에는 설정 {name!r:이} 없습니다",
        why="다른 버전에 있는 설정입니다",
        mend="설정 항목을 빼거나 다른 버전의 gunicorn을 설치하십시오",
    )
    workers_need_library = ErrorWords(
        what="gunicorn {version:은} {worker_class} worker를 돌릴 수 없습니다: {library:이} 필요합니다",
        mend=_library,
    )
    no_library_for_workers = ErrorWords(
        what="gunicorn {version}에는 {worker_class} worker에 필요한 라이브러리가 없습니다",
        mend=_library,
    )
    no_such_workers = ErrorWords(
        what="gunicorn {version}에는 {worker_class} worker가 없습니다",
        why="다른 버전에는 있습니다",
        mend="그 클래스를 study에서 빼거나 다른 버전의 gunicorn을 설치하십시오",
    )


class KoreanTargetUvicornErrors:
    library_not_installed = ErrorWords(
        what="uvicorn {version:은} {library:을} 쓸 수 없습니다: 설치되어 있지 않습니다",
        mend="uvicorn 옆에 설치하거나, 그 값을 study에서 빼십시오",
    )
    value_refused = ErrorWords(
        what="uvicorn {version:은} {option}에 그 값을 받지 않습니다",
        mend="다른 값을 쓰십시오",
    )
