"""Errors of `target` that servers of Python applications have, in English, a class for each of its files."""

from loadrig.base.error_words import ErrorWords


class TargetPythonErrors:
    _looked_for = "it is named module:variable, and the module is looked for in the server's folder"
    _correct_app = "correct `app`, or set `chdir` to the module's folder (it counts from the plan's folder)"
    _leave_out = "leave the knob out, or install another version"

    def interpreter_not_run(self, program: str, python: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{program} is not there for {python}",
            why=reason,
            mend=f"name another `python`, one that has {program}",
        )

    def program_not_installed(self, program: str, python: str) -> ErrorWords:
        return ErrorWords(
            what=f"{program} is not there for {python}",
            why=f"{python} cannot import it",
            mend=f"install it there: {python} -m pip install {program}; or name another `python`",
        )

    def no_module_for_app(self, name: str, module: str, app: str) -> ErrorWords:
        return ErrorWords(
            what=f"{name} finds no module {module!r} for the app {app!r}",
            why=self._looked_for,
            mend=self._correct_app,
        )

    def no_module(self, name: str, module: str) -> ErrorWords:
        return ErrorWords(
            what=f"{name} finds no module {module!r}", why=self._looked_for, mend=self._correct_app
        )

    def no_variable(self, name: str, variable: str, module: str) -> ErrorWords:
        return ErrorWords(
            what=f"{name} finds no {variable!r} in the module {module!r}",
            why=self._looked_for,
            mend=self._correct_app,
        )

    def unknown_option(self, name: str, option: str) -> ErrorWords:
        return ErrorWords(
            what=f"{name} does not know {option}",
            why="the installed version has no such option",
            mend=self._leave_out,
        )

    def value_not_taken(self, name: str, value: str, option: str) -> ErrorWords:
        return ErrorWords(what=f"{name} does not take {value} for {option}", mend="write another value")


class TargetGunicornErrors:
    _library = "install it beside gunicorn, or take that class out of the study"

    def no_place_to_bind(self, bind: str) -> ErrorWords:
        return ErrorWords(
            what=f"gunicorn cannot be bound to {bind!r}",
            mend="write host:port such as 127.0.0.1:8000, or unix:PATH; port 0 is a free one",
        )

    def socket_path_too_long(self, path: str, most: int, size: int) -> ErrorWords:
        return ErrorWords(
            what=f"the path of the socket is too long: {path!r}",
            why=f"the system allows {most} bytes, this one has {size}",
            mend="write a shorter absolute path, such as unix:/run/shop.sock",
        )

    def unknown_setting(self, version: str, name: str) -> ErrorWords:
        return ErrorWords(
            what=f"gunicorn {version} has no setting {name!r}",
            why="it came with another version",
            mend="leave the knob out, or install another version of gunicorn",
        )

    def workers_need_library(self, version: str, worker_class: str, library: str) -> ErrorWords:
        return ErrorWords(
            what=f"gunicorn {version} cannot run {worker_class} workers: it needs {library}",
            mend=self._library,
        )

    def no_library_for_workers(self, version: str, worker_class: str) -> ErrorWords:
        return ErrorWords(
            what=f"gunicorn {version} has no library for {worker_class} workers", mend=self._library
        )

    def no_such_workers(self, version: str, worker_class: str) -> ErrorWords:
        return ErrorWords(
            what=f"gunicorn {version} has no {worker_class} workers",
            why="other versions have",
            mend="take that class out of the study, or install another version of gunicorn",
        )


class TargetUvicornErrors:
    def library_not_installed(self, version: str, library: str) -> ErrorWords:
        return ErrorWords(
            what=f"uvicorn {version} cannot use {library}: it is not installed",
            mend="install it beside uvicorn, or take that value out of the study",
        )

    def value_refused(self, version: str, option: str) -> ErrorWords:
        return ErrorWords(
            what=f"uvicorn {version} does not take that value for {option}", mend="write another value"
        )
