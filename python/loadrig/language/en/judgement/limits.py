"""Sentences of `limits` in English, a class for each of its files."""


class JudgementLimitsHoldersTexts:
    by_share_missing_index = "reading rows that no index leads to"
    by_share_n_plus_one = "the statements of one request"
    by_share_connection_churn = "opening connections"
    by_share_pool_too_large = "transactions that are rolled back and made again"
    programs_none_server = "programs that do not belong to the server"
    other_virtual_machines = "other virtual machines (steal)"
    mend = "another host, or an instance with dedicated cores; mark this run"
    what_asked_because = "queries for keys that were missing in the cache"
    clients_send_request = "clients that send a request slowly, or keep a connection without one,"
    let_something_wait = (
        "let a part wait for slow clients that needs no worker for it: a proxy that buffers whole"
        " requests, threads or an event loop; a shorter time-out for clients"
    )
    accepting_connection_each = "accepting a connection for each request"
    reading_pages_back = "reading evicted pages back, and making room for them,"
    collecting_garbage = "collecting garbage"
    starting_up = "starting up"
    starting_up_anew = "restarting"
    threads_ran_when = "threads that ran when there was no request"
    calls_given_up = "calls whose callers had given up"
    waking_in_vain = "waking workers for which there was no request"
    refilling_caches = "refilling caches at each change from one worker to another"
    switching_between_threads = "switching between its threads"
    what_they_cost = "their cost to each other shows only in comparison with fewer"

    def no_cpu_time(self, unseen: str) -> str:
        return f"{unseen}, whose CPU time was not read, may be that program (run as root)"

    def waiting_for(self, name: str) -> str:
        return f"waiting for {name}"

    def wait_longer(self, caller: str, name: str) -> str:
        return (
            f"let {caller} wait for {name} longer than it takes, ask again less often and after a growing"
            f" pause, and let {name} stop what its callers have given up"
        )

    def let_do_background(self, name: str) -> str:
        return f"let {name} do its background work in a process of its own, on another core, or less often"
