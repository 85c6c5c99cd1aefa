from loadrig.base.error_words import ErrorWords
from loadrig.language.en.errors.target_python import (
    TargetGunicornErrors,
    TargetPythonErrors,
    TargetUvicornErrors,
)
from loadrig.language.particles import with_particle


class KoreanTargetPythonErrors(TargetPythonErrors):
    _looked_for = "module:variable로 가리키며, 모듈은 서버의 폴더에서 찾습니다"
    _correct_app = (
        "`app`을 고치거나, `chdir`를 모듈이 있는 폴더로 정하십시오 (plan이 있는 폴더를 기준으로 합니다)"
    )
    _leave_out = "설정 항목을 빼거나 다른 버전을 설치하십시오"

    def interpreter_not_run(self, program: str, python: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{python}에서 {with_particle(program, '을')} 찾을 수 없습니다",
            why=reason,
            mend=f"{with_particle(program, '이')} 있는 다른 `python`을 지정하십시오",
        )

    def program_not_installed(self, program: str, python: str) -> ErrorWords:
        return ErrorWords(
            what=f"{python}에서 {with_particle(program, '을')} 찾을 수 없습니다",
            why=f"{with_particle(python, '이')} 그것을 import할 수 없습니다",
            mend=f"거기에 설치하십시오: {python} -m pip install {program}; 또는 다른 `python`을 지정하십시오",
        )

    def no_module_for_app(self, name: str, module: str, app: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(name, '이')} 앱 {app!r}의 모듈 {with_particle(repr(module), '을')} 찾지 못합니다",
            why=self._looked_for,
            mend=self._correct_app,
        )

    def no_module(self, name: str, module: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(name, '이')} 모듈 {with_particle(repr(module), '을')} 찾지 못합니다",
            why=self._looked_for,
            mend=self._correct_app,
        )

    def no_variable(self, name: str, variable: str, module: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(name, '이')} 모듈 {module!r}에서 {with_particle(repr(variable), '을')} 찾지 못합니다",
            why=self._looked_for,
            mend=self._correct_app,
        )

    def unknown_option(self, name: str, option: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(name, '이')} {with_particle(option, '을')} 알지 못합니다",
            why="설치된 버전에는 그런 옵션이 없습니다",
            mend=self._leave_out,
        )

    def value_not_taken(self, name: str, value: str, option: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(name, '이')} {option}에 {with_particle(value, '을')} 받지 않습니다",
            mend="다른 값을 쓰십시오",
        )


class KoreanTargetGunicornErrors(TargetGunicornErrors):
    _library = "gunicorn 옆에 설치하거나, 그 클래스를 study에서 빼십시오"

    def no_place_to_bind(self, bind: str) -> ErrorWords:
        return ErrorWords(
            what=f"gunicorn을 {bind!r}에 bind할 수 없습니다",
            mend="127.0.0.1:8000 같은 host:port, 또는 unix:PATH로 쓰십시오. 포트 0은 빈 포트입니다",
        )

    def socket_path_too_long(self, path: str, most: int, size: int) -> ErrorWords:
        return ErrorWords(
            what=f"소켓의 경로가 너무 깁니다: {path!r}",
            why=f"시스템은 {most}바이트까지 허용하는데 이것은 {size}바이트입니다",
            mend="unix:/run/shop.sock처럼 더 짧은 절대 경로를 쓰십시오",
        )

    def unknown_setting(self, version: str, name: str) -> ErrorWords:
        return ErrorWords(
            what=f"gunicorn {version}에는 설정 {with_particle(repr(name), '이')} 없습니다",
            why="다른 버전에 있는 설정입니다",
            mend="설정 항목을 빼거나 다른 버전의 gunicorn을 설치하십시오",
        )

    def workers_need_library(self, version: str, worker_class: str, library: str) -> ErrorWords:
        return ErrorWords(
            what=f"gunicorn {with_particle(version, '은')} {worker_class} worker를 돌릴 수 없습니다: {with_particle(library, '이')} 필요합니다",
            mend=self._library,
        )

    def no_library_for_workers(self, version: str, worker_class: str) -> ErrorWords:
        return ErrorWords(
            what=f"gunicorn {version}에는 {worker_class} worker에 필요한 라이브러리가 없습니다",
            mend=self._library,
        )

    def no_such_workers(self, version: str, worker_class: str) -> ErrorWords:
        return ErrorWords(
            what=f"gunicorn {version}에는 {worker_class} worker가 없습니다",
            why="다른 버전에는 있습니다",
            mend="그 클래스를 study에서 빼거나 다른 버전의 gunicorn을 설치하십시오",
        )


class KoreanTargetUvicornErrors(TargetUvicornErrors):
    def library_not_installed(self, version: str, library: str) -> ErrorWords:
        return ErrorWords(
            what=f"uvicorn {with_particle(version, '은')} {with_particle(library, '을')} 쓸 수 없습니다: 설치되어 있지 않습니다",
            mend="uvicorn 옆에 설치하거나, 그 값을 study에서 빼십시오",
        )

    def value_refused(self, version: str, option: str) -> ErrorWords:
        return ErrorWords(
            what=f"uvicorn {with_particle(version, '은')} {option}에 그 값을 받지 않습니다",
            mend="다른 값을 쓰십시오",
        )
