"""Counters over restarts, the costliest by name, and statements without their values."""

from hypothesis import given
from hypothesis import strategies as st

from loadrig.probes._counting import OTHERS, Counters, Tops
from loadrig.probes._databases.statements import MOST_TEXT, Levels, statement

LIVES = st.lists(st.lists(st.integers(0, 1000), min_size=1, max_size=6), min_size=1, max_size=5)


@given(LIVES)
def test_a_counter_over_restarts_is_the_sum_of_its_lives(lives: list[list[int]]) -> None:
    counters: Counters[str] = Counters()
    totals = [0.0]
    for growths in lives:
        counters.begin_anew()
        value = 0
        for growth in growths:
            value += growth
            totals.append(counters.go_on("n", value))
    assert totals == sorted(totals)
    assert totals[-1] == sum(sum(growths) for growths in lives)


def test_a_reset_goes_on_and_a_small_fall_is_none() -> None:
    counters: Counters[str] = Counters()
    assert [counters.go_on("n", value) for value in (100, 99, 105, 2, 3)] == [100, 100, 105, 107, 108]


@given(
    st.lists(
        st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 50), min_size=1), min_size=1, max_size=8
    ),
    st.integers(1, 4),
)
def test_tops_lose_nothing_and_never_fall(looks: list[dict[str, int]], most: int) -> None:
    tops = Tops("s", most=most, per_look=2)
    tops.add({})
    sums = dict.fromkeys("abcdefgh", 0.0)
    last: dict[tuple[str, str], float] = {}
    for growths in looks:
        for kind, growth in growths.items():
            sums[kind] += growth
        now = tops.add({kind: {"s": value} for kind, value in sums.items()})
        assert all(now[key] >= value for key, value in last.items())
        assert sum(now.values()) == sum(sums.values())
        assert len({kind for _, kind in now} - {OTHERS}) <= most
        last = dict(now)


def test_what_may_be_old_is_counted_from_then_on() -> None:
    tops = Tops("s")
    tops.add({"a": {"s": 5.0}}, is_complete=False)
    assert tops.add({"a": {"s": 7.0}, "b": {"s": 900.0}}, is_complete=False) == {("s", "a"): 2.0}
    assert tops.add({"b": {"s": 901.0}})["s", "b"] == 1.0
    tops.begin_anew()
    assert tops.add({"b": {"s": 3.0}})["s", "b"] == 4.0


def test_a_level_that_is_gone_is_zero_and_too_many_are_others() -> None:
    levels = Levels(most=2)
    assert levels.add({"a": 5.0, "b": 3.0, "c": 1.0}) == {"a": 5.0, "b": 3.0, OTHERS: 1.0}
    assert levels.add({"b": 1.0}) == {"a": 0.0, "b": 1.0}


def test_statements_are_recognised() -> None:
    assert (
        statement("SELECT * FROM `t` WHERE `id` = 5 AND a IN ( ? , ? )")
        == "SELECT * FROM t WHERE id = ? AND a IN(?, ?)"
    )
    assert statement("/* trace 77 */ select $1, 'it''s' -- why\nfrom t1") == "select $1, ? from t1"
    assert statement("CREATE ROLE x PASSWORD 'secret'") == "CREATE ROLE"
    assert statement("SET session.password='secret'") == "SET session"


def test_of_a_long_statement_both_ends_are_kept() -> None:
    columns = ", ".join(f"orders.column_{number} AS orders_column_{number}" for number in range(30))
    whole = f"SELECT {columns} FROM orders WHERE orders.customer = ? LIMIT ?"
    short = statement(whole.replace("?", "5"))
    begin, end = short.split(" … ")
    assert whole.startswith(begin)
    assert whole.endswith(end)
    assert "WHERE" in end
    assert len(short) == MOST_TEXT


@given(st.text(alphabet="abcABC '\"\\;-/*$123", max_size=30))
def test_no_quoted_value_stays(secret: str) -> None:
    quoted = "'" + ("xyzzy" + secret).replace("\\", "\\\\").replace("'", "''") + "'"
    assert "xyzzy" not in statement(f"SELECT a FROM t WHERE b = {quoted} AND c = 1")
    assert "xyzzy" not in statement(f"ALTER ROLE app PASSWORD {quoted}")
