"""Sentences of `limits` in English, a class for each of its files."""


class JudgementLimitsHoldersTexts:
    by_share_missing_index = "reading rows that no index leads to"
    by_share_n_plus_one = "the statements of one request"
    by_share_connection_churn = "opening connections"
    programs_none_server = "programs that are none of the server's"
    other_virtual_machines = "other virtual machines (steal)"
    mend = "another host, or an instance whose cores are its own; mark this run"
    what_asked_because = "what was asked because its key was missing from the cache"
    clients_send_request = "clients that send a request slowly, or keep a connection without one,"
    let_something_wait = (
        "let something wait for clients that holds no worker meanwhile: a proxy that takes in whole"
        " requests, threads or an event loop; a shorter time-out for clients"
    )
    accepting_connection_each = "accepting a connection for each request"
    collecting_garbage = "collecting garbage"
    starting_up = "starting up"
    starting_up_anew = "starting up anew"
    threads_ran_when = "threads that ran on when no request was there"
    switching_between_threads = "switching between its threads"
    what_they_cost = "what they cost each other shows only beside a run with fewer"

    def no_cpu_time(self, unseen: str) -> str:
        return f"{unseen}, of which no CPU time was read, may be who it was (run as root)"

    def waiting_for(self, name: str) -> str:
        return f"waiting for {name}"

    def let_do_background(self, name: str) -> str:
        return f"let {name} do its background work in a process of its own, on another core, or rarer"
