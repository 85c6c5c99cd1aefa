"""Errors of `labs` in English, a class for each of its files."""

from loadrig.base.error_words import ErrorWords


class LabsBundledErrors:
    def unknown_lab(self, shown: str, close: str, is_path: bool) -> ErrorWords:
        mend = f"did you mean {close}?" if close else "see loadrig lab list"
        if is_path:
            mend = "write the path of a folder that has a lab.yaml; it counts from the folder of this file"
        return ErrorWords(what=f"there is no lab {shown}", mend=mend)


class LabsFindErrors:
    def unknown_plan(self, lab: str, shown: str, close: str, plans: str, ending: str) -> ErrorWords:
        return ErrorWords(
            what=f"the lab {lab} has no plan {shown}",
            mend=f"did you mean {close}?"
            if close
            else f"it has {plans}; a plan of your own is a file that ends in {ending}",
        )


class LabsFillErrors:
    def meaningless_place(self, place: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{place} means nothing here",
            mend="name something that the lab has, or a number",
            why=reason,
        )

    def unknown_placeholder(self, place: str, close: str, placeholders: str) -> ErrorWords:
        return ErrorWords(
            what=f"there is no placeholder {place}",
            mend=f"did you mean {close}?" if close else f"there are {placeholders}",
        )


class LabsFormatErrors:
    the_lab = "the lab"
    the_truth = "the truth"
    not_utf8 = "it is not UTF-8 text"

    def unreadable_lab(self, file: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"this is no lab: {file} cannot be read: {reason}",
            mend="a lab is a folder with lab.yaml, truth.yaml and plan.yaml; see loadrig lab list",
        )

    def files_of_itself(self) -> ErrorWords:
        return ErrorWords(
            what="a lab cannot have its files of itself",
            mend="name another lab, or take files_of out: a lab has its own files anyway",
        )

    def files_of_a_third(self, shown: str, third: str) -> ErrorWords:
        return ErrorWords(
            what=f"the lab {shown} has its files of another one itself: {third}",
            mend="name the lab in whose folder the files lie",
        )

    def no_plan_file(self, name: str, shown: str) -> ErrorWords:
        return ErrorWords(
            what=f"there is no file {name}.yaml for the plan {shown}",
            mend=f"write {name}.yaml, or take the plan out",
        )

    def no_truth(self, name: str, shown: str) -> ErrorWords:
        return ErrorWords(
            what=f"truth.yaml does not say what is wrong in the plan {shown}",
            mend=f"add `{name}: {{cause: …}}` to truth.yaml",
        )

    def no_plan(self, shown: str) -> ErrorWords:
        return ErrorWords(what=f"lab.yaml has no plan {shown}", mend="name a plan of lab.yaml")

    def no_sick_plan(self, shown: str) -> ErrorWords:
        return ErrorWords(
            what=f"no plan is called {shown}",
            mend="call the sick one plan.yaml: it is run where none is named",
        )

    def service_without_kind(self, shown: str) -> ErrorWords:
        return ErrorWords(
            what=f"it is not said what the service {shown} is",
            mend="write kind: redis, mariadb, postgresql or command",
        )

    def service_without_command(self, shown: str) -> ErrorWords:
        return ErrorWords(
            what=f"the service {shown} has no command",
            mend="write run: with its command line",
        )

    def no_service(self, shown: str) -> ErrorWords:
        return ErrorWords(what=f"the lab has no service {shown}", mend="name a service of lab.yaml")

    def no_port_range(self, shown: str) -> ErrorWords:
        return ErrorWords(
            what=f"{shown} is no range of ports",
            mend="write two numbers up to 65535, the lower first: 20000-20999",
        )


class LabsNeedsErrors:
    its_namespace = "its network namespace"
    its_groups = "the control groups of its services"
    before_last = " and "

    def python_module(self, name: str) -> str:
        return f"the Python module {name}"

    def few_cores(self, needed: int, allowed: int) -> str:
        return f"it needs {needed} cores, this process may use {allowed}"

    def for_root_alone(self, parts: str) -> str:
        return f"{parts} can only be made by root"

    def missing_needs(self, lab: str, lacking: str, installs: str, reasons: str) -> ErrorWords:
        return ErrorWords(
            what=f"the lab {lab} needs {lacking}",
            mend=f"run: loadrig lab setup {lab}; it does: {installs}",
            why=reasons,
        )

    def cannot_run_here(self, lab: str, reasons: str, is_for_root: bool) -> ErrorWords:
        return ErrorWords(
            what=f"the lab {lab} cannot run here",
            mend="run it as root"
            if is_for_root
            else "run it on a machine with more cores, or allow it more of them",
            why=reasons,
        )


class LabsNetworkErrors:
    def no_namespace(self, reason: str, is_root: bool) -> ErrorWords:
        return ErrorWords(
            what="a network namespace cannot be made here", mend=self._run_elsewhere(is_root), why=reason
        )

    def setting_refused(self, name: str, value: str, reason: str, is_root: bool) -> ErrorWords:
        return ErrorWords(
            what=f"net.ipv4.{name} cannot be set to {value}", mend=self._run_elsewhere(is_root), why=reason
        )

    def _run_elsewhere(self, is_root: bool) -> str:
        return "run it on a machine that lets root make namespaces" if is_root else "run it as root"


class LabsQuotaErrors:
    nothing_mounted = "no control groups are mounted here"

    def no_group(self, cores: str, reason: str, is_root: bool) -> ErrorWords:
        wanted = f"a control group with {cores} cores" if cores else "a control group"
        return ErrorWords(
            what=f"{wanted} cannot be made here",
            mend="run it where control groups can be made, not in a container"
            if is_root
            else "run it as root",
            why=reason,
        )


class LabsSessionErrors:
    no_capacity = "no capacity was measured"

    def few_cores(self, cores: int) -> str:
        return f"this process may use {cores} cores"

    def no_service(self, shown: str) -> str:
        return f"the lab has no service {shown}"


class LabsCommandErrors:
    """Ends of commands that failed, in `labs.work` and `labs.services`."""

    def with_status(self, status: int) -> str:
        return f"with status {status}"

    def after_seconds(self, seconds: str) -> str:
        return f"after {seconds} s"


class LabsServicesErrors:
    def no_socket(self, service: str) -> str:
        return f"{service} has no Unix socket"

    def port_taken(self, service: str, lab: str, address: str, pid: str, command: str) -> ErrorWords:
        holder = f"pid {pid} ({command})" if pid else "another user"
        stop = f"stop it: kill {pid}" if pid else "stop that process"
        return ErrorWords(
            what=f"{service} of the lab {lab} cannot listen on {address}: taken by {holder}",
            mend=f"{stop}; what a killed rig left is ended by: loadrig doctor --clean",
        )

    def no_user_postgres(self) -> ErrorWords:
        return ErrorWords(
            what="there is no user postgres, and PostgreSQL refuses to be root",
            mend="install Debian's package: apt-get install postgresql",
        )

    def failed_command(self, program: str, failed: str, command: str) -> ErrorWords:
        return ErrorWords(
            what=f"{program} ended {failed}",
            mend=f"mend what its last lines say; it was run as: {command}",
        )

    def failed_sql(self, file: str, service: str, error: str, path: str) -> ErrorWords:
        return ErrorWords(
            what=f"the SQL of {file} could not be done in {service}: {error}",
            mend=f"mend the statement in {path}",
        )


class LabsWorkErrors:
    def foreign_cache(self, path: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"nothing is run from {path}: it {reason}",
            mend=f"remove {path}, or name another place: XDG_CACHE_HOME=FOLDER",
            why="programs of labs are built there and run as you",
        )

    def failed_build(self, lab: str, command: str, failed: str, folder: str, source: str) -> ErrorWords:
        copied = f"{folder} over one of {source}" if source else folder
        return ErrorWords(
            what=f"the lab {lab} could not be built: `{command}` ended {failed}",
            mend=f"mend what its last lines say; it was run in a copy of {copied}",
        )
