"""Commands of curl: "copy as cURL" of browsers, and files of such commands.

## What is read

Files of commands as a shell of Unix reads them, with all of its quotes (`'...'`, `"..."`, `$'...'`), lines
that go on behind a backslash, here-documents, and variables that the file sets, in here-documents
and with a value of their own (`${NAME:-5}`) too; or as the command prompt of
Windows reads them, with carets.
Files that a command names are read where they lie in its folder or below.

## What is carried

Each address of each command, in order, by one user: method (`-X`, `-I`, `-G`, `-T`), headers, cookies
(`-b NAME=VALUE`), logins (`-u`, `--oauth2-bearer`), `-A`, `-e`, `-r`.
Data of every kind: `-d`, `--data-raw`, `--data-binary`, `--data-urlencode`, `--json`, `--url-query`, and
forms (`-F`, `--form-string`), with files.
`-L` with `--max-redirs`, `-k`, `--max-time`, `--connect-timeout`.
Requests to other servers than the one that most go to name theirs, which stands under `servers`.

## What is altered

A variable that the file does not set becomes a hole with a feed to write its values into.
Headers of one name are joined to one.
`--compressed` asks for gzip; where no command has it, `Accept-Encoding: identity` is sent, so that the server
compresses no more than for curl.
`-k` and `--connect-timeout` of one command hold for all.
Where a method is named (`-X`) and redirects are followed, curl keeps the method; a plan asks as browsers do.
Where a command has no time-out, that of a plan holds: 30 s.
Without `-A`, `User-Agent` is that of loadrig.

## What is dropped

Options about output, proxies, versions of HTTP, certificates; logins other than basic; patterns of addresses
(`[1-9]`, `{a,b}`); methods and protocols that a plan does not have; other programs than curl.
Commands that are run only where another one failed (behind `||` or `else`).

Source: curl(1), and src/ of curl/curl.
"""

import re
from collections.abc import Iterator, Sequence

from loadrig.base.errors import PlanError
from loadrig.converters._account import PartsAccount
from loadrig.converters._address import PlanServers, ServerAddress
from loadrig.converters._curl_options import options_of
from loadrig.converters._curl_request import CommandReader, order_of_part
from loadrig.converters._draft import Conversion, FeedDraft
from loadrig.converters._plain_requests import MOST_REQUESTS, PlainRequest, main_server, plan_of
from loadrig.converters._shell_words import (
    OpenVariables,
    ShellCommand,
    ShellWord,
    UnixShellReader,
    WindowsPromptReader,
)
from loadrig.converters._source import TestSource, encoding_of
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.curl import ConvertersCurlErrors, ConvertersCurlTexts
from loadrig.language.en.converters.room import ConvertersTexts
from loadrig.plan.holes import holes_in
from loadrig.plan.model import Feed, Tls
from loadrig.plan.servers import MOST_SERVERS

TEXTS, ERRORS = texts_of(ConvertersCurlTexts), texts_of(ConvertersCurlErrors)
ROOM_TEXTS = texts_of(ConvertersTexts)

TOOL = "curl"
FILES = TEXTS.files

_CURL = re.compile(
    r"(?:[$>%]\s+)?(?:[A-Za-z_]\w*=\S*\s+)*(?:[\w./\\:-]*[/\\])?curl(?:\.exe)?(?:\s+[^\s=]|\s*[\\^]?$)"
)
_BEFORE = re.compile(r"#|@?echo\s+off|rem\b|::|set\b|cd\b|export\b|[A-Za-z_]\w*=|$", re.IGNORECASE)
_PROGRAM = re.compile(r"(?:.*[/\\])?curl(?:\.exe)?", re.IGNORECASE | re.DOTALL)
_PROMPTS = ("$", ">", "%", "sudo", "time", "exec", "if", "!", "then", "do", "else", "{", "(")
_OF_SHELLS = frozenset(("set", "cd", "rem", "@echo", "echo", "fi", "done", "then", "else", "}", "sleep"))
_CARETS = re.compile(r"[ \t]\^[ \t]*\r?$|[ \t]\^\"", re.MULTILINE)
_BACKSLASHES = re.compile(r"[ \t]\\\r?\n[ \t]*\S")
"""Signs of the two shells: how a line goes on, and how a quote begins."""


def recognises(head: bytes, name: str) -> bool:
    """Return whether the first command of a file is of curl."""
    del name
    text = head.decode(encoding_of(head), "replace").removeprefix("\ufeff")
    for line in text.splitlines():
        bare = line.strip()
        if _CURL.match(bare):
            return True
        if not _BEFORE.match(bare):
            return False
    return False


def convert(source: TestSource) -> Conversion:
    """Return the plan of a file of commands. Raise PlanError `import.bad-test`, `import.too-large`."""
    return _CurlConversion(source).result()


class _CurlConversion:
    """Work on one file."""

    def __init__(self, source: TestSource) -> None:
        self._source = source
        self._account = PartsAccount()
        self._variables = OpenVariables()
        self._reader = CommandReader(source, self._account, self._variables.names)

    def result(self) -> Conversion:
        """Return the plan and the account of it."""
        requests = list(self._requests())
        server = main_server(requests) or ServerAddress("http", "127.0.0.1", 0)
        servers = PlanServers(server.url)
        here = []
        for request in requests:
            if request.address.is_open or servers.take(request.address.url):
                here.append(request)
                continue
            why = ROOM_TEXTS.too_many_servers(MOST_SERVERS)
            self._account.drop(request.place, TEXTS.command, why, request.order)
        if here:
            self._account.carry(TEXTS.requests, len(here))
        self._give_encoding(here)
        reader = self._reader
        has_tls = any(url.startswith("https") for url in (servers.target, *servers.further.values()))
        for is_mixed, what in (
            (reader.insecure == {True, False} and has_tls, "-k"),
            (reader.keeps_cookies == {True, False}, "-b, -c"),
            (bool(reader.connect_timeouts_s) and len(here) > 1, "--connect-timeout"),
        ):
            if is_mixed:
                self._account.alter(self._source.name, what, TEXTS.for_all, 0)
        for line in self._variables.outputs:
            self._drop(line, "$(...)", TEXTS.no_output)
        for line in self._variables.computed:
            self._drop(line, "${...}", TEXTS.no_expansion)
        plan = plan_of(
            here,
            servers,
            cookies=True in reader.keeps_cookies,
            feeds=self._feeds(here),
            connect_timeout_s=max(reader.connect_timeouts_s, default=None),
            tls=Tls(insecure=True in reader.insecure and has_tls),
        )
        return Conversion(plan, self._account.dropped, self._account.altered, self._account.carried)

    def _requests(self) -> Iterator[PlainRequest]:
        text = self._source.text().removeprefix("\ufeff")
        is_windows = self._source.name.lower().endswith((".bat", ".cmd")) or (
            bool(_CARETS.search(text)) and not _BACKSLASHES.search(text)
        )
        reader = (WindowsPromptReader if is_windows else UnixShellReader)(
            text, self._variables, self._refusal
        )
        count = 0
        for command in reader.commands():
            words = _of_curl(command.words)
            if words is None:
                self._drop_other(command)
                continue
            if command.is_alternative or command.words[0].text == "else":
                self._drop(command.line, TEXTS.command, TEXTS.only_after_failure)
                continue
            requests = self._reader.requests(command, list(options_of(words)))
            count += len(requests)
            if count > MOST_REQUESTS:
                self._drop(command.line, TEXTS.command, TEXTS.too_many(MOST_REQUESTS))
                return
            yield from requests
            if command.ended_by == "&":
                place = ROOM_TEXTS.at_line(command.line)
                order = order_of_part(command.line)
                self._account.alter(place, TEXTS.command, TEXTS.ends_at_ampersand, order)

    def _drop_other(self, command: ShellCommand) -> None:
        name = command.words[0].text
        if name not in _OF_SHELLS:
            shown = "".join(sign if sign.isprintable() else " " for sign in name[:40])
            self._drop(command.line, shown or '""', TEXTS.no_curl)

    def _drop(self, line: int, what: str, why: str) -> None:
        self._account.drop(ROOM_TEXTS.at_line(line), what, why, order_of_part(line))

    def _refusal(self, line: int) -> PlanError:
        return self._source.bad(ERRORS.open_quote, ERRORS.close_quote, line=line)

    def _give_encoding(self, requests: Sequence[PlainRequest]) -> None:
        """Ask for no compression, as curl does without --compressed."""
        if True in self._reader.compressed:
            return
        for request in requests:
            if not any(name.lower() == "accept-encoding" for name in request.headers):
                request.headers["Accept-Encoding"] = "identity"

    def _feeds(self, requests: Sequence[PlainRequest]) -> dict[str, FeedDraft]:
        feeds: dict[str, FeedDraft] = {}
        for request in requests:
            texts = [request.target, *request.headers.values()]
            texts += [request.body] if isinstance(request.body, str) else []
            for name in (hole for text in texts for hole in holes_in(text)):
                if name not in feeds:
                    feeds[name] = FeedDraft(Feed(values=(f"${name}",)), comment=TEXTS.nothing_sets(name))
                    how = TEXTS.nothing_sets(name)
                    self._account.alter(request.place, f"${name}", how, request.order - 1)
        return feeds


def _of_curl(words: Sequence[ShellWord]) -> Sequence[ShellWord] | None:
    """Return the words behind the program's name; None for a command of another program."""
    for number, word in enumerate(words):
        if _PROGRAM.fullmatch(word.text):
            return words[number + 1 :]
        if word.text not in _PROMPTS:
            return None
    return None
