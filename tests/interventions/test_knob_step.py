"""Steps of knobs: which knobs are meant, what they are set to, and that a real program is told it."""

import sys
import textwrap
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base import members
from loadrig.base.component import SERVER
from loadrig.base.setting import Knob, Setting, Value
from loadrig.base.unavailable import Unavailable
from loadrig.interventions import Lever, Variant
from loadrig.interventions._knob_values import derived, towards
from loadrig.interventions.knob_step import ROLES, does, every, variants
from loadrig.plan.load import read
from loadrig.plan.model import Plan

GUNICORN = 'gunicorn: {app: "shop:app"}'
COMMAND = "command: {argv: './server --port {port}', knob_flags: {%s}}"


def plan(target: str = GUNICORN, more: str = "") -> Plan:
    text = f"loadrig: 1\ntarget: {{{target}}}\nworkload: {{users: 2, requests: [{{get: /}}]}}\n{more}"
    return read(text, "plan.yaml")


def lever(what: str, where: str = "more") -> Lever:
    return Lever("knob", SERVER, what, where)  # type: ignore[arg-type]


def settings_of(steps: tuple[Variant, ...]) -> list[tuple[Setting, float | None]]:
    return [(variant.setting, variant.ratio) for variant in steps]


# --- which knobs ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "names"),
    [
        ("workers", ["workers", "web_concurrency", "WEB_CONCURRENCY", "worker_processes", "instances"]),
        ("threads", ["threads", "maxThreads", "server.tomcat.threads.max", "UV_THREADPOOL_SIZE"]),
        ("threads", ["max-threads", "thread_pool"]),
        ("processors", ["GOMAXPROCS", "ActiveProcessorCount"]),
        ("pool", ["pool", "pool_size", "maximumPoolSize", "spring.datasource.hikari.maximum-pool-size"]),
        ("pool", ["DB_POOL", "maxTotal", "max_open_conns", "connection_limit", "redis_max_connections"]),
        ("backlog", ["backlog", "acceptCount", "server.tomcat.accept-count"]),
        ("connections", ["worker_connections", "limit_concurrency", "maxConnections"]),
        ("keep_alive", ["keepalive", "timeout_keep_alive", "keepAliveTimeout", "maxKeepAliveRequests"]),
        ("compression", ["compression", "gzip", "gzip_level", "server.compression.enabled"]),
        ("heap", ["heap", "Xmx", "max_heap", "max-old-space-size", "GOMEMLIMIT", "MaxRAMPercentage"]),
        ("gc", ["gc", "GOGC"]),
        ("restarts", ["max_requests", "limit_max_requests"]),
        ("jitter", ["max_requests_jitter"]),
        ("class", ["worker_class"]),
        ("expiry", ["expiry", "ttl", "token_ttl"]),
        ("timeout", ["timeout", "worker_timeout"]),
        ("quota", ["quota", "cpus", "cores", "cpu_limit"]),
        ("logging", ["access_log", "requestLog", "log_level"]),
    ],
)  # fmt: skip
def test_knobs_are_known_by_their_names(role: str, names: list[str]) -> None:
    assert [name for name in names if not does(name, role)] == []
    others = set(ROLES) - {role, "pool", "connections"}
    assert {(name, other) for name in names for other in others if does(name, other)} == set()


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("max_requests_jitter", "restarts"), ("max_requests", "jitter"), ("keepAliveTimeout", "timeout"),
        ("timeout_keep_alive", "timeout"), ("minSpareThreads", "threads"), ("thread_pool", "pool"),
        ("innodb_buffer_pool_size", "pool"), ("maxLifetime", "expiry"), ("db_cores", "quota"),
        ("worker_class", "workers"), ("graceful_timeout", "timeout"), ("metaspace", "heap"),
    ],
)  # fmt: skip
def test_a_name_that_is_only_alike_is_another_knob(name: str, role: str) -> None:
    assert not does(name, role)


def test_every_knob_of_the_python_servers_that_proofs_need_has_a_role() -> None:
    without = {"http_parser", "asgi_loop", "worker_tmp_dir", "reuse_port", "sendfile", "graceful_timeout"}
    without |= {"loop", "http", "ws", "lifespan", "interface", "timeout_graceful_shutdown"}
    without |= {"proxy_headers", "server_header", "date_header"}
    names = {
        name for member in ("gunicorn", "uvicorn") for name in members.load("loadrig.target", member).KNOBS
    }
    assert {name for name in names - without if not any(does(name, role) for role in ROLES)} == set()


def test_a_lever_may_name_a_knob_itself(snapshot: SnapshotAssertion) -> None:
    (variant,) = variants(lever("sendfile", "other"), plan(), {})
    assert variant.setting == {"sendfile": False}
    assert variant.title == snapshot


def test_no_knob_for_it_says_how_one_is_declared(snapshot: SnapshotAssertion) -> None:
    with pytest.raises(Unavailable) as caught:
        variants(lever("pool"), plan(COMMAND % "workers: {flag: '-w {}', low: 1}"), {})
    assert caught.value.code == "prove.no-knob"
    assert 'knob_flags: {pool: {flag: "--pool {}"}}' in caught.value.mend
    assert "prove: {knobs: {pool: …}}" in caught.value.mend
    assert caught.value.reason == snapshot


def test_a_server_that_runs_already_has_no_knobs(snapshot: SnapshotAssertion) -> None:
    with pytest.raises(Unavailable) as caught:
        variants(lever("workers"), plan("external: http://127.0.0.1:8000"), {})
    assert caught.value.code == "prove.no-knob"
    assert (caught.value.reason, caught.value.mend) == snapshot


# --- to which value -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "where", "setting", "expected"),
    [
        ("workers", "more", {"workers": 3}, ("workers", 6, 2.0)),
        ("workers", "less", {"workers": 5}, ("workers", 2, 0.4)),
        ("workers", "other", {"workers": 3}, ("workers", 6, 2.0)),
        ("workers", "more", {"workers": 200}, ("workers", 256, 1.28)),
        ("workers", "other", {"workers": 256}, ("workers", 128, 0.5)),
        ("workers", "more", {}, ("workers", 2, 2.0)),
        ("backlog", "more", {}, ("backlog", 4096, 2.0)),
        ("preload", "other", {"preload_app": True}, ("preload_app", False, None)),
        ("preload", "more", {}, ("preload_app", True, None)),
        ("jitter", "more", {"max_requests": 1000}, ("max_requests_jitter", 1000, None)),
    ],
)
def test_a_value_is_made_up_from_the_present_one(
    what: str,
    where: str,
    setting: dict[str, Value],
    expected: tuple[str, Value, float | None],
    snapshot: SnapshotAssertion,
) -> None:
    (variant,) = variants(lever(what, where), plan(), setting)
    name, value, ratio = expected
    assert (variant.setting[name], variant.ratio) == (value, ratio)
    assert variant.title == snapshot
    assert variant.is_mend
    assert variant.lever == lever(what, where)
    assert {key: value for key, value in variant.setting.items() if key != name} == {
        key: value for key, value in setting.items() if key != name
    }


@pytest.mark.parametrize(
    ("what", "where", "setting", "mend"),
    [
        ("workers", "less", {"workers": 1}, "prove: {knobs: {workers: …}}"),
        ("workers", "more", {"workers": 256}, "prove: {knobs: {workers: …}}"),
        ("restarts", "more", {}, "prove: {knobs: {max_requests: …}}"),
        ("preload", "more", {"preload_app": True}, "prove: {knobs: {preload_app: …}}"),
    ],
)
def test_where_nothing_is_further_that_way_the_plan_may_name_it(
    what: str, where: str, setting: Setting, mend: str
) -> None:
    with pytest.raises(Unavailable) as caught:
        variants(lever(what, where), plan(), setting)
    assert (caught.value.code, mend in caught.value.mend) == ("prove.no-knob", True)


def test_a_word_may_become_every_other_word() -> None:
    steps = variants(lever("class", "other"), plan(), {"worker_class": "gthread"})
    assert [variant.setting["worker_class"] for variant in steps] == [
        "sync",
        "gevent",
        "eventlet",
        "tornado",
        "asgi",
    ]
    assert {variant.ratio for variant in steps} == {None}


def test_the_plans_values_for_proving_come_before_those_of_its_knobs_and_those_that_are_made_up() -> None:
    knobs = "knobs: {workers: [2, 16, 3, 5]}\nstudy: grid\n"
    steps = variants(lever("workers"), plan(more=knobs), {"workers": 2})
    # The nearest to twice as many first: it is the step that tells most.
    assert [variant.setting["workers"] for variant in steps] == [5, 3, 16]
    both = plan(more=f"{knobs}prove: {{knobs: {{workers: [1, 8, 2]}}}}\n")
    assert settings_of(variants(lever("workers"), both, {"workers": 2})) == [({"workers": 8}, 4.0)]
    assert settings_of(variants(lever("workers", "less"), both, {"workers": 2})) == [({"workers": 1}, 0.5)]
    # None of the named ones is above 9, so that of the plan's own knob is taken.
    assert settings_of(variants(lever("workers"), both, {"workers": 9})) == [({"workers": 16}, 16 / 9)]


def test_what_the_plan_names_for_proving_stands_first_among_several_knobs(
    snapshot: SnapshotAssertion,
) -> None:
    target = COMMAND % "threads: {flag: '-t {}', low: 1, default: '4'}, maxThreads: {env: T, low: 1}"
    planned = plan(target, "prove: {knobs: {maxThreads: 50}}\nknobs: {maxThreads: 10}\n")
    steps = variants(lever("threads"), planned, {"maxThreads": 10})
    assert [each.setting for each in steps] == [{"maxThreads": 50}, {"maxThreads": 10, "threads": 8}]
    assert [each.title for each in steps] == snapshot


def test_what_is_not_known_now_is_tried_only_where_its_direction_does_not_matter(
    snapshot: SnapshotAssertion,
) -> None:
    planned = plan(COMMAND % "pool: {flag: '--pool {}', low: 1}", "prove: {knobs: {pool: 20}}\n")
    with pytest.raises(Unavailable) as caught:
        variants(lever("pool"), planned, {})
    assert caught.value.code == "prove.no-knob"
    assert (caught.value.reason, caught.value.mend) == snapshot
    (step,) = variants(lever("pool", "other"), planned, {})
    assert (step.setting, step.ratio) == ({"pool": 20}, None)
    assert step.title == snapshot


def test_a_targets_option_of_the_knobs_name_is_its_present_value(snapshot: SnapshotAssertion) -> None:
    target = 'gunicorn: {app: "shop:app", timeout: 7s}'
    (variant,) = variants(lever("timeout"), plan(target), {})
    assert variant.setting == {"timeout": 14}
    assert variant.title == snapshot


@pytest.mark.parametrize(
    ("argument", "what", "flag"),
    [
        ("--workers=3", "workers", "--workers"),
        ("--workers", "workers", "--workers"),
        ("-w3", "workers", "-w"),
        ("-w", "workers", "-w"),
        ("--keep-alive", "keep_alive", "--keep-alive"),
    ],
)
def test_a_knob_that_the_targets_arguments_fix_cannot_be_turned(
    argument: str, what: str, flag: str, snapshot: SnapshotAssertion
) -> None:
    target = f'gunicorn: {{app: "shop:app", args: ["{argument}", "3"]}}'
    with pytest.raises(Unavailable) as caught:
        variants(lever(what), plan(target), {})
    assert caught.value.code == "prove.no-knob"
    assert flag in caught.value.reason.split()
    assert caught.value.reason == snapshot
    assert variants(lever("backlog"), plan(target), {})


# --- conditions -----------------------------------------------------------------------------------

CONDITIONS = """\
knobs:
  worker_class: [sync, gthread]
  workers: [1, 2]
  threads: {values: [4, 8], when: worker_class == gthread}
study: grid
"""


def test_a_knob_that_is_ruled_out_by_its_condition_is_not_turned(snapshot: SnapshotAssertion) -> None:
    with pytest.raises(Unavailable) as caught:
        variants(lever("threads"), plan(more=CONDITIONS), {"worker_class": "sync", "workers": 1})
    assert caught.value.code == "prove.no-knob"
    assert caught.value.reason == snapshot


def test_beside_another_word_the_knobs_are_those_that_apply_there() -> None:
    planned = plan(more=CONDITIONS)
    (to_threads,) = variants(
        lever("class", "other"), planned, {"worker_class": "sync", "workers": 2, "backlog": 64}
    )
    assert to_threads.setting == {"worker_class": "gthread", "workers": 2, "threads": 4, "backlog": 64}
    (back,) = variants(
        lever("class", "other"), planned, {"worker_class": "gthread", "workers": 2, "threads": 8}
    )
    assert back.setting == {"worker_class": "sync", "workers": 2}


# --- amounts --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "twice", "half"),
    [
        ("384m", "768m", "192m"), ("1g", "2g", "512m"), ("3G", "6G", "1536M"), ("64MB", "128MB", "32MB"),
        ("1GB", "2GB", "500MB"), ("1MB", "2MB", "500kB"), ("1 GiB", "2 GiB", "512 MiB"),
        ("1MiB", "2MiB", "512KiB"), ("100", "200", "50"), ("1k", "2k", "512"),
    ],
)  # fmt: skip
def test_a_size_is_doubled_and_halved_in_its_own_notation(old: str, twice: str, half: str) -> None:
    knob = Knob("heap", "text", "")
    assert list(derived(knob, old, "more")) == [twice]
    assert list(derived(knob, old, "less")) == [half]
    assert (towards(knob, old, twice), towards(knob, old, half)) == ("more", "less")
    assert (towards(knob, twice, old), towards(knob, half, old)) == ("less", "more")


def test_a_size_of_the_plan_has_a_ratio() -> None:
    planned = plan(COMMAND % "heap: {env: HEAP, kind: text}", "knobs: {heap: 1g}\n")
    (step,) = variants(lever("heap", "less"), planned, {"heap": "1g"})
    assert (step.setting, step.ratio) == ({"heap": "512m"}, 0.5)


def test_words_for_on_and_off_have_an_order() -> None:
    planned = plan(COMMAND % "gzip: {flag: '--gzip {}', words: ['on', 'off']}", "knobs: {gzip: 'on'}\n")
    (step,) = variants(lever("compression", "less"), planned, {"gzip": "on"})
    assert step.setting == {"gzip": "off"}
    with pytest.raises(Unavailable):
        variants(lever("compression", "more"), planned, {"gzip": "on"})


def test_of_a_text_that_is_no_amount_nothing_is_made_up() -> None:
    assert list(derived(Knob("worker_tmp_dir", "text", ""), "/dev/shm", "more")) == []


# --- all that the plan names ----------------------------------------------------------------------


def test_everything_that_the_plan_names_is_tried_whatever_it_does(snapshot: SnapshotAssertion) -> None:
    more = (
        "prove: {knobs: {worker_tmp_dir: /dev/shm, workers: [1, 2, 4], worker_class: gthread, threads: 8}}\n"
    )
    steps = every(plan(more=CONDITIONS + more), {"worker_class": "sync", "workers": 2})
    assert [
        (variant.setting[variant.lever.what], variant.lever.what, variant.lever.towards) for variant in steps
    ] == [
        ("/dev/shm", "worker_tmp_dir", "other"),
        (1, "workers", "less"),
        (4, "workers", "more"),
        ("gthread", "worker_class", "other"),
    ]
    assert [variant.title for variant in steps] == snapshot
    assert every(plan(), {}) == ()
    assert every(plan(more="prove: true\n"), {}) == ()


# --- the program is told --------------------------------------------------------------------------

ECHO = """\
    import http.server, os, sys
    print("told", sys.argv[2:], os.environ.get("POOL"), flush=True)
    class Ok(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()
    http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Ok).serve_forever()
"""


@pytest.mark.integration
def test_a_server_takes_a_knob_that_the_plan_does_not_set(tmp_path: Path) -> None:
    (tmp_path / "echo.py").write_text(textwrap.dedent(ECHO), encoding="utf-8")
    target = (
        f"command: {{argv: ['{sys.executable}', echo.py, '{{port}}'], chdir: '{tmp_path}', ready: /, "
        "knob_flags: {workers: {flag: '--workers {}', low: 1, default: '2'}, pool: {env: POOL, low: 1}}}"
    )
    planned = plan(target, "prove: {knobs: {pool: 20}}\n")
    assert planned.knobs == ()
    (workers,) = variants(lever("workers"), planned, planned.base_setting)
    (pool,) = every(planned, workers.setting)
    module = members.load("loadrig.target", planned.target.member)
    with module.start(planned.target.options, pool.setting, tmp_path, tmp_path):
        log = (tmp_path / "target.log").read_text(encoding="utf-8")
    assert "told ['--workers', '4'] 20" in log
