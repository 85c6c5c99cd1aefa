"""Sentences of `account` in English, a class for each of its files."""


class AccountGrowthWordsTexts:
    first_two_grew = "; which of the first two grew more is not known"

    def answered(self, requests_per_s: str) -> str:
        return f" ({requests_per_s}/s were answered)"

    def from_to(self, low: str, high: str, answered: str, became: str) -> str:
        return f"From {low} to {high}{answered} {became}."

    def in_the_dips(self, became: str) -> str:
        return f"In the dips {became}."

    def request_became_shorter(self, ms: str, second: str, first: str) -> str:
        return f"a request became {ms} shorter ({second} instead of {first})"

    def span(self, low: str, high: str) -> str:
        return f"{low} to {high}"

    def request_time_changed(self, first: str, second: str, span: str) -> str:
        return f"a request's time changed from {first} to {second}, which may be chance (95 % {span})"

    def request_became_longer(self, ms: str) -> str:
        return f"a request became {ms} longer"

    def most_not_accounted(self, longer: str) -> str:
        return f"{longer}, most of which is not accounted for"

    def part_cannot(self, longer: str) -> str:
        return f"{longer}; in which part is not known"

    def all_of_it(self, longer: str, words: str) -> str:
        return f"{longer}, all of it {words}"

    def first_part(self, ms: str, words: str) -> str:
        return f"{ms} of it {words}"

    def part(self, ms: str, words: str) -> str:
        return f"{ms} {words}"


class AccountReadTexts:
    socket_stages = "socket stages"
    in_hand = "in hand"
    thread_states = "thread states"
    probe_socket_stages = "the probe socket_stages did not watch it"
    no_socket_port = "no socket of its ports was observed"
    asked_over_unix = "it is reached over a Unix socket, which has no timestamps"
    probe_thread_states = "the probe thread_states did not watch it"
    cpu_time_not = "its CPU time was not read"
    time_threads_waited = "the time that its threads waited for a core was not read"


class AccountRouteWordsTexts:
    def and_more(self, routes: str) -> str:
        return f", and {routes} more"

    def by_route(self, named: str, more: str) -> str:
        return f"By route: {named}{more}."

    def part(self, ms: str, words: str) -> str:
        return f"{ms} {words}"


class AccountRoutesTexts:
    queues = "time in queues (not accepted, waiting for a worker, a core or a pool)"
    generator_response_less = "the generator: response less service, connecting too"
    requests_all_routes = "requests of all routes share these queues"
    mix_routes_varies = "the mix of the routes varies too little to estimate the time of each"

    def regression_rates_routes(self, series: str) -> str:
        return f"regression of {series} on the rates of the routes"


class AccountSentenceTexts:
    waiting_load_generator = "waiting in the load generator"
    opening_connection = "opening the connection"
    waiting_accepted = "waiting to be accepted"
    waiting_to_be_read = "waiting to be read (no worker, event loop or core is free)"
    running_cpu = "running on the CPU"
    waiting_core = "waiting for a core"
    standing_still_cpu = "throttled by the CPU quota"
    waiting_disk = "waiting for the disk"
    waiting_inside_server = "waiting inside the server (pool, lock, event loop or queue)"
    sending_answer = "sending the answer"
    waiting_for = "waiting for {of}"
    connecting_to = "connecting to {of}"
    answers_waiting_read = "answers of {of} waiting to be read"
    holding_transaction_open = "holding a transaction of {of} open without using it"
    rest = "the rest"
    the_server = "the server"

    def part(self, ms: str, words: str) -> str:
        return f"{ms} {words}"

    def parts(self, total: str, listed: str) -> str:
        return f"Of {total}: {listed}."

    def parts_within(self, total: str, dependency: str, listed: str) -> str:
        return f"Of {total} in {dependency}: {listed}."

    def overlapping(self, listed: str, over: str) -> str:
        return f"{listed} (counted apart, together {over} more than the whole)"


class AccountSplitTexts:
    generator_response_less = "the generator: response less service less connect"
    generator_connect = "the generator: connect"
    socket_stages_out = "socket_stages.{} of out:{}"
    scaled_fit = ", scaled to fit"
    hand_less_all = "in hand less all of the above"
    thread_states_threads = "thread_states.threads of state:disk"
    run_delay = "run delay"
    run_delay_requests = "run delay, by requests in hand and unread"
    cgroup_throttled_s = "cgroup.throttled_s by the threads that wanted each core"

    def socket_stages_idle(self, name: str) -> str:
        return f"socket_stages.idle of out:{name}, client_idle_in_transaction of {name}"

    def less_throttled(self, source: str) -> str:
        return f"{source}, less throttled"


class AccountStatesTexts:
    request_due_generator = (
        "The request is due and the generator has not sent it: no connection is free, or it is late."
    )
    response_time_less = (
        "Response time less service time, less `connecting`; where a queue grows, the queue's length."
    )
    connection_being_opened = (
        "A connection is being opened, the TLS handshake included. With `of`: a connection to a dependency."
    )
    generator_histogram_connect = (
        "The generator's histogram `connect`. With `of`: the server's own sockets that are not yet open."
    )
    request_has_arrived = "The request has arrived, and no process has accepted its connection."
    connections_without_process = "Connections without a process on which data has come."
    connection_accepted_no = "The connection is accepted, and no worker or event loop has read the request."
    connections_served_port = "Connections of the served port whose receive queue is not empty."
    request_hand_waits = "The request is in hand and waits for an answer of the dependency `of`."
    component_own_connections = (
        "The component's own connections to it on which data went out after data last came in; over a Unix"
        " socket its threads that read such a connection."
    )
    dependency_has_answered = "The dependency `of` has answered, and the component has not read the answer."
    component_own_connections_whose = (
        "The component's own connections to it whose receive queue is not empty."
    )
    request_hand_runs = "The request is in hand and runs on a core."
    cpu_seconds_component = (
        "CPU seconds of the component's processes, at most what is left of the time in hand."
    )
    request_hand_thread = "The request is in hand, and its thread could run but has no core."
    run_delay_component = (
        "Run delay of the component's threads, at most what `running` and `disk` leave of the time in hand."
        " Where each thread reads a connection of its own, some of them have yet to read what has come, and"
        " the delay is shared with `unread` and `answer_unread` by their numbers; the interval holds all of"
        " it."
    )
    runnable_while_control = "As `runnable`, while the control group has used up its CPU quota."
    time_throttled_threads = (
        "Time throttled by the threads that wanted to run on each core, at most the run delay."
    )
    request_hand_thread_waits = "The request is in hand, and its thread waits for a disk."
    threads_disk_wait = "Threads in disk wait, at most what is left of the time in hand."
    request_hand_holds = (
        "The request is in hand and holds a connection to the database `of` in the middle of a transaction,"
        " without a statement that runs."
    )
    connections_nothing_under = (
        "Connections on which nothing is under way and whose session the database lists as idle in a"
        " transaction, at most what is left of the time in hand."
    )
    rest_time_hand = (
        "The rest of the time in hand: the request waits inside the process, for a connection of a pool, a"
        " lock, the interpreter, an event loop, a queue, a timer or another thread's work."
    )
    time_hand_less = (
        "Time in hand less all of the above. Waits for a lock are in it: from outside, a thread that waits"
        " for a lock and one that waits for work look alike."
    )
    answer_or_first = (
        "The answer, or its first part, is sent and has not arrived: the network, a slow client, Nagle's"
        " algorithm against a delayed acknowledgement."
    )
    connections_served_port_bytes = (
        "Connections of the served port with bytes unsent or on their way; of a dependency at most what its"
        " callers still wait."
    )
    flag_parallel = (
        "More calls to dependencies are under way than requests are in hand: calls run beside each other, or"
        " in the background. Their times are scaled to fit."
    )
    flag_multiplexed = (
        "A connection carries several requests at once (HTTP/2, gRPC, WebSocket), so sockets count too few"
        " of them. The time in hand is what the other states leave."
    )
    flag_in_hand_unseen = (
        "Sockets do not show how many requests are in hand, so what is not on the CPU or at a dependency is"
        " not accounted for."
    )
    flag_background_cpu = (
        "Some of its CPU time belongs to no request in hand: background threads, or work before a request is"
        " read and after it is answered."
    )
    flag_others = "More requests are at the component than its known callers wait for: it has other callers."
    flag_alone = (
        "No caller's sockets show how long its requests take, so the total is the sum of its own states."
    )
    flag_abandoned = (
        "Clients have disconnected while their requests wait or are in hand: the server's work is lost."
    )
    flag_tied = "Many connections may be idle or not: the states in hand and awaiting are less certain."
    flag_partly_seen = (
        "The sockets were observed for only a part of the window; the account covers that part."
    )
    slot_cores = (
        "The cores that the component may use: `running`, `background` (its own threads that ran on when no"
        " request was there), `others` (other programs, measured or not), `stolen` by the hypervisor, `free`;"
        " beside them `runnable`."
    )
    slot_quota = "The CPU quota of its control group: `used`, `free`, and `throttled`, a share of the time."
    slot_threads = "All its threads, `of` a group where there are several: the states of `thread_states`."
    slot_busiest_thread = "The thread that ran most: `running`, `runnable`, `waiting`."
    slot_interpreter = (
        "The lock of a Python interpreter, of its busiest process: `held`, `free`; beside them `waiting`,"
        " the threads that want it."
    )
    slot_workers = "Its worker processes, where each holds one request at most: `in_hand`, `free`."
    slot_connections = (
        "Its own connections to the dependency `of`, as a pool has them: `awaiting`, `in_transaction` (idle"
        " in the middle of a transaction, by the database's word: taken, and nothing is asked), `idle`, …"
    )
    slot_host_cores = "All cores of its machine: `used`, `free`, and `stolen` by the hypervisor."
