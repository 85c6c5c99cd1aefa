"""Cluster of Ray that a fleet runs on: joined, or started here, looked at, and given its actors."""

import os
import secrets
import shutil
import socket
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from loadrig.fleet._ray_address import LOCAL, VARIABLE, head_to_join
from loadrig.fleet._ray_again import Started, first_that_answers, first_to_answer
from loadrig.fleet._ray_guard import has_token, is_guarded, is_private, standing
from loadrig.fleet._ray_head import answers
from loadrig.fleet._ray_room import MERGER_CPUS, mergers_beside, room_for
from loadrig.fleet.dealing import dealt
from loadrig.fleet.hosts import Seat

ANSWERS_WITHIN_S = 5.0
"""Longest wait for the head's port, in seconds; Ray itself would try for half a minute."""

PLACED_WITHIN_S = 30.0
"""Longest wait for free cores on the hosts, and for what is asked of each, in seconds."""

AGAIN_WITHIN_S = 40.0
"""Longest wait for a fresh generator in place of a lost one, in seconds. Where its host is gone Ray takes 15
to notice, looking five times three seconds apart, and some more to give its cores elsewhere; where it is cut
off each look takes ten more, which is not waited for, see `RayCluster.replace_actor`."""

MERGER_THREADS = 4
"""Calls that a merger answers at once: one waits for lines, one is an order, and two are about lost ones."""

STORE_BYTES = 80_000_000
"""Memory of a Ray of our own for objects: Ray takes no less, and lines need hardly any."""

SETTINGS = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_timeout_ms_task_wait_for_death_info": "0"}
"""Settings of Ray in this process: it sends nobody figures of its use, and a call whose connection was reset
fails at once. Ray would wait one to two seconds for news of the actor's death first, a quarter of the time
after which an actor that nobody calls ends its generator; by the next call that death is known."""

STRATEGIES: Mapping[str, str] = {"strict": "STRICT_SPREAD", "pack": "PACK"}


class RefusedCluster(Exception):
    """Cluster that a fleet cannot run on.

    code: of the problem. arguments: of its sentence. about: which of the sentences that a code has, "" where
    it has one. where: the place of an address that the plan does not name.
    """

    def __init__(self, code: str, *arguments: str, about: str = "", where: str = "") -> None:
        super().__init__(code, *arguments, about)
        self.code, self.arguments, self.about, self.where = code, arguments, about, where


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterRules:
    """Rules by which a cluster is joined and actors are placed: those of the plan's fleet, and ours.

    folder: of ours, for what Ray writes. program, variables: of each host, see `_ray_actor`. apart: whether
    each has all cores of its host. mergers: number of them, 0 for none.
    """

    ray: str | None
    generators: int
    spread: Literal["strict", "pack"]
    cpus: int
    unguarded: bool
    mergers: int
    folder: str
    program: str
    apart: bool
    variables: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RayHost:
    """Host as Ray lists it. cpus: all of its cores that Ray may give away."""

    node_id: str
    host: str
    port: int
    cpus: float
    labels: Mapping[str, str]

    @property
    def raylet(self) -> str:
        """Address of Ray's own process there."""
        return f"{self.host}:{self.port}"


class RayCluster:
    """Cluster for one fleet; used as a context manager."""

    def __init__(self, rules: ClusterRules) -> None:
        self._rules, self._count, self._cpus = rules, rules.generators, rules.cpus
        self._stack = ExitStack()
        self.actors: list[Any] = []
        self._nodes: list[str] = []
        self.mergers: list[Any] = []
        self.groups = dealt(self._count, rules.mergers) if rules.mergers else []
        self._address = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def place(self) -> Sequence[Seat]:
        """Start the generators; return their seats. Raises RefusedCluster before any is started."""
        address, source = head_to_join(self._rules.ray)
        os.environ.update(SETTINGS)
        if address:
            self._join_from(address, source)
        else:
            self._start()
        return self._seated(self._compared())

    def _join_from(self, address: str, source: str) -> None:
        """Join a cluster; a refusal names the source of the address, where that is not the plan."""
        try:
            self._join(address)
        except RefusedCluster as refused:
            if not source:
                raise
            about = refused.about
            if refused.code == "fleet.no-head" and not about:
                about = "variable" if source == VARIABLE else "file"
            where = f"{source}: {address}"
            raise RefusedCluster(refused.code, *refused.arguments, about=about, where=where) from refused

    def _start(self) -> None:
        """Start a Ray of our own: on loopback alone, with a token that nobody else has."""
        # Ray binds to 127.0.0.1 only where it takes the machine for one without clusters; else to all.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
        os.environ["RAY_AUTH_MODE"], os.environ["RAY_AUTH_TOKEN"] = "token", secrets.token_hex(32)
        import ray

        self._stack.callback(ray.shutdown)
        # Ray would look for another one by itself, in the variable or the file.
        ray.init(
            LOCAL, num_cpus=self._count * self._rules.cpus + len(self.groups) * MERGER_CPUS,
            include_dashboard=False, log_to_driver=False,
            object_store_memory=STORE_BYTES, _temp_dir=self._rules.folder,
        )  # fmt: skip

    def _join(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        try:
            number = int(port)
        except ValueError as error:
            raise RefusedCluster("fleet.no-head", address, "") from error  # it is no HOST:PORT
        try:
            socket.create_connection((host.strip("[]"), number), timeout=ANSWERS_WITHIN_S).close()
        except (OSError, OverflowError) as error:
            raise RefusedCluster("fleet.no-head", address, str(error)) from error
        match standing(address, os.environ, unguarded=self._rules.unguarded):
            case "open":
                raise RefusedCluster("fleet.open-head", address)
            case "token":
                about = "other token" if has_token(os.environ) else "no token"
                raise RefusedCluster("fleet.no-head", address, about=about)
            case "silent":
                raise RefusedCluster("fleet.no-head", address, about="silent")
        self._address = address
        self._stack.callback(_shutdown)
        self._init({})
        self._check_hosts()

    def _check_hosts(self) -> None:
        """Raise RefusedCluster where a head listens to this machine alone, and its hosts to more.

        Who reaches a raylet runs programs on its host, as who reaches a head does.
        """
        if self._rules.unguarded or not is_private(self._address):
            return  # what guards the head guards its hosts, too
        hosts = sorted({node.host for node in _nodes() if not is_private(node.raylet)})
        if hosts and not is_guarded(self._address, os.environ):
            raise RefusedCluster("fleet.open-head", self._address, ", ".join(hosts), about="hosts")

    def _init(self, environment: Mapping[str, Any]) -> None:
        """Join the cluster. environment: what Ray brings to its hosts for us."""
        import ray

        try:
            ray.init(address=self._address, log_to_driver=False, runtime_env=dict(environment))
        except Exception as error:
            # Ray raises whatever its layers do; its first line says which it was.
            raise RefusedCluster("fleet.no-head", self._address, str(error).partition("\n")[0]) from error

    def _compared(self) -> Sequence[RayHost]:
        """Return the hosts that have cores for a generator, once all have what we have.

        Where some have no loadrig, all get ours: what makes the load is one file beside Python. Raises
        RefusedCluster where a host has another one, or cannot run ours.
        """
        import ray

        cpus = self._rules.cpus
        every = _nodes()
        self._check_room([node.cpus for node in every])
        # A merger may be on any host with a core.
        nodes = [node for node in every if node.cpus >= (MERGER_CPUS if self.groups else cpus)]
        if self._rules.apart:
            # Each has all cores of its host, so that Ray runs nothing else there.
            cores = sorted((int(node.cpus) for node in nodes), reverse=True)
            self._cpus = cores[self._count - 1]
        own_facts = _carried().facts_of_host()
        facts_of_nodes = _facts(nodes)
        can_be_bare = not self.groups and not self._rules.apart
        for node, facts in zip(nodes, facts_of_nodes, strict=True):
            # A host that gets our loadrig has to be able to run it; one that has its own need not be alike.
            for name in (
                ("python", "machine") if can_be_bare and not facts["loadrig"] else ("loadrig", "python")
            ):
                if facts[name] != own_facts[name]:
                    about = "machine" if name == "machine" else ""
                    theirs = facts[name] or "–"
                    raise RefusedCluster(
                        "fleet.other-version", node.host, name, theirs, own_facts[name], about=about
                    )
        if not all(facts["loadrig"] for facts in facts_of_nodes):
            ray.shutdown()
            self._init({"py_modules": [str(_staged(Path(self._rules.folder)))]})
        return nodes

    def _check_room(self, cores: Sequence[float]) -> None:
        """Raise RefusedCluster where all hosts together have too few cores. cores: of each."""
        wanted, cpus, mergers = self._count, self._rules.cpus, len(self.groups)
        room = room_for(cores, cpus, self._rules.spread)
        if room < wanted:
            raise RefusedCluster(f"fleet.too-few-{self._places}", str(wanted), str(room), str(cpus))
        left = mergers_beside(cores, cpus, wanted)
        if mergers and left < mergers:
            arguments = (str(wanted), str(cpus), str(mergers), str(left))
            raise RefusedCluster("fleet.too-few-cores", *arguments, about="mergers")

    @property
    def _places(self) -> str:
        return "hosts" if self._rules.spread == "strict" else "cores"

    def _seated(self, nodes: Sequence[RayHost]) -> Sequence[Seat]:
        import ray
        from ray.util import placement_group

        cpus = self._cpus
        group = placement_group([{"CPU": cpus}] * self._count, strategy=STRATEGIES[self._rules.spread])
        self._group = group
        self._stack.callback(self.give_back)
        if not group.wait(PLACED_WITHIN_S):
            # All hosts together have these cores, so others have them now.
            room = str(room_for(_free_cores(nodes), cpus, self._rules.spread))
            arguments = (str(self._count), room, str(cpus), f"{PLACED_WITHIN_S:.0f}")
            raise RefusedCluster(f"fleet.too-few-{self._places}", *arguments, about="busy")
        module = _carried()
        self._actor = ray.remote(num_cpus=cpus, concurrency_groups={module.ORDERS: 1, module.FRAMES: 1})(
            _with_groups(module.GeneratorActor, module)
        )
        self.actors = [self._placed(index) for index in range(self._count)]
        places = ray.get([actor.place.remote() for actor in self.actors], timeout=PLACED_WITHIN_S)
        self._nodes = [node_id for node_id, _, _ in places]
        self.mergers = [
            self._merger(number, {index: self.actors[index] for index in group})
            for number, group in enumerate(self.groups)
        ]
        self._await_mergers(nodes)
        return [_seat(index, place, nodes) for index, place in enumerate(places)]

    def _await_mergers(self, nodes: Sequence[RayHost]) -> None:
        """Wait until all mergers have a core. Raises RefusedCluster where others have those that are left."""
        import ray

        looks = [merger.__ray_ready__.remote() for merger in self.mergers]
        if not looks:
            return
        ready, _ = ray.wait(looks, num_returns=len(looks), timeout=PLACED_WITHIN_S)
        if len(ready) < len(looks):
            left = len(ready) + sum(map(int, _free_cores(nodes)))
            arguments = (str(self._count), str(self._cpus), str(len(looks)), str(left))
            raise RefusedCluster("fleet.too-few-cores", *arguments, about="mergers")

    def give_back(self) -> bool:
        """Give the head back the cores that it keeps for us; return False where it is another one by now.

        That one has our hosts no longer, and ends nothing on them.
        """
        import ray
        from ray.util import remove_placement_group

        try:
            remove_placement_group(self._group)
        except ray.exceptions.RayError:
            return False
        return True

    def replace_merger(self, number: int) -> Any:
        """Return a fresh merger in place of a lost one, still without generators.

        Raises RayError where there is no core for it in time.
        """
        import ray

        ray.kill(self.mergers[number])

        def start(node: str | None) -> Started:
            merger = self._merger(number, {}, node)
            return merger, merger.__ray_ready__.remote()

        self.mergers[number], _ = first_to_answer(self._place_of_merger, start, AGAIN_WITHIN_S)
        return self.mergers[number]

    def _place_of_merger(self) -> str | None:
        """Return a host for a fresh merger: Ray would spread it to one that is cut off.

        The hosts of generators come first, as with a strict spread no fresh generator can go there.
        """
        nodes = sorted(_nodes(), key=lambda node: node.node_id not in self._nodes)
        return _with_room(nodes, MERGER_CPUS)

    def _merger(self, number: int, actors: Mapping[int, Any], node: str | None = None) -> Any:
        """Return a new merger of some generators, on any host: they are spread over all.

        node: id of one to be there.
        """
        import ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        from loadrig.fleet._ray_merger import MergerActor

        strategy = NodeAffinitySchedulingStrategy(node, soft=False) if node else "SPREAD"
        kind = ray.remote(num_cpus=MERGER_CPUS, max_concurrency=MERGER_THREADS, scheduling_strategy=strategy)
        merger = kind(MergerActor).remote(number, dict(actors))
        self._stack.callback(ray.kill, merger)
        return merger

    def _placed(self, index: int, node: str | None = None) -> Any:
        """Return a new actor where cores are kept for this generator. node: id of another one to be on."""
        import ray
        from ray.util.scheduling_strategies import (
            NodeAffinitySchedulingStrategy,
            PlacementGroupSchedulingStrategy,
        )

        strategy = (
            PlacementGroupSchedulingStrategy(self._group, index)
            if node is None
            else NodeAffinitySchedulingStrategy(node, soft=False)
        )
        actor = self._actor.options(scheduling_strategy=strategy).remote(
            self._rules.program, dict(self._rules.variables)
        )
        self._stack.callback(ray.kill, actor)
        return actor

    @property
    def head(self) -> str:
        """Address of the head that is joined."""
        import ray

        return str(ray.get_runtime_context().gcs_address)

    def has_host_of(self, index: int) -> bool:
        """Return whether Ray still counts the host of a generator among its own."""
        return any(node.node_id == self._nodes[index] for node in _nodes())

    def replace_actor(self, index: int) -> Seat:
        """Start a fresh actor in place of one that has stopped; return its seat.

        It is placed where cores are kept for it: on the same host, or where Ray has noticed that this is gone
        on another one. Ray takes a minute to notice that a host is cut off, so where a host does not answer
        us, another one that does and has room is taken at once. Raises RayError where there are none in time.
        """
        import ray

        ray.kill(self.actors[index])

        def start(node: str | None) -> Started:
            actor = self._placed(index, node)
            return actor, actor.place.remote()

        actor, place = first_to_answer(lambda: self._elsewhere(index), start, AGAIN_WITHIN_S)
        self.actors[index], self._nodes[index] = actor, place[0]
        return _seat(index, place, _nodes())

    def _elsewhere(self, index: int) -> str | None:
        """Return a host for a part whose own one is there for Ray and not for us; None where it is not so."""
        nodes = _nodes()
        own = next((node for node in nodes if node.node_id == self._nodes[index]), None)
        if own is None or answers(own.raylet):
            return None
        excluded = set(self._nodes) if self._rules.spread == "strict" else {own.node_id}
        return _with_room([node for node in nodes if node.node_id not in excluded], self._cpus)


def _nodes() -> Sequence[RayHost]:
    """Return the hosts that Ray counts among its own."""
    import ray

    return [
        RayHost(
            node["NodeID"], node["NodeManagerAddress"], node["NodeManagerPort"],
            node["Resources"].get("CPU", 0), node.get("Labels", {}),
        )
        for node in ray.nodes() if node["Alive"]
    ]  # fmt: skip


def _with_room(nodes: Sequence[RayHost], cpus: int) -> str | None:
    """Return the id of the first node that answers and has so many free cores; None where there is none."""
    from ray._private.state import available_resources_per_node

    free = available_resources_per_node()
    return first_that_answers(
        {node.node_id: node.raylet for node in nodes if free.get(node.node_id, {}).get("CPU", 0) >= cpus}
    )


def _free_cores(nodes: Sequence[RayHost]) -> Sequence[float]:
    """Return how many cores of each host nobody has."""
    from ray._private.state import available_resources_per_node

    free = available_resources_per_node()
    return [float(free.get(node.node_id, {}).get("CPU", 0)) for node in nodes]


def _shutdown() -> None:
    import ray

    ray.shutdown()


def _facts(nodes: Sequence[RayHost]) -> Sequence[Mapping[str, str]]:
    """Return what each host says of itself."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    ask = ray.remote(num_cpus=0)(_carried().facts_of_host)
    strategies = [NodeAffinitySchedulingStrategy(node.node_id, soft=False) for node in nodes]
    answers = [ask.options(scheduling_strategy=strategy).remote() for strategy in strategies]
    facts: Sequence[Mapping[str, str]] = ray.get(answers, timeout=PLACED_WITHIN_S)
    return facts


def _staged(folder: Path) -> Path:
    """Return a folder with what a generator needs of loadrig, for Ray to bring: a third of the whole."""
    house = Path(__file__).resolve().parents[1]
    staged = folder / "staged" / "loadrig"
    (staged / "engine").mkdir(parents=True)
    for name in ("__init__.py", "engine/__init__.py", "engine/__main__.py"):
        shutil.copy(house / name, staged / name)
    for program in house.glob("_native*"):
        if program.is_file():
            shutil.copy(program, staged / program.name)
    return staged


def _seat(index: int, place: tuple[str, int, str], nodes: Sequence[RayHost]) -> Seat:
    """Return the seat of a generator. place: what its actor says of itself."""
    node_id, pid, machine = place
    node = next(node for node in nodes if node.node_id == node_id)
    # Several nodes of Ray may be on one machine: what runs here is ours, whichever node it is of.
    is_here = machine == _carried().machine()
    return Seat(index, str(index + 1), node.host, pid if is_here else None, _label(node.labels))


def _carried() -> Any:
    """Return the module that runs on the hosts, as one that goes there by value."""
    from ray import cloudpickle

    from loadrig.fleet import _ray_actor, reach

    cloudpickle.register_pickle_by_value(_ray_actor)
    cloudpickle.register_pickle_by_value(reach)
    return _ray_actor


def _with_groups(actor: Any, module: Any) -> Any:
    """Return the class with each method in its group: one thread for lines out, one for all else."""
    import ray

    for name, method in list(vars(actor).items()):
        if callable(method) and not name.startswith("_"):
            group = module.FRAMES if name == "lines" else module.ORDERS
            setattr(actor, name, ray.method(concurrency_group=group)(method))
    return actor


def _label(labels: Mapping[str, str]) -> str:
    """Return what a user called a host; labels of Ray's own are left out."""
    return ",".join(f"{name}={value}" for name, value in sorted(labels.items()) if "ray.io/" not in name)
