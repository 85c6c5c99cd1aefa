"""Errors of `study` in English, a class for each of its files."""

from loadrig.base.error_words import ErrorWords


class StudyCarryOutErrors:
    def run_unfinished(self, run: str, quoted_run: str) -> ErrorWords:
        return ErrorWords(
            what=f"the run in {run} was stopped before its end",
            why="what was measured until then is kept",
            mend=f"go on where it stopped: loadrig run {quoted_run} --resume",
        )


class StudyLedgerErrors:
    is_link = "it is a link, which is not followed"
    end_of_no_ledger = "its end is no line of a ledger"
    no_study_named = "its first line does not say of which study it is"

    def too_many_bytes(self, size: int, most: int) -> str:
        return f"it has {size:,} bytes, and at most {most:,} are read"

    def line_not_json(self, number: int) -> str:
        return f"line {number} is not JSON"

    def line_of_no_ledger(self, number: int) -> str:
        return f"line {number} is no line of a ledger"

    def other_version(self, version: str, own: int) -> str:
        return f"it is of version {version}, this loadrig reads {own}"

    def line_no_trial(self, number: int, reason: str) -> str:
        return f"line {number} is no trial: {reason}"

    def another_plan(self, path: str, parts: str, is_singular: bool, own_plan: str) -> ErrorWords:
        return ErrorWords(
            what=f"{path} is the ledger of another plan: {parts} {'differs' if is_singular else 'differ'}",
            why="its trials cannot be compared with those that this plan would run",
            mend=f"go on with the plan kept beside it, {own_plan}, or start a new run without --resume",
        )

    def in_use(self, folder: str) -> ErrorWords:
        return ErrorWords(
            what=f"another loadrig is running the study in {folder}",
            why="two at once would load the same server and mix their trials",
            mend="wait for it to end, or stop it, then use --resume",
        )

    def unreadable(self, path: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{path} cannot be read as a ledger",
            why=reason,
            mend="start a new run without --resume; the trials' own folders are untouched",
        )


class StudyRunnerErrors:
    stopped_by_hand = ErrorWords(
        what="the study was stopped by hand",
        why="what was measured until then is kept",
        mend="go on where it stopped: the same command with --resume",
    )


class StudyDealingErrors:
    def all_lost(self, name: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"no node is left: the last one, {name}, was lost ({why})",
            why="the trials that had ended are kept; one that ran on a lost node is run again",
            mend="go on where it stopped: the same command with --resume",
        )


class StudyLocalNodeErrors:
    def not_started(self, name: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"the process of {name} did not start: {why}",
            mend="see its last lines above, and `loadrig doctor`",
        )


class StudyRayNodesErrors:
    def no_folder(self, host: str, folder: str) -> ErrorWords:
        return ErrorWords(
            what=f"{host} has no folder {folder}",
            why="each node starts the server from the plan's folder, at the same path as here",
            mend="name what it needs, and each host gets it: nodes: {files: [server.py, app]}; or put the "
            "folder there",
        )

    def on_host(self, host: str, what: str) -> str:
        return f"on {host}: {what}"

    def no_program(self, host: str, program: str) -> ErrorWords:
        return ErrorWords(
            what=f"{host} has no program {program}, which starts the server",
            why="`nodes.files` sends files of the plan's folder, and no programs",
            mend="install it there; Ray's processes look for it in the PATH of `ray start`",
        )

    def no_image(self, host: str, image: str, how: str) -> ErrorWords:
        return ErrorWords(
            what=f"{host} has no image {image}" + (f": {how}" if how else ""),
            why="a trial that waits until an image was fetched is no trial of the server",
            mend="fetch or load it there before, or write --pull=always to fetch it all the same",
        )

    def no_file(self, name: str, folder: str) -> ErrorWords:
        return ErrorWords(
            what=f"{name} is no file or folder of {folder} that can be read",
            why="what `nodes.files` names lies in the plan's folder, and goes to each host",
            mend="write paths that count from the plan's folder",
        )

    def too_large(self, megabytes: str, most: str) -> ErrorWords:
        return ErrorWords(
            what=f"nodes.files has {megabytes} MB, packed, and at most {most} are sent",
            mend="name fewer files, or put the plan's folder on each host at the same path and leave out "
            "`files`",
        )

    def not_kept(self, index: str, name: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"trial {index} came from {name} and could not be kept: {why}",
            mend="see how much room the run's folder has, then go on with --resume",
        )


class StudyNodePlacesErrors:
    cores_elsewhere = ErrorWords(
        what="nodes.cpus names cores of this machine, and the nodes are hosts of Ray",
        why="each of them has all cores of its host",
        mend="leave out `cpus`, or `ray`",
    )
    files_here = ErrorWords(
        what="nodes.files names what hosts of Ray get, and the nodes are processes of this machine",
        why="they find the plan's files where they are",
        mend="leave out `files`, or name the cluster: nodes: {ray: auto}",
    )

    server_elsewhere = "the server, which runs already and which only one trial can load"
    same_cores = "the cores that the plan names (trial.cpus, or cpus of the target)"
    same_hosts = "the hosts of its fleet (fleet.ray)"
    begun_without = ErrorWords(
        what="this study was begun without nodes",
        why="which of the nodes ran its trials is not known, and each setting is compared with the base on"
        " its own node",
        mend="go on without nodes, or begin a new run without --resume",
    )

    def begun_with(self, name: str) -> ErrorWords:
        return ErrorWords(
            what=f"this study was begun on nodes ({name})",
            why="which of the nodes this machine is now is not known, and each setting is compared with the"
            " base on its own node",
            mend="go on with --nodes N (one is enough), or begin a new run without --resume",
        )

    def no_ray(self, address: str) -> ErrorWords:
        return ErrorWords(
            what=f"this loadrig has no way to the hosts of Ray at {address}",
            why="nodes on other hosts need the extra that brings Ray",
            mend="pip install 'loadrig[fleet]', or leave out `ray`: the nodes are then processes here",
        )

    def same_socket(self, path: str) -> str:
        return f"the socket {path}"

    def same_port(self, port: str) -> str:
        return f"the port {port}"

    def no_blocks(self, strategy: str) -> ErrorWords:
        return ErrorWords(
            what=f"{strategy} runs no trials side by side, so it cannot use several nodes",
            why="blocks of trials are dealt to nodes, and it has none that do not wait for one another",
            mend="leave out nodes, or give it knobs: grid, one_at_a_time, tune, capacity and soak (by "
            "`matrix: true`) try their values side by side; `nodes: {count: 1}` runs a single trial on one "
            "node",
        )

    def shared(self, what: str) -> ErrorWords:
        return ErrorWords(
            what=f"nodes would share {what}",
            why="each node runs a trial at the same time, so each needs a server and cores of its own",
            mend="let loadrig start the server on a port and cores that it chooses, or leave out nodes",
        )

    def too_few_cores(self, nodes: str, cores: str, each: str) -> ErrorWords:
        return ErrorWords(
            what=f"{nodes} nodes want {each} cores each, and {cores} may be used here",
            why="a generator and a server on one core disturb each other",
            mend='ask for fewer nodes, or name the cores of each all the same: nodes: {cpus: ["0", "1"]}',
        )

    def other_count(self, lists: str, nodes: str) -> ErrorWords:
        return ErrorWords(
            what=f"nodes.cpus has {lists} lists of cores for {nodes} nodes",
            mend="write a list for each node, or leave out count",
        )

    def no_list(self, text: str) -> ErrorWords:
        return ErrorWords(what=f"{text} is no list of cores", mend='write it like this: "0-3" or "0,2"')

    def no_core(self, core: str, allowed: str) -> ErrorWords:
        return ErrorWords(what=f"core {core} may not be used here", mend=f"use some of {allowed}")

    def twice(self, core: str, first: str, second: str) -> ErrorWords:
        return ErrorWords(
            what=f"core {core} is in two lists of nodes.cpus, {first} and {second}",
            why="the trials of two nodes on one core disturb each other",
            mend="give each core to one node",
        )


class StudyYardstickErrors:
    def unknown_measure(self, name: str, nearest: str, measures: str) -> ErrorWords:
        return ErrorWords(
            what=f"study.by names a measure that does not exist: {name}",
            mend=f"did you mean {nearest}?" if nearest else f"use one of {measures}",
        )


class StudyStrategiesCapacityErrors:
    no_constant_load = ErrorWords(
        what="a capacity is searched from a constant load, and the plan's is none",
        why="the search itself says how much is asked, and when",
        mend="write where it begins, such as `rate: 20/1s` or `users: 5`",
    )

    no_goal_to_miss = ErrorWords(
        what="the plan has no goal that a higher load can miss",
        why="the capacity is the highest load that meets the goals",
        mend="write one, such as `goals: [p99 < 200ms, errors < 0.1%]`",
    )


class StudyStrategiesGridErrors:
    def too_many_settings(self, settings: int, blocks: int, most: int) -> ErrorWords:
        return ErrorWords(
            what=f"the grid has {settings:,} settings",
            why=f"that is {settings + 1:,} trials in each of {blocks} blocks; at most {most:,} settings are"
            " tried",
            mend="give knobs fewer values, or try them one at a time: `study: {find: one_at_a_time}`",
        )


class StudyStrategiesSoakErrors:
    load_ends_itself = ErrorWords(
        what="a soak goes on for as long as is asked, and the plan's load ends by itself",
        why="a load of stages, of a list of times or of a number of requests has a length of its own",
        mend="write a load without an end, such as `rate: 100/1s` or `users: 20`",
    )


class StudyStrategiesSpikeErrors:
    load_ends_itself = ErrorWords(
        what="a spike stands on a load that goes on, and the plan's load ends by itself",
        why="the usual load before and after it is what it is compared with",
        mend="write a load without an end, such as `rate: 50/1s` or `users: 20`",
    )


class StudyStrategiesTuneErrors:
    optuna_not_installed = ErrorWords(
        what="study.model is tpe, and Optuna is not installed",
        why="loadrig's own model needs nothing more; Optuna's is there to be compared with it",
        mend="pip install 'loadrig[optuna]', or leave `model:` out",
    )

    def unknown_objective(self, name: str, nearest: str) -> ErrorWords:
        return ErrorWords(
            what=f"study.objective is none that there is: {name}", mend=f"did you mean {nearest}?"
        )
