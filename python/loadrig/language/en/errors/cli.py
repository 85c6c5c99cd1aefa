"""Errors of `cli` in English, a class for each command."""

from loadrig.base.error_words import ErrorWords


class CliCheckErrors:
    no_plan = ErrorWords(
        what="no plan is given",
        mend="write loadrig check PLAN, or loadrig check --schema",
    )


class CliDiagnoseErrors:
    def option_without_proof(self, run: str) -> ErrorWords:
        return ErrorWords(
            what="--budget, --plan and --permit are about a proof, which is not asked for",
            mend=f"add --prove: loadrig diagnose {run} --prove",
        )

    def not_a_time(self, reason: str) -> ErrorWords:
        return ErrorWords(what=reason, mend="write a time, such as 90s or 3m")


class CliDiscoverErrors:
    nothing_to_look_at = ErrorWords(
        what="neither an address nor a process is given",
        mend="write loadrig discover URL, or loadrig discover --pid N",
    )

    def no_listener(self, pid: str) -> ErrorWords:
        return ErrorWords(
            what=f"process {pid} does not listen anywhere",
            mend="give the URL to load: loadrig discover URL --as-plan",
        )


class CliExplainErrors:
    no_word = ErrorWords(
        what="no word is given",
        mend="write loadrig explain WORD, or loadrig explain --list",
    )

    def no_page(self, shown: str, near: str) -> ErrorWords:
        return ErrorWords(
            what=f"there is no page on {shown}",
            mend=f"did you mean {near}?" if near else "see loadrig explain --list",
        )


class CliExportErrors:
    def unknown_format(self, shown: str, formats: str, close: str) -> ErrorWords:
        return ErrorWords(
            what=f"there is no format {shown}" + (f"; did you mean {close}?" if close else ""),
            mend=f"name one of {formats}",
        )

    def no_folder(self, folder: str) -> ErrorWords:
        return ErrorWords(
            what=f"there is no folder {folder}", mend="make the folder, or name another file with -o"
        )


class CliHistoryErrors:
    def no_number_of_runs(self, shown: str) -> ErrorWords:
        return ErrorWords(
            what=f"{shown} is no number of runs",
            mend="write a whole number, such as 10",
        )


class CliImportErrors:
    def no_value(self, shown: str) -> ErrorWords:
        return ErrorWords(
            what=f"{shown} gives no property a value",
            mend="write both, such as -J users=50",
        )

    def no_other_name(self, shown: str) -> ErrorWords:
        return ErrorWords(
            what=f"{shown} names no route and its other name",
            mend="write both, such as --route 'GET /search=search'",
        )


class CliLabErrors:
    def no_lab_named(self, verb: str) -> ErrorWords:
        return ErrorWords(
            what=f"no lab is named to {verb}",
            mend=f"write loadrig lab {verb} NAME; loadrig lab list says which there are",
        )


class CliInitErrors:
    def elsewhere(self, host: str) -> ErrorWords:
        return ErrorWords(
            what=f"{host} is not an address of this machine",
            why="traffic goes only to hosts that a plan names",
            mend=f"add --allow {host}, if it is meant",
        )

    def nothing_listens(self, unseen: int) -> ErrorWords:
        return ErrorWords(
            what="no server that listens on this machine could be seen",
            why=f"the programs of {unseen} listening sockets belong to other users" if unseen else "",
            mend="start yours, or name its URL: loadrig init http://127.0.0.1:8000/",
        )

    def several(self, servers: str, example: str) -> ErrorWords:
        return ErrorWords(
            what="several servers listen on this machine, and nobody can be asked which",
            why=servers,
            mend=f"name it: loadrig init {example}",
        )

    def in_the_way(self, path: str) -> ErrorWords:
        return ErrorWords(
            what=f"{path} is there already",
            why="init overwrites nothing",
            mend="name another file with -o, or move that one away",
        )

    def not_written(self, path: str, reason: str) -> ErrorWords:
        return ErrorWords(what=f"{path} cannot be written: {reason}", mend="name another file with -o")


class CliManErrors:
    def no_command(self, shown: str, nearest: str) -> ErrorWords:
        return ErrorWords(
            what=f"there is no command {shown}",
            mend=f"did you mean `loadrig man {nearest}`?" if nearest else "see loadrig --help",
        )

    def not_written(self, folder: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"the pages cannot be written into {folder}: {reason}",
            mend="name another folder with -o",
        )


class CliPublishErrors:
    def no_receiver(self, shown: str, formats: str) -> ErrorWords:
        return ErrorWords(
            what=f"{shown} is no format and its place",
            mend=f"write FORMAT=PLACE, such as statsd=127.0.0.1:8125, with one of {formats}",
        )

    def not_begun(self, shown: str, why: str) -> ErrorWords:
        return ErrorWords(what=f"{shown} cannot be begun: {why}", mend="name another place, or free this one")


class CliRunsErrors:
    def no_folder(self, folder: str) -> ErrorWords:
        return ErrorWords(
            what=f"there is no folder {folder}",
            mend="name the folder: loadrig runs --in FOLDER",
            why="runs are kept under runs/, below the folder in which a command is typed",
        )

    def no_number_of_runs(self, shown: str) -> ErrorWords:
        return ErrorWords(
            what=f"{shown} is no number of runs",
            mend="write a whole number, such as 100",
        )


class CliSteerErrors:
    def order_not_written(self, path: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{path} could not be written: {reason}",
            mend="steer as the user who began the run",
            why="an order is a file in the folder of the run, and only its owner may write one",
        )

    def needless_value(self, order: str, shown: str) -> ErrorWords:
        return ErrorWords(
            what=f"{order} takes no value, and {shown} was given", mend=f"loadrig steer {order}"
        )

    def no_text(self, most: str) -> ErrorWords:
        return ErrorWords(
            what="mark needs a text",
            mend=f'write up to {most} characters: loadrig steer mark "deployed"',
        )

    def no_number(self, shown: str) -> ErrorWords:
        return ErrorWords(what=f"level needs a number, not {shown}", mend="loadrig steer level 200")


class CliUiErrors:
    def no_folder(self, folder: str) -> ErrorWords:
        return ErrorWords(
            what=f"there is no folder {folder}",
            mend="make a run first: loadrig attack URL --ui; or name the folder: loadrig ui FOLDER",
            why="runs are kept under runs/, below the folder in which a command is typed",
        )

    def no_tls(self, host: str) -> ErrorWords:
        return ErrorWords(
            what=f"{host} would be served without TLS",
            mend="give a certificate: --tls-cert FILE --tls-key FILE; or say --plain-http",
            why="whoever reads along gets the token, and can then steer runs and remove them",
        )

    def no_port(self, shown: str) -> ErrorWords:
        return ErrorWords(
            what=f"{shown} is no port",
            mend="write a whole number up to 65535, such as 8600",
        )


class CliVerifyErrors:
    no_file_of_a_run = "it holds no file that a run or a trial has"

    def not_a_run(self, folder: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"{folder} is not the folder of a run",
            mend="name a folder that loadrig wrote, such as runs/2025-01-31-120000-shop",
            why=why,
        )
