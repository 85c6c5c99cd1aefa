"""Errors of `plan.checks`, `plan.check_secrets` and `plan.secrets` in English."""

from collections.abc import Mapping
from typing import ClassVar

from loadrig.base.error_words import ErrorWords


class PlanChecksErrors:
    generator = "the generator"
    loops_without_users = ErrorWords(
        what="loops counts what each user does, and only `users` has users that stay",
        mend="use limit: {requests: N}, or sessions: {requests: N} for loops in a session",
    )
    stages_without_length = ErrorWords(
        what="all stages together last no time, so the load is over before it begins",
        mend="say how long a level takes or is held: stages: [{to: 100, over: 30s, hold: 1m}]",
    )

    def fewer_users_than_generators(self, users: str, generators: str) -> ErrorWords:
        return ErrorWords(
            what=f"the load has {users} users, but there are {generators} generators",
            mend="have a user for each generator, or fewer generators",
            why="a user is made by one generator alone, so some would have none",
        )

    jitter_without_end = ErrorWords(
        what="jitter renews a token before its end, and nothing says when that is",
        mend="add how long a token is good: lasts: 10m, or lasts_from: $.expires_in",
    )

    def host_not_allowed(self, host: str, hosts: str) -> ErrorWords:
        return ErrorWords(
            what=f"{host} is not this machine, and the plan does not allow it",
            mend=f"add at the top: allow: [{hosts}]",
            why="traffic goes only to hosts that the plan allows by name; be sure that you may load this one",
        )

    def first_to_last(self, first: str, last: str) -> str:
        return f"{first} to {last}"

    def no_such_core(self, core: str, user: str, allowed: str, last: str) -> ErrorWords:
        return ErrorWords(
            what=f"there is no core {core} for {user}",
            mend=f"write cpus: [{last}], or leave it out and let the rig choose",
            why=f"this process may use {allowed}",
        )

    def size_bounds_reversed(self, low: int, high: int) -> ErrorWords:
        return ErrorWords(
            what=f"no body can have at least {low:,} and at most {high:,} bytes",
            mend="write the smaller one as size_min",
        )

    def not_two_bounds(self, bounds: str) -> ErrorWords:
        return ErrorWords(
            what=f"uniform is [{bounds}]; it takes two bounds, the lower one first",
            mend="write two bounds such as [1s, 3s]",
        )

    def too_few_connections(
        self, most: int, users: float, needed: int, streams: int, has_websockets: bool
    ) -> ErrorWords:
        why = "each user has a connection of its own"
        if streams > 1:
            why = f"at most {streams:,} users share a connection"
        elif has_websockets:
            why = "each user has a WebSocket, and a connection for its other requests"
        return ErrorWords(
            what=f"{most:,} connections are too few for {users:,} users",
            mend=f"write most: {needed}, or leave it out",
            why=why,
        )

    def unknown_route(self, shown: str, goal: str, routes: str, meant: str) -> ErrorWords:
        return ErrorWords(
            what=f"there is no route {shown} to have the goal {goal}",
            mend=f"write {meant}" if meant else "name one of these",
            why=f"the routes are {routes}",
        )

    def study_without_knobs(self, study: str) -> ErrorWords:
        return ErrorWords(
            what=f"the study {study} has nothing to choose from",
            mend="add knobs with several values, such as knobs: {workers: [1, 2, 4]}",
            why="no knob has more than one value",
        )

    def knobs_without_study(self, knobs: str) -> ErrorWords:
        return ErrorWords(
            what=f"no study tries the several values of {knobs}",
            mend="add study: grid to try every setting, or study: one_trial to try the first",
        )


class PlanServersErrors:
    def no_address(self, name: str, url: str) -> ErrorWords:
        return ErrorWords(
            what=f"{url!r} is not the address of a server",
            mend=f"write {name}: http://HOST:PORT or {name}: https://HOST:PORT",
        )

    def too_many(self, most: int) -> ErrorWords:
        return ErrorWords(
            what=f"a plan has at most {most} servers beside the target", mend="split it into several plans"
        )

    def unknown_server(self, name: str, names: str, meant: str | None) -> ErrorWords:
        return ErrorWords(
            what=f"the plan has no server {name!r}",
            mend=f"write server: {meant}"
            if meant
            else f"add at the top: servers: {{{name}: http://HOST:PORT}}",
            why=f"its servers beside the target are {names}"
            if names
            else "it has no server beside the target",
        )


class PlanCheckSecretsErrors:
    def secret_in_the_open(self, hole: str) -> ErrorWords:
        return ErrorWords(
            what=f"the hole {hole} is no secret here",
            mend=f"give it to the program by a variable: env: {{NAME: '{hole}'}}",
            why="every user of the machine can read a command line, and reports name the values of knobs",
        )


class PlanSecretsErrors:
    reasons: ClassVar[Mapping[str, str]] = {"it is not UTF-8 text": "it is not UTF-8 text"}

    def masked_value(self, name: str) -> str:
        return f"the value of {name} was left out when this plan was kept"

    def no_masked_value(self, name: str, variable: str) -> ErrorWords:
        return ErrorWords(
            what=self.masked_value(name),
            mend=f"write {{env:{variable}}} in its place and export {variable}=…, or use the plan that the"
            " run was made of",
            why="what a person writes as a secret is kept nowhere; it must be given again to be sent",
        )

    def no_variable(self, name: str) -> ErrorWords:
        return ErrorWords(what=f"the environment variable {name} is not set", mend=f"export {name}=…")

    def unreadable_file(self, file: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"the file {file} cannot be read: {reason}",
            mend="correct the path, which counts from the plan's folder",
        )


class PlanCheckFleetErrors:
    """Errors of hosts of Ray. key: of the plan, as written there."""

    def only_with_ray(self, key: str) -> ErrorWords:
        return ErrorWords(
            what=f"`{key}` places generators on hosts of Ray, and this fleet has no `ray`",
            why="without it all generators are processes of this machine",
            mend="add `ray: auto` or the HOST:PORT of its head, or leave that key out; cores of this machine "
            "are named in `trial: {cpus: […]}`",
        )

    def no_address(self, key: str, address: str) -> ErrorWords:
        return ErrorWords(
            what=f"{address!r} is no address of a head of Ray",
            mend=f"give `{key}` the HOST:PORT of `ray start --head`, or `auto` for this machine's cluster",
        )
