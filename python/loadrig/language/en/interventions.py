"""Sentences of `interventions` in English, a class for each of its files."""


class InterventionsCapacityTexts:
    none_has_more = "none: the component has more CPU than before"
    no_cpu_uses = "no CPU that it uses is taken away"
    fifth_cpu_uses = "a fifth of the CPU that it uses is taken away"

    def cores(self, number: str, is_singular: bool) -> str:
        return f"{number} {'core' if is_singular else 'cores'}"

    def cpu_to(self, name: str, cores: str, ratio: str) -> str:
        return f"CPU of {name}: {cores} to {ratio}"


class InterventionsCoresTexts:
    what_runs_busiest = "What runs on the busiest cores, for 2 ms of every 10 ms."
    name = "Shared cores"
    fifth_cores_taken = "a fifth of these cores is taken from all programs on them"
    generator_too = ", the generator, too"
    only_roughly_right = "; only roughly, as the right to real-time priority is missing"

    def core_numbers(self, numbers: str, is_singular: bool) -> str:
        return f"{'core' if is_singular else 'cores'} {numbers}"

    def to(self, named: str, processes: str, cores: str, ratio: str) -> str:
        return f"{named} ({processes}): {cores} to {ratio}"


class InterventionsCpuQuotaTexts:
    cpu_quota_component = "The CPU quota of the component's control group; changed back."
    name = "CPU quota"


class InterventionsCpuWeightTexts:
    weight_component = "The CPU weight of the component's control group; changed back."
    name = "CPU weight"
    others_wait = "none: the component goes first, and other programs on its cores wait"

    def before_others(self, component: str) -> str:
        return f"{component} before all others on its cores"


class InterventionsDependencyDelayTexts:
    proxy_rig_loopback = (
        "A proxy of loadrig on loopback, through which the server reaches the dependency; ended."
    )
    name = "Delay of a dependency"

    def way_longer(self, name: str, longer: str) -> str:
        return f"way to {name}: {longer} longer"

    def each_round_trip(self, name: str, longer: str) -> str:
        return f"each round trip to {name} took {longer} longer"


class InterventionsKnobStepTexts:
    knob_server_rig = "One knob of a server that loadrig restarts for it."
    name = "Knob of the target"
    as_it_is = "as it is"

    def title(self, name: str, old: str, value: str) -> str:
        return f"{name}: {old} to {value}"


class InterventionsLoadShapeTexts:
    name = "Shape of the load"
    shape_identity = "Every request asks for an answer without compression."
    shape_keep_alive = "Connections that were closed after each answer are kept."
    shape_spread_logins = (
        "Each token is renewed at a random moment of the second half of its lifetime, not at its end."
    )
    shape_half_rate = "Half the rate, or half the users."
    shape_without = "One route is left out: `without:NAME`, or each in turn."
    connections_closed_after = "connections: closed after each answer to kept"
    in_step = "in step"
    load_all_half = "the load: all of it to half"

    def accept_encoding_identity(self, before: str) -> str:
        return f"Accept-Encoding: {before} to identity"

    def logins_spread_over(self, before: str, share: str) -> str:
        return f"logins: {before} to spread over {share} of a token's life"

    def model_to(self, model: str, before: str, after: str) -> str:
        return f"{model}: {before} to {after}"

    def connections_to(self, most: str, fewer: str) -> str:
        return f"connections: {most} to {fewer}"

    def gives_others(self, name: str, sorted_text: str) -> str:
        return f"{name} gives {sorted_text} to others"

    def without(self, name: str) -> str:
        return f"without {name}"


class InterventionsProxyTexts:
    def proxy_to(self, address: str) -> str:
        return f"proxy to {address}"


class InterventionsStoppedTexts:
    busy_processes_component = "Busy processes of the component, for 2 ms of every 10 ms."
    sigstop_sigcont = "SIGSTOP and SIGCONT, for that."
    name = "Stopped for moments"
