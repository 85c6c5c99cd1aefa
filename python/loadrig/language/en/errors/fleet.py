"""Errors of `fleet` in English, a class for each of its files."""

from loadrig.base.error_words import ErrorWords


class FleetErrors:
    """Errors of `fleet.fleet`."""

    ended_too_early = "it ended before it was ready"
    died_midway = "it died in the middle of the run"

    def not_ready(self, answer: str) -> str:
        return f"it answered {answer!r} instead of being ready"

    def silent_for(self, seconds: str) -> str:
        return f"it said nothing for {seconds} s"

    def frame_missing(self, number: str) -> str:
        return f"its frame {number} was lost on the way"

    def elsewhere(self, how: str, host: str) -> str:
        return f"{how}, on {host}"

    def no_way_to_target(self, address: str, hosts: str, how: str) -> ErrorWords:
        return ErrorWords(
            what=f"no connection to the server at {address} can be made from {hosts}: {how}",
            why="the part of the load that is made there would be missing",
            mend="open the way from there (firewall, routes, a server that listens on more than loopback), "
            "or leave those hosts out",
        )

    def no_such_host(self, host: str, hosts: str) -> ErrorWords:
        return ErrorWords(
            what=f"the fleet has no host {host}: it runs on {hosts}",
            mend="write the hosts under `labels` as the fleet names them, or leave that one out",
        )

    def generator_failed(self, name: str, host: str, how: str) -> ErrorWords:
        return ErrorWords(
            what=f"generator {name} of the fleet, on {host}, failed: {how}",
            why="what was measured until then is kept",
            mend="run it again; if it happens twice, look at that host, or leave it out",
        )


class FleetPlacesErrors:
    def no_ray(self, address: str) -> ErrorWords:
        return ErrorWords(
            what=f"this loadrig has no way to the hosts of Ray at {address}",
            why="generators on other hosts need the extra that brings Ray",
            mend="pip install 'loadrig[fleet]', or leave out `ray`: the generators are then processes here",
        )


class FleetGroupErrors:
    """Errors of `fleet.local_groups`."""

    def group_gone(self, number: str, first: str, last: str) -> str:
        return f"merger {number}, which had generators {first} to {last}, died"

    def group_failed(self) -> ErrorWords:
        return ErrorWords(
            what="a process that starts generators of the fleet ended before they were ready",
            why="its own words are above",
            mend="mend what they name; fewer generators or fewer `fleet.mergers` take less of this machine",
        )


class FleetRayErrors:
    """Errors of `fleet.ray_hosts`. key: of the plan that asks for the hosts: `fleet` or `nodes`."""

    carrier_gone = "the process that speaks with Ray died"

    def host_lost(self, how: str) -> str:
        return f"Ray lost its host or its actor ({how})"

    def silent(self, seconds: str) -> str:
        return f"nothing was heard from its host for {seconds} s"

    def head_silent(self, address: str, seconds: str) -> str:
        return f"the head of Ray at {address} did not answer for {seconds} s"

    def head_gone(self, address: str) -> str:
        return f"the head of Ray at {address} is gone, and the process that speaks with Ray ended with it"

    def head_lost(self, address: str) -> ErrorWords:
        return ErrorWords(
            what=f"the head of Ray at {address} does not answer any more, so all generators were lost",
            why="Ray ends what runs on its hosts a minute after their head; what was measured until then is "
            "kept",
            mend="look at that machine for why its `gcs_server` ended (/tmp/ray/session_latest/logs, the "
            "kernel's log), start the head and the hosts again, and run it again",
        )

    def merger_lost(self, number: str, first: str, last: str, how: str) -> str:
        return f"merger {number}, which heard generators {first} to {last}, was lost ({how})"

    def carrier_failed(self) -> ErrorWords:
        return ErrorWords(
            what="the process that speaks with Ray ended before the fleet was ready",
            why="its own words are above",
            mend="mend what they name; `ray status` says whether the cluster works. Where its head was"
            " started again, start all hosts again, this one too: `ray stop`, `ray start --address …`",
        )

    not_an_address = "it is no HOST:PORT"

    def no_head(self, key: str, address: str, how: str) -> ErrorWords:
        return ErrorWords(
            what=f"no Ray can be joined at {address}: {how or self.not_an_address}",
            mend=f"give `{key}.ray` the HOST:PORT of `ray start --head`, on a machine of the cluster",
        )

    def no_head_of_variable(self, key: str, address: str, how: str) -> ErrorWords:
        return ErrorWords(
            what=f"no Ray can be joined at {address}: {how or self.not_an_address}",
            why=f"`{key}: {{ray: auto}}` takes the address that RAY_ADDRESS has",
            mend="set RAY_ADDRESS to the HOST:PORT of `ray start --head`, or unset it",
        )

    def no_head_of_file(self, key: str, address: str, how: str) -> ErrorWords:
        return ErrorWords(
            what=f"no Ray can be joined at {address}: {how or self.not_an_address}",
            why=f"`{key}: {{ray: auto}}` takes the address that the last `ray start` left in "
            "/tmp/ray/ray_current_cluster, also where that Ray has ended",
            mend="`ray stop` removes the file, and `auto` then starts a Ray of loadrig's own; `ray start` "
            "joins this machine to a cluster again",
        )

    def no_token(self, address: str) -> ErrorWords:
        return ErrorWords(
            what=f"the head of Ray at {address} wants a token, and none is set here",
            mend="set RAY_AUTH_MODE=token here, and RAY_AUTH_TOKEN or RAY_AUTH_TOKEN_PATH to the token of "
            "the cluster",
        )

    def other_token(self, address: str) -> ErrorWords:
        return ErrorWords(
            what=f"the head of Ray at {address} does not take the token that is set here",
            mend="set RAY_AUTH_TOKEN or RAY_AUTH_TOKEN_PATH to the token that the cluster was started with",
        )

    def silent_head(self, address: str) -> ErrorWords:
        return ErrorWords(
            what=f"{address} takes connections, but does not answer as a head of Ray without TLS does",
            mend="set RAY_USE_TLS=1 and the certificates here if the cluster has TLS, else look whether a "
            "head of the same Ray is there",
        )

    def open_head(self, key: str, address: str) -> ErrorWords:
        return ErrorWords(
            what=f"the head of Ray at {address} asks nobody who they are",
            why="it listens to more than this machine, and who reaches it runs programs on every host",
            mend="start it and loadrig with RAY_AUTH_MODE=token or RAY_USE_TLS=1; in a network of its own, "
            f"`{key}: {{unguarded: true}}` joins it all the same",
        )

    def open_hosts(self, key: str, address: str, hosts: str) -> ErrorWords:
        return ErrorWords(
            what=f"hosts of the Ray at {address} ask nobody who they are: {hosts}",
            why="its head listens to this machine alone, these to more, and who reaches a host runs programs "
            "on it",
            mend="start all of it and loadrig with RAY_AUTH_MODE=token or RAY_USE_TLS=1; in a network of its "
            f"own, `{key}: {{unguarded: true}}` joins it all the same",
        )

    def other_version(self, host: str, name: str, theirs: str, ours: str) -> ErrorWords:
        return ErrorWords(
            what=f"{name} on {host} is {theirs}, here it is {ours}",
            why="what several hosts do together is done by the same program",
            mend=f"install {name} {ours} on that host",
        )

    def other_machine(self, host: str, name: str, theirs: str, ours: str) -> ErrorWords:
        del name
        return ErrorWords(
            what=f"{host} is a machine of another kind, {theirs}, here it is {ours}",
            why="it has no loadrig, and the one that would be brought from here does not run there",
            mend=f"install loadrig on {host} by pip install 'loadrig[fleet]', or leave it out of the cluster",
        )

    def too_few_hosts(self, wanted: str, room: str, cpus: str) -> ErrorWords:
        return ErrorWords(
            what=f"{wanted} generators want a host each with {cpus} free cores, and Ray has {room}",
            mend="add hosts to the cluster, have fewer generators, or write `spread: pack`",
        )

    def too_few_nodes(self, wanted: str, room: str, cpus: str) -> ErrorWords:
        return ErrorWords(
            what=f"{wanted} nodes want a host each with {cpus} free cores, and Ray has {room}",
            why="a trial's generator and server share their host with no other trial",
            mend="add hosts to the cluster, or have fewer nodes: `nodes: {count: N}`",
        )

    def too_few_cores(self, wanted: str, room: str, cpus: str) -> ErrorWords:
        return ErrorWords(
            what=f"{wanted} generators want {cpus} free cores each, and Ray has room for {room}",
            mend="add hosts to the cluster, or have fewer generators",
        )

    def too_few_for_mergers(self, wanted: str, cpus: str, mergers: str, left: str) -> ErrorWords:
        return ErrorWords(
            what=f"{mergers} mergers want a free core each, and beside {wanted} generators with {cpus} each "
            f"Ray has {left}",
            why="a merger has a core of its own, or the frames of its generators would come late",
            mend="add hosts to the cluster, have fewer generators or fewer `fleet.mergers`, or lower "
            "`fleet.cpus`",
        )

    busy_why = "all hosts together have them, but something else that runs on the cluster has them now"
    busy_mend = "let that end (`ray status` shows what is in use), or add hosts to the cluster"

    def busy_cores(self, wanted: str, room: str, cpus: str, seconds: str) -> ErrorWords:
        return ErrorWords(
            what=f"{wanted} generators want {cpus} free cores each, and for {seconds} s Ray had no room for "
            f"all of them, at last for {room}",
            why=self.busy_why,
            mend=self.busy_mend,
        )

    def busy_hosts(self, wanted: str, room: str, cpus: str, seconds: str) -> ErrorWords:
        return ErrorWords(
            what=f"{wanted} generators want a host each with {cpus} free cores, and for {seconds} s Ray had "
            f"too few of those, at last {room}",
            why=self.busy_why,
            mend=self.busy_mend,
        )

    def busy_nodes(self, wanted: str, room: str, cpus: str, seconds: str) -> ErrorWords:
        return ErrorWords(
            what=f"{wanted} nodes want a host each with {cpus} free cores, and for {seconds} s Ray had too "
            f"few of those, at last {room}",
            why=self.busy_why,
            mend=self.busy_mend,
        )
