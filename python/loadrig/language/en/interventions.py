"""Sentences of `interventions` in English, a class for each of its files."""


class InterventionsCapacityTexts:
    """Sentences of `interventions.capacity`."""

    none_has_more = "none: it has more CPU than before"
    no_cpu_uses = "no CPU that it uses is taken"
    fifth_cpu_uses = "a fifth of the CPU that it uses is taken"

    def cpu_to(self, name: str, cores: str, ratio: str) -> str:
        return f"CPU of {name}: {cores} to {ratio}"


class InterventionsCoresTexts:
    """Sentences of `interventions.cores`."""

    what_runs_busiest = "What runs on the busiest cores, for 2 ms of every 10 ms."
    name = "Shared cores"
    fifth_cores_taken = "a fifth of these cores is taken from all that run on them"
    generator_too = ", the generator, too"
    only_roughly_right = "; only roughly, as the right to real-time priority is missing"

    def to(self, named: str, who: str, cores: str, ratio: str) -> str:
        return f"{named} ({who}): {cores} to {ratio}"


class InterventionsCpuQuotaTexts:
    """Sentences of `interventions.cpu_quota`."""

    cpu_quota_component = "The CPU quota of the component's control group; changed back."
    name = "CPU quota"


class InterventionsDependencyDelayTexts:
    """Sentences of `interventions.dependency_delay`."""

    proxy_rig_loopback = (
        "A proxy of the rig's on loopback, through which the server reaches the dependency; ended."
    )
    name = "Delay of a dependency"
    any_option = "any option"

    def way_longer(self, name: str, longer: str) -> str:
        return f"way to {name}: {longer} longer"

    def each_round_trip(self, name: str, longer: str) -> str:
        return f"each round trip to {name} took {longer} longer"

    def port(self, port: str) -> str:
        return f"port {port}"

    def target_does_not(self, member: str, wanted: str, name: str, own: str) -> str:
        return (
            f"target {member} does not name {wanted}, where {name} listens, in {own}, so the server cannot"
            " be told to go through a proxy"
        )

    def let_server_take(self, variable: str, host: str, port: str) -> str:
        return (
            "let the server take the address from a variable, and name it in the plan: env:"
            f" {{{variable}_ADDRESS: '{host}:{port}'}}"
        )


class InterventionsKnobStepTexts:
    """Sentences of `interventions.knob_step`."""

    knob_server_rig = "One knob of a server that the rig starts anew for it."
    name = "Knob of the target"
    let_plan_start = "let the plan start it: target: {command: …}, with its knobs under knob_flags"
    change_hand_compare = "change it by hand, and compare the runs"
    instead = "instead of"

    def title(self, name: str, old: str, value: str) -> str:
        return f"{name}: {old} to {value}"

    def server_rig_does(self, member: str) -> str:
        return f"{member} is a server that the rig does not start, and what is not started has no knobs"

    def declare_what_try(self, key: str, what: str, declaration: str, tried: str) -> str:
        return f"declare one: {key}: {{{what}: {declaration}}}, with what to try: {tried}"

    def no_knob_set(self, member: str, what: str) -> str:
        return f"no knob of {member} is known to set {what}"

    def what_now_not(self, name: str, where: str) -> str:
        return f"what {name} is now is not known, so there is nothing {where} it"

    def write_what_knobs(self, name: str) -> str:
        return f"write what it is: knobs: {{{name}: …}}"

    def nothing_says_what(self, name: str, where: str, old: str) -> str:
        return f"nothing says what {name} could be {where} {old}"

    def write_what_try(self, name: str) -> str:
        return f"write what to try: prove: {{knobs: {{{name}: …}}}}"


class InterventionsLoadShapeTexts:
    """Sentences of `interventions.load_shape`."""

    name = "Shape of the load"
    shape_identity = "Every request asks for an answer without compression."
    shape_keep_alive = (
        "Connections that were closed after each answer are kept, those that were kept are closed."
    )
    shape_spread_logins = (
        "Each token is renewed at a random moment of its life's second half, not at its end."
    )
    shape_half_rate = "Half the rate, or half the users."
    shape_without = "One route is left out: `without:NAME`, or each in turn."
    connections_closed_after = "connections: closed after each answer to kept"
    connections_closed = "connections: kept to closed"
    in_step = "in step"
    load_all_half = "the load: all of it to half"

    def accept_encoding_identity(self, before: str) -> str:
        return f"Accept-Encoding: {before} to identity"

    def logins_spread_over(self, jitter: str) -> str:
        return f"logins: {jitter} to spread over "

    def token_life(self, title: str, spread: str) -> str:
        return f"{title}{spread} of a token's life"

    def connections_to(self, most: str, fewer: str) -> str:
        return f"connections: {most} to {fewer}"

    def gives_others(self, name: str, sorted_text: str) -> str:
        return f"{name} gives {sorted_text} to others"

    def without(self, name: str) -> str:
        return f"without {name}"


class InterventionsProxyTexts:
    """Sentences of `interventions.proxy`."""

    def proxy_to(self, address: str) -> str:
        return f"proxy to {address}"

    def no_proxy_could(self, error: str) -> str:
        return f"no proxy could be started: {error}"


class InterventionsStoppedTexts:
    """Sentences of `interventions.stopped`."""

    busy_processes_component = "Busy processes of the component, for 2 ms of every 10 ms."
    sigstop_sigcont = "SIGSTOP and SIGCONT, for that."
    name = "Stopped for moments"
