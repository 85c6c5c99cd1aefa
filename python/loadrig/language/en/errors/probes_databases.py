"""Errors of the probes of databases and caches in English. server: its address, as a person writes it."""

from loadrig.base.error_words import ErrorWords


class ProbesRedisErrors:
    """Errors of `probes.redis`. word: the first word of redis' error."""

    def access_refused(self, server: str, word: str, command: str) -> ErrorWords:
        why = {
            "NOAUTH": "asks for a password",
            "NOPERM": "does not let this user read INFO",
            "DENIED": "is in protected mode and turns away other hosts",
        }
        return ErrorWords(
            what=f"{server} {why.get(word, 'does not take this password')}",
            mend=(
                "give it in the plan, `probes: [{redis: {user: loadrig, password_env: REDIS_PASSWORD}}]`, and"
                f" make redis know the user: {command}"
            ),
        )

    def trouble(self, server: str, word: str, shown: str) -> ErrorWords:
        why = {
            "LOADING": "is loading its data",
            "BUSY": "is busy with a script that does not end",
            "MASTERDOWN": "has lost its primary",
        }
        return ErrorWords(
            what=f"{server} {why.get(word) or f'answers {shown}'}",
            mend="look into its log, and whether it runs well",
        )

    def command_not_allowed(self, command: str, user: str, right: str) -> str:
        return f"{command} is not allowed to the user {user}: ACL SETUSER {user} {right}"


class ProbesMariadbErrors:
    """Errors of `probes.mariadb`. rights: the statements that grant them."""

    def not_let_in(self, server: str, why: str, rights: str) -> ErrorWords:
        return ErrorWords(
            what=f"{server} does not let us in: {why}",
            mend=(
                "give it in the plan, `probes: [{mariadb: {user: loadrig, password_env: MARIADB_PASSWORD}}]`,"
                f" and make the user: CREATE USER loadrig IDENTIFIED BY 'PASSWORD'; {rights}"
            ),
        )

    def needs_cryptography(self, server: str, error: str) -> ErrorWords:
        return ErrorWords(
            what=f"{server} wants a form of password that needs the package cryptography: {error}",
            mend="pip install cryptography, or ask over the Unix socket",
        )

    def table_unreadable(self, table: str, why: str, rights: str) -> str:
        return f"{table} cannot be read: {why}; {rights or 'this server does not have it'}"


class ProbesPostgresqlErrors:
    """Errors of `probes.postgresql` and `probes._databases.postgresql_wire`."""

    def not_let_in(self, server: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"{server} does not let us in: {why}",
            mend=(
                "give it in the plan,"
                " `probes: [{postgresql: {user: loadrig, password_env: POSTGRES_PASSWORD}}]`, and make the"
                " user: CREATE ROLE loadrig LOGIN PASSWORD 'PASSWORD' IN ROLE pg_monitor"
            ),
        )

    titles_silent = (
        "the titles of PostgreSQL's processes do not say what its sessions do: update_process_title is off;"
        " set it on (it costs next to nothing on Linux), or let the probe postgresql in"
    )

    def sessions_hidden(self, user: str) -> str:
        return f"what sessions do is hidden from the user {user}: GRANT pg_monitor TO {user}"

    def statements_unreadable(self, why: str) -> str:
        return f"pg_stat_statements cannot be read: {why}"


class ProbesMemcachedErrors:
    """Errors of `probes._databases.memcached_stats`."""

    def login_wanted(self, server: str) -> ErrorWords:
        return ErrorWords(
            what=f"{server} asks for a login",
            mend="give it a port of its own on 127.0.0.1 without -Y or -S",
        )

    def other_protocol(self, server: str) -> ErrorWords:
        return ErrorWords(
            what=f"{server} does not speak the protocol of memcached",
            mend="correct `at` of the probe memcached",
        )


class ProbesRespErrors:
    """Errors of `probes._databases.resp`."""

    def other_protocol(self, server: str) -> ErrorWords:
        return ErrorWords(
            what=f"{server} does not speak the protocol of redis", mend="correct `at` of the probe redis"
        )
