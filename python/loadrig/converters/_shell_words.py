"""Words of commands, as a shell of Unix or the command prompt of Windows tells them apart.

A variable that the file does not set stands in a word as one sign that no text has: the first half of a pair
of surrogates. A byte that is no UTF-8 stands as the second half, as Python's `surrogateescape` has it.

Source: "Quoting" and "ANSI-C Quoting" of the manual of GNU Bash; "Parsing C command-line arguments" of
Microsoft's C runtime.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from loadrig.base.errors import PlanError

MOST_VARIABLES = 1000
"""Variables that a file may leave open, at most; there are 1024 signs for them."""

_FIRST_SIGN, _LAST_SIGN = 0xD800, 0xDBFF
_PLAIN = re.compile(r"[^\s\\'\"$`;|&<>]+")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_PARAMETER = re.compile(r"[0-9@*#?$!]", re.ASCII)
_BRACED = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!])(?::?[-=]([^{}$`'\"\\]*))?\}", re.ASCII)
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.ASCII | re.DOTALL)
_PERCENT = re.compile(r"%([A-Za-z_][A-Za-z0-9_]*)%", re.ASCII)
_PAIR = re.compile(r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c(.)|(.))", re.DOTALL
)
_CONTROLS = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
             "v": "\v"}  # fmt: skip
_PARAMETERS = {"@": "arguments", "*": "arguments", "#": "argument_count", "?": "exit_status", "$": "process",
               "!": "background"}  # fmt: skip
"""Names of what a shell sets itself; a file that is run without arguments has none of them."""

_PASSED = ("export", "local", "readonly", "$", "%")
"""Words before an assignment: the shell's own, and prompts that were copied with the command."""

_REPLACEMENT = "\ufffd"


@dataclass(frozen=True, slots=True)
class ShellWord:
    """A word without its quotes, and the line that it begins at."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class ShellCommand:
    """A command. stdin: text that it is given as its input; None for none.

    ended_by: "&" where that sign ends it in the middle of a word, as in an address without quotes.
    is_alternative: whether it is run only where the command before it failed, behind `||`.
    """

    words: tuple[ShellWord, ...]
    line: int
    stdin: str | None = None
    ended_by: str = ""
    is_alternative: bool = False


class HereMark(NamedTuple):
    """Beginning of a here-document: the word that ends it, and what the shell does with its lines."""

    word: str
    is_literal: bool
    has_tabs_removed: bool


class OpenVariables:
    """Variables of a file: those that it sets, and the signs of those that it leaves open.

    outputs: lines with the output of a command in a word, which is not known either.
    computed: lines with a value that the shell makes of another one, as `${NAME%.*}`.
    """

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.outputs: list[int] = []
        self.computed: list[int] = []

    def value(self, name: str) -> str:
        """Return the value of a variable, or its sign."""
        if name in self.values:
            return self.values[name]
        name = _PARAMETERS.get(name, f"argument_{name}" if name.isdecimal() else name)
        sign = chr(_FIRST_SIGN + list(self.names.values()).index(name)) if name in self.names.values() else ""
        if not sign and len(self.names) < MOST_VARIABLES:
            sign = chr(_FIRST_SIGN + len(self.names))
            self.names[sign] = name
        return sign


def is_open_sign(sign: str) -> bool:
    """Return whether a sign stands for a variable."""
    return _FIRST_SIGN <= ord(sign) <= _LAST_SIGN


Refusal = Callable[[int], PlanError]
"""Maker of the error of a quote that is not closed, given its line."""


class UnixShellReader:
    """Reader of the commands of a shell of Unix."""

    def __init__(self, text: str, variables: OpenVariables, refusal: Refusal) -> None:
        self._text = text.replace("\r\n", "\n")
        self._at = 0
        self._line = 1
        self._variables = variables
        self._refusal = refusal
        self._mark: HereMark | None = None

    def commands(self) -> Iterator[ShellCommand]:
        """Yield the commands, without those that only set variables."""
        words: list[ShellWord] = []
        stdin: str | None = None
        is_alternative = False
        text = self._text
        while self._at <= len(text):
            sign = text[self._at : self._at + 1]
            if sign in ("", "\n", ";", "|", "&"):
                self._take(1)
                if sign == "\n" and self._mark is not None:
                    stdin = self._here_document(self._mark)
                    self._mark = None
                is_within = sign == "&" and self._text[self._at : self._at + 1].strip(" \t\n&") != ""
                command = self._command(words, stdin, "&" if is_within else "")
                if command is not None:
                    yield replace(command, is_alternative=is_alternative)
                    is_alternative = False
                if sign == "|" and text.startswith("|", self._at):
                    self._take(1)
                    is_alternative = True
                words, stdin = [], None
                if not sign:
                    return
            elif text.startswith("\\\n", self._at):
                self._take(2)
            elif sign.isspace():
                self._take(1)
            elif sign == "#":
                self._take_to(_index(text, "\n", self._at))
            elif sign in "<>":
                if words and words[-1].text.isdecimal() and text[self._at - 1 : self._at].isdecimal():
                    words.pop()
                here = self._redirection()
                stdin = here if here is not None else stdin
            else:
                words.append(self._word())

    def _command(self, words: list[ShellWord], stdin: str | None, sign: str) -> ShellCommand | None:
        """Return a command; None, and its variables set, for one that only sets variables."""
        rest = words
        while rest and rest[0].text in _PASSED:
            rest = rest[1:]
        while rest and (match := _ASSIGNMENT.fullmatch(rest[0].text)):
            if any(map(is_open_sign, match[2])):
                self._variables.values.pop(match[1], None)
            else:
                self._variables.values[match[1]] = match[2]
            rest = rest[1:]
        return ShellCommand(tuple(rest), rest[0].line, stdin, sign) if rest else None

    # --- words ------------------------------------------------------------------------------------

    def _word(self) -> ShellWord:
        line, text = self._line, self._text
        parts: list[str] = []
        while self._at < len(text):
            sign = text[self._at]
            if sign.isspace() or sign in ";|&<>":
                break
            if match := _PLAIN.match(text, self._at):
                parts.append(match[0])
                self._take_to(match.end())
            elif sign == "'":
                end = self._closing("'", self._at + 1)
                parts.append(text[self._at + 1 : end])
                self._take_to(end + 1)
            elif sign == '"':
                parts.append(self._double())
            elif sign == "\\":
                escaped = text[self._at + 1 : self._at + 2]
                parts.append("" if escaped == "\n" else escaped)
                self._take(2)
            else:
                parts.append(self._dollar())
        return ShellWord("".join(parts), line)

    def _double(self) -> str:
        """Return what stands between double quotes, from the first quote on."""
        begin = self._line
        self._take(1)
        content = self._until('"')
        if self._at >= len(self._text):
            raise self._refusal(begin)
        self._take(1)
        return content

    def _until(self, quote: str) -> str:
        """Return the text up to a quote, or the end, its variables replaced. quote: empty for the end."""
        text = self._text
        parts: list[str] = []
        while self._at < len(text) and text[self._at] != quote:
            sign = text[self._at]
            escaped = text[self._at + 1 : self._at + 2]
            if sign == "\\" and escaped and escaped in f"$`\\\n{quote}":
                parts.append("" if escaped == "\n" else escaped)
                self._take(2)
            elif sign in "$`":
                parts.append(self._dollar(is_quoted=True))
            else:
                end = min(_index(text, mark, self._at + 1) for mark in f"\\$`{quote}")
                parts.append(text[self._at : end])
                self._take_to(end)
        return "".join(parts)

    def _dollar(self, *, is_quoted: bool = False) -> str:
        """Return what a dollar or a backtick begins: a variable, the output of a command, a quote."""
        text, at = self._text, self._at
        if text[at] == "`":
            return self._output(self._closing("`", at + 1) + 1)
        if not is_quoted and text.startswith("$'", at):
            return self._ansi()
        if not is_quoted and text.startswith('$"', at):
            self._take(1)
            return self._double()
        if text.startswith("$(", at):
            return self._output(self._end_of_command())
        if match := _BRACED.match(text, at + 1):
            self._take_to(match.end())
            value = self._variables.values.get(match[1])
            return match[2] if value is None and match[2] is not None else self._variables.value(match[1])
        if text.startswith("${", at):
            self._variables.computed.append(self._line)
            self._take_to(self._end_of_command("{}"))
            return self._variables.value("computed")
        if match := _NAME.match(text, at + 1) or _PARAMETER.match(text, at + 1):
            self._take_to(match.end())
            return self._variables.value(match[0])
        self._take(1)
        return "$"

    def _output(self, end: int) -> str:
        """Pass a command up to its end, and return the sign of its output."""
        self._variables.outputs.append(self._line)
        self._take_to(end)
        return self._variables.value("command")

    def _ansi(self) -> str:
        """Return what stands in $'...', from the dollar on."""
        at = self._at + 2
        while (end := self._closing("'", at)) and self._slashes_before(end) % 2:
            at = end + 1
        written = self._text[self._at + 2 : end]
        self._take_to(end + 1)
        return unescaped(written)

    def _slashes_before(self, place: int) -> int:
        count = 0
        while self._text[place - 1 - count] == "\\":
            count += 1
        return count

    def _end_of_command(self, brackets: str = "()") -> int:
        """Return the place behind a $(...) or ${...}, quotes within it let pass."""
        depth, at, text = 0, self._at + 1, self._text
        while at < len(text):
            if text[at] == "'":
                at = self._closing("'", at + 1)
            elif text[at] == "\\":
                at += 1
            elif text[at] == brackets[0]:
                depth += 1
            elif text[at] == brackets[1]:
                depth -= 1
                if not depth:
                    return at + 1
            at += 1
        raise self._refusal(self._line)

    # --- input ------------------------------------------------------------------------------------

    def _redirection(self) -> str | None:
        """Pass a redirection, and return the text that it gives to the command, if it does."""
        text = self._text
        end = self._at
        while end < len(text) and text[end] in "<>&-":
            end += 1
        sign = text[self._at : end]
        self._take_to(end)
        while text[self._at : self._at + 1] in (" ", "\t"):
            self._take(1)
        begin = self._at
        word = self._word().text
        if sign == "<<<":
            return f"{word}\n"
        if sign in ("<<", "<<-"):
            is_literal = any(quote in text[begin : self._at] for quote in "'\"\\")
            self._mark = HereMark(word, is_literal, sign == "<<-")
        return None

    def _here_document(self, mark: HereMark) -> str:
        begin, text = self._line, self._text
        lines: list[str] = []
        while self._at < len(text):
            end = _index(text, "\n", self._at)
            line = text[self._at : end]
            self._take_to(min(end + 1, len(text)))
            if mark.has_tabs_removed:
                line = line.lstrip("\t")
            if line == mark.word:
                document = "".join(f"{line}\n" for line in lines)
                return document if mark.is_literal else self._expanded(document, begin)
            lines.append(line)
        raise self._refusal(begin)

    def _expanded(self, document: str, line: int) -> str:
        """Return a here-document with its variables replaced. line: that of its beginning."""
        reader = UnixShellReader(document, self._variables, self._refusal)
        reader._line = line
        return reader._until("")

    # --- places -----------------------------------------------------------------------------------

    def _closing(self, quote: str, at: int) -> int:
        end = self._text.find(quote, at)
        if end < 0:
            raise self._refusal(self._line)
        return end

    def _take(self, count: int) -> None:
        self._take_to(self._at + count)

    def _take_to(self, place: int) -> None:
        self._line += self._text.count("\n", self._at, place)
        self._at = place


def unescaped(written: str) -> str:
    """Return the text of a $'...' of bash. Two halves of a pair, as browsers write them, become one sign."""
    # A browser writes one unit of UTF-16 after the other; bash would send each as three bytes of no encoding.
    written = _PAIR.sub(
        lambda match: f"\\U{0x10000 + ((int(match[1], 16) & 0x3FF) << 10) + (int(match[2], 16) & 0x3FF):08x}",
        written,
    )
    text = _ESCAPE.sub(_unescaped_sign, written)
    # A zero byte ends what bash takes of the quote.
    text = text.partition("\0")[0]
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def _unescaped_sign(match: re.Match[str]) -> str:
    by_hex, short, long, octal, control, letter = match.groups()
    if by_hex or octal:
        byte = int(by_hex, 16) if by_hex else int(octal, 8) & 0xFF
        return chr(byte) if byte < 0x80 else chr(0xDC00 + byte)
    if short or long:
        code = int(short or long, 16)
        is_text = code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF
        return chr(code) if is_text else _REPLACEMENT
    if control:
        return chr(ord(control.upper()) & 0x1F)
    return _CONTROLS.get(letter, letter if letter in "\\'\"?" else f"\\{letter}")


def _index(text: str, mark: str, at: int) -> int:
    """Return the place of a mark from a place on, else the end of the text."""
    place = text.find(mark, at)
    return place if place >= 0 else len(text)


class WindowsPromptReader:
    """Reader of the commands of the command prompt of Windows: carets first, then the quotes of a program."""

    def __init__(self, text: str, variables: OpenVariables, refusal: Refusal) -> None:
        self._text = text.replace("\r\n", "\n")
        self._variables = variables
        self._refusal = refusal
        self._line = 1

    def commands(self) -> Iterator[ShellCommand]:
        """Yield the commands."""
        words: list[ShellWord] = []
        parts: list[str] = []
        begin = 0
        slashes = 0
        is_quoted = was_quote = False
        for sign in self._signs():
            if was_quote and sign == '"':
                # Two quotes within quotes are one, and the quotes stay open.
                parts.append('"')
                is_quoted, was_quote = True, False
                continue
            was_quote = False
            if sign == "\\":
                slashes += 1
                begin = begin or self._line
                continue
            if sign == '"':
                parts.append("\\" * (slashes // 2))
                begin = begin or self._line
                if slashes % 2:
                    parts.append('"')
                else:
                    was_quote, is_quoted = is_quoted, not is_quoted
                slashes = 0
                continue
            parts.append("\\" * slashes)
            slashes = 0
            if sign and (is_quoted or not sign.isspace()):
                parts.append(sign)
                begin = begin or self._line
                continue
            if not sign and is_quoted:
                raise self._refusal(begin)
            if begin:
                words.append(ShellWord("".join(parts), begin))
            parts, begin = [], 0
            if not sign and words:
                yield ShellCommand(tuple(words), words[0].line)
                words = []

    def _signs(self) -> Iterator[str]:
        """Yield the signs that a program is given; an empty text ends a command."""
        text, at, is_quoted = self._text, 0, False
        while at < len(text):
            sign = text[at]
            at += 1
            if sign == "^" and not is_quoted:
                if text[at : at + 1] == "\n":
                    self._line += 1
                    at += 1
                if at < len(text):
                    yield text[at]
                    self._line += text[at] == "\n"
                at += 1
            elif sign == "%" and (match := _PERCENT.match(text, at - 1)):
                yield from self._variables.value(match[1])
                at = match.end()
            elif sign == "\n" or (sign in "&|<>" and not is_quoted):
                if sign in "<>":
                    at = _index(text, "\n", at)
                is_quoted = False
                yield ""
                self._line += sign == "\n"
            else:
                is_quoted ^= sign == '"'
                yield sign
        yield ""
