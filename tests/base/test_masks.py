"""No secret of any shape gets into what is kept of a command line, an environment or an address."""

import string
import time
from urllib.parse import quote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from loadrig.base.masks import (
    MASK,
    is_secret_name,
    masked_address,
    masked_argv,
    masked_line,
    masked_text,
    masked_value,
)

MOST_S = 10.0
"""Seconds of the processor that a text of 60,000 letters may take; they grew to minutes with its square."""

# Words that the masks do not hold themselves, so that finding one means that it got through.
words = st.text("ghjkmqvwxyzGHJKMQVWXYZ", min_size=3, max_size=12).map(lambda text: f"Zq{text}7")
awkward = st.text(
    string.ascii_letters + string.digits + "!#$%&*+,-./:;<=>?@^_~|()", min_size=1, max_size=20
).map(lambda text: f"Zq{text}7")

NAMES = (
    "--password", "--requirepass", "--masterauth", "--db-password", "--api-key", "--apikey",
    "--access_token", "--auth-token", "--client-secret", "--secret", "--private-key", "--passphrase",
    "--pwd", "--db.pass", "-Dspring.datasource.password", "-DdbPassword",
    "-Djavax.net.ssl.keyStorePassword", "-DDBPASS", "--credentials", "--jwt", "--cookie",
    "--encryptionKey", "--admin_pw", "--psk", "--sasl-password", "-password", "--aws.secretKey",
)  # fmt: skip
VARIABLES = (
    "PASSWORD", "DB_PASSWORD", "MYSQL_PWD", "PGPASSWORD", "SECRET_KEY", "AWS_SECRET_ACCESS_KEY",
    "API_KEY", "GITHUB_TOKEN", "REDIS_PASS", "AUTH", "SESSION_COOKIE", "JWT", "SENTRY_DSN",
    "FLASK_SECRET_KEY", "ENCRYPTION_KEY",
)  # fmt: skip


def test_names_that_speak_of_secrets_are_known() -> None:
    assert [name for name in (*NAMES, *VARIABLES) if not is_secret_name(name)] == []


@pytest.mark.parametrize(
    "name",
    [
        "--keepalive", "--keep-alive", "--workers", "-Xmx512m", "--bind", "PYTHONPATH", "GOMAXPROCS",
        "--port",
        "--author", "--threads", "--max-requests", "UV_THREADPOOL_SIZE", "--timeout", "--host",
    ],
)  # fmt: skip
def test_names_of_plain_settings_are_not_taken_for_secrets(name: str) -> None:
    assert not is_secret_name(name)


@given(st.sampled_from(NAMES), awkward)
def test_the_word_after_an_option_of_such_a_name_is_masked(name: str, secret: str) -> None:
    masked = masked_argv(["server", name, secret, "--port", "80"])
    assert masked == ("server", name, MASK, "--port", "80")


@example(name="--password", secret="ZqPass")  # a secret that looks like the name of one
@given(st.sampled_from(NAMES), st.text(min_size=1).map(lambda text: f"Zq{text}"))
def test_what_is_joined_to_such_a_name_is_masked_whatever_it_holds(name: str, secret: str) -> None:
    masked = masked_argv(["server", f"{name}={secret}", "--port", "80"])
    assert masked == ("server", f"{name}={MASK}", "--port", "80")


@given(st.sampled_from(VARIABLES), st.text(min_size=1))
def test_variables_of_such_names_are_masked(name: str, secret: str) -> None:
    assert masked_value(name, secret) == MASK


@pytest.mark.parametrize(
    "form",
    [
        "mysql://shop:{}@db.example:3306/shop",
        "postgresql+psycopg2://shop:{}@10.0.0.5/shop?sslmode=require",
        "redis://:{}@cache:6379/0",
        "redis://{}@cache:6379/0",
        "amqp://guest:{}@q1:5672,guest:{}@q2:5672/vhost",
        "mongodb+srv://u:{}@cluster.example/db?retryWrites=true",
        "https://{}@sentry.example/3",
        "http://user:{}@proxy:3128",
        "jdbc:mysql://db/shop?user=shop&password={}",
        "jdbc:mysql://db/shop?password={}&user=shop",
        "jdbc:sqlserver://db;user=sa;password={};encrypt=true",
        "jdbc:oracle:thin:scott/{}@//db:1521/svc",
        "jdbc:mysql://address=(host=db)(user=shop)(password={})/shop",
        "shop:{}@tcp(db:3306)/shop",
        "shop:{}@db:3306/shop",
        "host=db user=shop password={} dbname=shop",
        "host=db password='{}' user=shop",
        "Server=db;Database=shop;User Id=sa;Password={};",
        "Endpoint=sb://x.example/;SharedAccessKeyName=n;SharedAccessKey={}",
        "Authorization: Bearer {}",
        "authorization: Basic {}",
        "X-Api-Key: {}",
        "Cookie: session={}",
        "Cookie: theme=dark; sid={}",
        "Set-Cookie: theme=dark; Path=/; sid={}; HttpOnly",
        "[('set-cookie', 'sid={}; Path=/')]",
        '["server", "--password", "{}"]',
        "{{b'token': b'{}'}}",
        r'{{"message": "{{\"token\": \"{}\", \"n\": 1}}"}}',
        "Bearer {}",
        '{{"password": "{}", "port": 80}}',
        "{{'secret_key': '{}'}}",
        '{{"db": {{"token":"{}"}}}}',
        "token={}",
        "PASSWORD = '{}'",
        "db.password={}",
        "api_key: {}",
        "requirepass {}",
        "url=jdbc:mysql://db/shop?password={}",
        "https://api.example/x?access_token={}&a=1",
        "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----",
    ],
)  # fmt: skip
@settings(max_examples=20)
@given(secret=words)
def test_no_secret_gets_through_by_its_form(form: str, secret: str) -> None:
    text = form.format(*[secret] * form.count("{}"))
    assert secret not in " ".join(masked_argv(["server", text]))
    assert secret not in " ".join(masked_argv(["server", "--url", text]))
    assert secret not in " ".join(masked_argv(["server", f"--url={text}"]))
    assert secret not in " ".join(masked_argv(["sh", "-c", f'exec server --url "{text}" --port 80']))
    assert secret not in masked_value("CATALINA_OPTS", f"-Xmx1g -Durl={text}")
    assert secret not in masked_address(text)
    assert secret not in masked_line(f"server {text}")


@pytest.mark.parametrize(
    "argv",
    [
        ("mysql", "-ushop", "-p{}", "shop"),
        ("mysqladmin", "-p", "{}", "status"),
        ("mysqld_safe", "-p{}"),
        ("redis-cli", "-a", "{}", "-p", "6379"),
        ("/usr/bin/redis-cli", "-a{}"),
        ("curl", "-u", "me:{}", "http://x/"),
        ("curl", "--user=me:{}", "http://x/"),
        ("curl", "-H", "Authorization: Bearer {}"),
        ("env", "DB_PASSWORD={}", "gunicorn", "app:app"),
        ("sshpass", "-p", "{}", "ssh", "host"),
        ("sh", "-c", "mysql -ushop -p{} shop"),
        ("sh", "-c", "mysql --password '{}' shop"),
        ("sh", "-c", "MYSQL_PWD={} mysql shop"),
        ("bash", "-lc", 'export API_TOKEN="{}"; exec server'),
        ("python", "-c", "connect('{}')"),
        ("python3.11", "-u", "-c", "x = '{}'"),
        ("node", "-e", "login('{}')"),
        ("java", "-Ddb.password={}", "-jar", "app.jar"),
        ("java", "-jar", "app.jar", "--spring.datasource.password={}"),
        ("gunicorn", "--env", "SECRET_KEY={}", "app:app"),
        ("redis-server", "*:6379", "--requirepass", "{}"),
        ("server", "config", "set", "requirepass", "{}"),
        ("openssl", "-passin", "pass:{}"),
        ("ldapsearch", "-w", "{}"),
        ("nginx: master process nginx -g env API_KEY={};",),
        ("gunicorn: master [app:app] --password={}",),
    ],
)
@settings(max_examples=20)
@given(secret=words)
def test_no_secret_of_a_command_line_gets_through(argv: tuple[str, ...], secret: str) -> None:
    masked = masked_argv(word.format(secret) for word in argv)
    assert secret not in "\0".join(masked)
    assert len(masked) == len(argv)


@given(awkward)
@example("Zqa/b@c:d7")
def test_a_password_in_an_address_may_hold_anything(secret: str) -> None:
    text = f"postgresql://shop:{secret}@db.example:5432/shop"
    assert masked_address(text) == f"postgresql://{MASK}@db.example:5432/shop"
    assert masked_text(text).startswith(f"postgresql://{MASK}@")
    assert masked_address(f"redis://:{quote(secret, safe='')}@cache/0") == f"redis://{MASK}@cache/0"


@pytest.mark.parametrize(
    "secret",
    [
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "sk-proj-4f9a8b7c6d5e4f3a2b1c",
        "xoxb-123456789012-abcdefABCDEF",
        "AKIAIOSFODNN7EXAMPLE",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w",
        "glpat-Ab3dEf6hIj9kLmNo",
        "d41d8cd98f00b204e9800998ecf8427e",
        "wJalrXUtnFEMIK7MDENG9bPxRfiCYEXAMPLEKEY",
        "hf_AbCdEfGhIjKlMn",
        "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
    ],
)
def test_keys_that_can_be_told_by_their_looks_are_masked_wherever_they_stand(secret: str) -> None:
    assert secret not in " ".join(
        masked_argv(["server", secret, "--x", secret, f"--y={secret}", f"a {secret} b"])
    )
    assert secret not in masked_value("HYPERCORN_X", secret)


@pytest.mark.parametrize(
    "argv",
    [
        ("gunicorn", "-b", "127.0.0.1:8000", "-w", "4", "-k", "gthread", "--keep-alive", "5", "shop:app"),
        ("java", "-Xmx512m", "-XX:+UseG1GC", "-Xlog:gc*:file=/tmp/gc.log:time,uptime", "shop.Main"),
        ("nginx: master process /usr/sbin/nginx -g daemon off;",),
        ("postgres", "-D", "/var/lib/postgresql/15/main", "-p", "5432", "-c", "max_connections=200"),
        ("redis-server", "127.0.0.1:6379"),
        ("node", "--max-old-space-size=512", "/srv/shop/server.js"),
        ("python", "-m", "uvicorn", "shop:app", "--port", "8000", "--workers=2"),
        ("memcached", "-p", "11211", "-m", "64"),
        ("server", "--upstream", "http://10.0.0.5:8080/path"),
    ],
)  # fmt: skip
def test_a_command_line_without_secrets_stays_as_it_is(argv: tuple[str, ...]) -> None:
    assert masked_argv(argv) == argv


@pytest.mark.parametrize(
    ("given_as", "shown"),
    [
        ("redis://cache:6379/0", "redis://cache:6379/0"),
        ("jdbc:postgresql://db:5432/shop?user=a&password=b", "jdbc:postgresql://db:5432/shop"),
        ("cache:6379", "cache:6379"),
        ("10.0.0.5", "10.0.0.5"),
        ("[::1]:6379", MASK),
        ("postgresql:///shop?host=/run/postgresql", "postgresql:///shop"),
        ("kafka-1:9092,kafka-2:9092", MASK),
        ("", MASK),
    ],
)
def test_of_an_address_only_what_is_understood_is_kept(given_as: str, shown: str) -> None:
    assert masked_address(given_as) == shown


@given(st.lists(st.text()))
def test_any_command_line_keeps_its_number_of_words(argv: list[str]) -> None:
    assert len(masked_argv(argv)) == len(argv)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "piece", ["a", "/", "//a", "a:", "a: ", "A_", "://", "eyJ", "\\", '"', "%", "a1", "=", "-"]
)
def test_a_long_text_takes_time_in_proportion_to_its_length(piece: str) -> None:
    text = piece * (60_000 // len(piece))
    began = time.process_time()
    assert len(masked_text(text)) > 0
    assert time.process_time() - began < MOST_S
