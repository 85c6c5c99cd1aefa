"""Errors of `interventions` in English, a class for each of its files."""

from typing import Literal

from loadrig.base.error_words import ErrorWords


class InterventionsCapacityErrors:
    def not_a_process_here(self, component: str) -> ErrorWords:
        return ErrorWords(
            what=f"{component} is not a process of this machine",
            mend="prove it there, or let the plan start it here",
        )

    def ended_component(self, component: str) -> ErrorWords:
        return ErrorWords(what=f"{component} has ended", mend="see its log")

    def shared_cores(self, component: str, cores: str, others: str) -> ErrorWords:
        return ErrorWords(
            what=f"{component} shares its {cores} with others, who use {others}",
            mend='hold it on cores of its own (taskset); the lever "cores" measures those that they share',
        )

    def shared_quota(self, component: str, group: str, quota: str, others: str) -> ErrorWords:
        return ErrorWords(
            what=f"{component} shares the quota of {group}, {quota}, with {others}",
            mend="start each in a group of its own, with a quota of its own",
        )


class InterventionsCompanionErrors:
    def ended_program(self, program: str) -> ErrorWords:
        return ErrorWords(
            what=f"{program}, which makes the change, has ended", mend="look above for what it said"
        )


class InterventionsCoresErrors:
    def nothing_busy_here(self) -> ErrorWords:
        return ErrorWords(
            what="no component that uses CPU is a process of this machine",
            mend="prove it where they are, or load it more",
        )


class InterventionsCpuQuotaErrors:
    def nothing_mounted(self) -> ErrorWords:
        return ErrorWords(
            what="control groups are not mounted here", mend="mount them (cgroup v2 on /sys/fs/cgroup)"
        )

    def shared_group(self, component: str, group: str) -> ErrorWords:
        return ErrorWords(
            what=f"{component} shares its control group {group} with others, which cgroup v2 does not divide",
            mend="start it in a group of its own: systemd-run --scope, or a container",
        )

    def several_groups(self, component: str, group: str) -> ErrorWords:
        return ErrorWords(
            what=f"some processes of {component} are in control groups other than {group}",
            mend="start all of it in one group",
        )

    def controller_off(self, group: str, parent: str) -> ErrorWords:
        return ErrorWords(
            what=f"the controller cpu is not switched on in {group}",
            mend=f'as root: echo +cpu > "{parent}/cgroup.subtree_control"',
        )

    def unwritable_group(self, group: str) -> ErrorWords:
        return ErrorWords(what=f"{group} may not be written", mend="run as root, or in a delegated group")

    def refused_change(self, component: str, error: str) -> ErrorWords:
        return ErrorWords(
            what=f"the kernel refused to change the group of {component}: {error}",
            mend="see the groups above it: their quotas and their owner",
        )


class InterventionsCpuWeightErrors:
    def has_its_cores(self, component: str) -> ErrorWords:
        return ErrorWords(
            what=f"no other program takes much of the cores of {component} now",
            mend="prove it while the others are at work",
        )

    def works_beside(self, component: str, other: str) -> ErrorWords:
        return ErrorWords(
            what=f"{other} works on the cores of {component}, too, and would wait where that goes first",
            mend=f"give {other} cores of its own, then prove it",
        )

    def refused_weight(self, component: str, error: str) -> ErrorWords:
        return ErrorWords(
            what=f"the kernel refused to let {component} go first: {error}",
            mend="see who owns its control group and the groups above it",
        )


class InterventionsDependencyDelayErrors:
    any_option = "any option"
    one_or_other = " or "

    def port(self, number: str) -> str:
        return f"port {number}"

    def unix_socket(self, dependency: str, socket: str) -> ErrorWords:
        return ErrorWords(
            what=f"{dependency} is spoken to over the Unix socket {socket}, and the proxy speaks TCP",
            mend=f"let the server speak to {dependency} over TCP, and name its port in the plan",
        )

    def foreign_server(self, dependency: str) -> ErrorWords:
        return ErrorWords(
            what=f"the server was not started by the rig, which cannot tell it another port of {dependency}",
            mend="let the rig start it (target: command), with the address of its dependency in env",
        )

    def no_proxy(self, dependency: str) -> ErrorWords:
        return ErrorWords(
            what=f"no proxy is in front of {dependency}, and a server that runs cannot be led through one",
            mend=f"name its address, and a proxy is there at the start: prove: {{through: {{{dependency}: "
            "'127.0.0.1:PORT'}}",
        )

    def unnamed_address(
        self, target: str, wanted: str, dependency: str, options: str, variable: str, address: str
    ) -> ErrorWords:
        return ErrorWords(
            what=f"target {target} does not name {wanted}, where {dependency} listens, in {options}, so the"
            " server cannot be told to go through a proxy",
            mend="let the server take the address from a variable, and name it in the plan: env:"
            f" {{{variable}_ADDRESS: '{address}'}}",
        )


class InterventionsKnobStepErrors:
    def ruled_out(self, knob: str, setting: str) -> ErrorWords:
        return ErrorWords(
            what=f"{knob} is not set where the setting is {setting}",
            mend=f"widen its condition `when`, or prove it in a setting where {knob} is set",
        )

    def fixed_by_argument(self, knob: str, argument: str) -> ErrorWords:
        return ErrorWords(
            what=f"{knob} is fixed by {argument} in the target's args, which go before the setting",
            mend=f"write it under knobs instead: `knobs: {{{knob}: …}}`",
        )

    def foreign_server(self, target: str) -> ErrorWords:
        return ErrorWords(
            what=f"{target} is a server that the rig does not start, and what is not started has no knobs",
            mend="let the plan start it: target: {command: …}, with its knobs under knob_flags",
        )

    def no_knob(self, target: str, role: str) -> ErrorWords:
        return ErrorWords(
            what=f"no knob of {target} is known to set {role}",
            mend="change it by hand, and compare the runs",
        )

    def undeclared_knob(
        self, target: str, role: str, key: str, name: str, declaration: str, tried: str
    ) -> ErrorWords:
        return ErrorWords(
            what=f"no knob of {target} is known to set {role}",
            mend=f"declare one: {key}: {{{name}: {declaration}}}, with what to try: {tried}",
        )

    def unknown_value(self, knob: str, towards: Literal["more", "less", "other"]) -> ErrorWords:
        where = {"more": "above", "less": "below"}.get(towards, "instead of")
        return ErrorWords(
            what=f"what {knob} is now is not known, so there is nothing {where} it",
            mend=f"write what it is: knobs: {{{knob}: …}}",
        )

    def no_other_value(self, knob: str, towards: Literal["more", "less", "other"], old: str) -> ErrorWords:
        where = {"more": "above", "less": "below"}.get(towards, "instead of")
        return ErrorWords(
            what=f"nothing says what {knob} could be {where} {old}",
            mend=f"write what to try: prove: {{knobs: {{{knob}: …}}}}",
        )


class InterventionsLoadShapeErrors:
    def no_plain_http(self) -> ErrorWords:
        return ErrorWords(
            what="no request of the plan goes over plain HTTP", mend="leave compression out by a knob"
        )

    def no_compression(self) -> ErrorWords:
        return ErrorWords(
            what="the plan asks for answers without compression already",
            mend="prove it with a plan that asks for gzip",
        )

    def always_kept(self, version: str) -> ErrorWords:
        return ErrorWords(
            what=f"connections of HTTP/{version} are always kept",
            mend="prove it over HTTP/1.1: connections: {http: 1.1}",
        )

    def kept_already(self) -> ErrorWords:
        return ErrorWords(
            what="the load keeps its connections already",
            mend="prove it of clients that come and go: connections: {keep_alive: false}",
        )

    def web_sockets_alone(self) -> ErrorWords:
        return ErrorWords(
            what="only WebSockets are open, and they are always kept", mend="change it in the server"
        )

    def no_logins(self) -> ErrorWords:
        return ErrorWords(what="nobody logs in in this plan", mend="prove it with a plan that has a login")

    def endless_tokens(self) -> ErrorWords:
        return ErrorWords(
            what="how long a token is good is not known before it is refused",
            mend="say it: login: {lasts: 10m}, or lasts_from where the answer tells it",
        )

    def single_login(self) -> ErrorWords:
        return ErrorWords(
            what="one user alone logs in", mend="prove it with more users, or rate: {identities: N}"
        )

    def spread_already(self, share: str) -> ErrorWords:
        return ErrorWords(
            what=f"logins are spread over {share} of a token's life already",
            mend="look for what else comes in step",
        )

    def no_rate(self) -> ErrorWords:
        return ErrorWords(
            what="a load as fast as can be has no rate to halve",
            mend="say how many connections it has: connections: {most: 10}",
        )

    def single_user(self) -> ErrorWords:
        return ErrorWords(what="there is no half of one user", mend="prove it with more users")

    def routes_of_steps(self) -> ErrorWords:
        return ErrorWords(
            what="the routes are steps of a scenario, in which each follows from the one before",
            mend="prove it with a plan that has them under requests:",
        )

    def single_route(self) -> ErrorWords:
        return ErrorWords(
            what="the plan asks for one route only", mend="prove it with a plan that has several"
        )

    def unknown_route(self, route: str) -> ErrorWords:
        return ErrorWords(what=f"the plan asks for no route {route}", mend="name one that it asks for")

    def needed_routes(self, needed: str) -> ErrorWords:
        return ErrorWords(
            what=f"no route can be left out: {needed}", mend="take these values from a feed instead"
        )


class InterventionsProxyErrors:
    ended = "it has ended"

    def strange_answer(self, answer: str) -> str:
        return f"it answered {answer}"

    def no_proxy(self, error: str) -> str:
        return f"no proxy could be started: {error}"

    def failed_start(self, reason: str, log: str) -> ErrorWords:
        return ErrorWords(what=reason, mend=f"see what {log} says, then run it again")

    def broken_proxy(self, address: str, reason: str, log: str) -> ErrorWords:
        return ErrorWords(
            what=f"the proxy in front of {address} failed: {reason}",
            mend=f"run it again; if it happens twice, send the run folder with {log}",
            why="the server cannot reach that dependency any more",
        )

    def unknown_address(self, host: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"the address of {host} is not known: {reason}",
            mend="write it as a number: prove: {through: {NAME: '127.0.0.1:6379'}}",
        )


class InterventionsStoppedErrors:
    def foreign_process(self, component: str, pid: str) -> ErrorWords:
        return ErrorWords(
            what=f"{component} belongs to another user: its process {pid} may not be stopped",
            mend="run as root, or as that user",
        )

    def no_pidfd(self, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"this kernel names no process for good (pidfd): {reason}",
            mend="run as root, for a quota",
        )
