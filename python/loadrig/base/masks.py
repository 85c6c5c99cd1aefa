"""Masks for secrets that a text gives away by its form, as in command lines, environments and addresses.

Too much is masked rather than too little. Whatever stands behind a name that speaks of a secret goes, so
does what stands between "://" and "@", and what looks drawn at random. What is a secret without looking
like one is in known_secrets.
"""

import re
from collections.abc import Callable, Iterable
from itertools import pairwise

DRAWN_CHANGES = 0.3
"""Changes between small letters, capitals and digits, as a share of the letters, from which a text was drawn.
What was drawn at random changes at every second letter or so."""

MASK = "***"

Cover = Callable[[str, str], str]
"""Function that returns the text in the place of a secret, given the name that gave it away and the secret
itself."""


def mask(name: str, value: str) -> str:
    """Cover a secret with MASK, whatever its name and value."""
    del name, value
    return MASK


_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_ANYWHERE = ("passw", "passphrase", "secret", "token", "credential", "apikey", "requirepass", "masterauth")
_ENDINGS = ("pass", "pwd", "pw", "key", "token", "secret", "auth", "psk")
_WHOLE = frozenset((
    "authorization", "bearer", "cookie", "cookies", "cred", "creds", "dsn", "jwt", "key", "keys",
    "license", "nonce", "otp", "passcode", "pin", "private", "salt", "sas", "session", "sig",
    "signature", "signed",
))  # fmt: skip

# A program's short option for a password: the value is the next word, or the rest of the word.
_SHORT = {
    "mysql": "p", "mysqladmin": "p", "mysqldump": "p", "mariadb": "p", "mariadb-dump": "p",
    "mariadb-admin": "p", "mysqlcheck": "p", "mysqlimport": "p", "mysqlslap": "p", "sshpass": "p",
    "redis-cli": "a", "redis-benchmark": "a", "valkey-cli": "a", "mongo": "p", "mongosh": "p", "mongod": "p",
    "ldapsearch": "w", "ldapmodify": "w", "ldapadd": "w", "sqlcmd": "P", "isql": "P",
    "mosquitto_pub": "P", "mosquitto_sub": "P", "smbclient": "U", "ipmitool": "P", "snmpget": "c",
}  # fmt: skip
_USER_AND_PASSWORD = frozenset(("-u", "--user", "--userpwd", "--proxy-user", "-U", "--basic-auth"))
_INTERPRETERS = re.compile(r"(python|pypy|node|nodejs|perl|ruby|php|deno|bun)[\d.]*$")
_CODE = frozenset(("-c", "-e", "-p", "-pe", "-r", "--eval", "--print"))

# Whatever stands before the last "@" of a word that has a scheme: passwords may hold "/", "@" and ":".
_USERINFO = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{0,40}:)?//([^\s\"']*)@")
_BARE_USERINFO = re.compile(
    r"(?<![\w/])([\w.%+-]{0,200}:(?!//)[^\s\"'@]+)@(?=[\w\[(/])"
)  # user:password@host, …@tcp(host)
_ORACLE = re.compile(r"(jdbc:oracle:\w+:)([^\s@]*)@", re.IGNORECASE)
_PARAMETER = re.compile(r"((?:^|(?<=[?&;]))([A-Za-z_][\w.%\[\]-]*))=([^&;#\s]+)")
# Bounds of names keep the time of a long text with no sign in it in proportion to its length.
_WORDY = r"[A-Za-z_][\w.-]{0,200}"
# A name and its sign; what follows is left to be searched too, for pairs stand in the values of others.
# A quote has backslashes before it where JSON stands in JSON; a comma is a sign between two that are quoted.
_NAMED = re.compile(
    rf"(?P<quote>\\{{0,31}}[\"'])?-{{0,2}}(?P<name>{_WORDY})"
    r"(?(quote)(?P=quote)\s*(?:=>|=|:|,(?=\s*b?\\*[\"']))|\s*(?:=>|=|:))\s*"
)
# Until the next space: a password may hold any sign that ends a value elsewhere.
_VALUE = re.compile(
    r"b?(?P<quote>[\"'])(?P<inner>(?:(?!(?P=quote))[^\\]|\\.)*)(?P=quote)"
    r"|b?(?P<escaped>\\+[\"'])(?P<within>.*?)(?<!\\)(?P=escaped)"
    r"|(?:(?:Bearer|Basic|Digest|Token)\s+)?\S+",
    re.IGNORECASE,
)
# All cookies of a header, each behind the semicolon of the one before.
_COOKIES = re.compile(r"[^\s;]+(?:;[^\S\n]*[^\s;]+)*")
_SCHEMED = re.compile(r"\b(Bearer|Basic|Digest)\s+([^\s\"',;]+)", re.IGNORECASE)
_PEM = re.compile(r"-----BEGIN [A-Z ]+-----.*?(-----END [A-Z ]+-----|\Z)", re.DOTALL)
# Marks that those who give out secrets put on them, so that they are found.
_MARKED = re.compile(
    r"\b(?:eyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?|gh[opsur]_\w+|github_pat_\w+|glpat-[\w-]+|sk-[\w-]{8,}"
    r"|[sr]k_(?:live|test)_\w+|xox[a-z]-[\w-]+|A[KS]IA[A-Z0-9]{12,}|AIza[\w-]{20,}|hf_\w{8,}|npm_\w{20,}"
    r"|SG\.[\w-]+\.[\w-]+|pypi-[\w-]{16,}|dop_v1_\w+)"
)
_RUN = re.compile(r"(?<![\w+/.-])[A-Za-z0-9+_-]{20,}={0,2}(?![\w+/.=-])")
_HOLE = re.compile(r"(?:[A-Za-z]+ )?\{[^{}\s][^{}]*\}[\"',;}\]]*")
_HEX = re.compile(r"[0-9a-f]{32,}|[0-9A-F]{32,}")


def mask_but_holes(name: str, value: str) -> str:
    """Cover a secret with MASK, but leave a hole of a plan in whose place no secret stands: {env:TOKEN}."""
    return value if _HOLE.fullmatch(value) else mask(name, value)


def is_secret_name(name: str) -> bool:
    """Return whether a variable, option or key of this name holds a secret.

    >>> [is_secret_name(name) for name in ("DB_PASSWORD", "datasource.dbPwd", "--keepalive")]
    [True, True, False]
    """
    flat = re.sub(r"[^a-z0-9]", "", name.lower())
    if any(word in flat for word in _ANYWHERE):
        return True
    parts = [part.lower() for part in _PART.findall(name)]
    return any(
        part in _WHOLE or part.startswith("pass") or part.endswith(_ENDINGS) or part in ("auth", "pw")
        for part in parts
    )


def masked_text(text: str, cover: Cover = mask, is_secret: Callable[[str], bool] | None = None) -> str:
    """Return a text without the secrets that its form gives away: addresses, pairs, tokens, keys.

    cover: returns the text in the place of each secret. is_secret: whether a name is that of a secret; by
    default is_secret_name.
    """
    text = _PEM.sub(lambda match: cover("pem", match[0]), text)
    text = _ORACLE.sub(lambda match: f"{match[1]}{cover('password', match[2])}@", text)
    text = _until_at(_USERINFO, lambda match: f"{match[1] or ''}//{cover('password', match[2])}@", text)
    text = _until_at(_BARE_USERINFO, lambda match: f"{cover('password', match[1])}@", text)
    text = _masked_pairs(text, cover, is_secret or is_secret_name)
    text = _SCHEMED.sub(lambda match: f"{match[1]} {cover(match[1], match[2])}", text)
    text = _MARKED.sub(lambda match: cover("token", match[0]), text)
    return _RUN.sub(lambda match: cover("token", match[0]) if _looks_random(match[0]) else match[0], text)


def _until_at(form: re.Pattern[str], cover: Callable[[re.Match[str]], str], text: str) -> str:
    """Return a text with what has the form covered; behind the last "@" nothing of these forms begins."""
    end = text.rfind("@") + 2
    return form.sub(cover, text[:end]) + text[end:] if end > 1 else text


def masked_address_text(text: str, cover: Cover = mask) -> str:
    """Return a text without the passwords of addresses in it, and without tokens that bear a mark.

    For texts of which most is no secret, where masked_text would take too much.
    """
    text = _until_at(_USERINFO, lambda match: f"{match[1] or ''}//{cover('password', match[2])}@", text)
    return _MARKED.sub(lambda match: cover("token", match[0]), text)


def masked_query(text: str, is_secret: Callable[[str], bool], cover: Cover = mask) -> str:
    """Return a path or a form without the values of its secret parameters.

    is_secret: whether a parameter's name is that of a secret.
    """

    def masked(match: re.Match[str]) -> str:
        return f"{match[1]}={cover(match[2], match[3])}" if is_secret(match[2]) else match[0]

    return _PARAMETER.sub(masked, text)


def masked_value(name: str, value: str) -> str:
    """Return the value of a setting, masked if the setting's name or the value's form gives a secret away."""
    if value and is_secret_name(name):
        return MASK
    return masked_line(value) if re.search(r"\s", value) else masked_text(value)


def masked_address(value: str) -> str:
    """Return an address without its user and password: scheme, host, port and path; MASK if it is no address.

    For variables such as DATABASE_URL: every part that is not understood is left out.
    """
    scheme, separator, rest = value.strip().partition("://")
    if not separator:
        # "host:port", or a connection string in a form of its own, of which only its place is safe.
        return (
            value
            if re.fullmatch(r"[\w.-]+(:\d+)?(/[\w.-]*)?", value) and masked_text(value) == value
            else MASK
        )
    place = rest.rpartition("@")[2]
    match = re.match(r"[\w.,:\[\]-]*(/[\w./%-]*)?", place)
    shown = match[0] if match else ""
    user = f"{MASK}@" if "@" in rest else ""
    return f"{scheme}://{user}{masked_text(shown)}" if re.fullmatch(r"[\w+.:-]+", scheme) else MASK


def masked_line(line: str) -> str:
    """Return a command line, written as one text for a shell, with its secrets masked."""
    line = masked_text(line)
    words = re.findall(r"\s+|(?:\"(?:[^\"\\]|\\.)*\"|'[^']*'|[^\s\"']|[\"'])+", line)
    places = [place for place, word in enumerate(words) if not word.isspace()]
    masked = _masked_words([words[place] for place in places], nested=True)
    for place, word in zip(places, masked, strict=True):
        words[place] = word
    # Once more as a whole: a pair may be written with spaces around its sign.
    return masked_text("".join(words))


def masked_argv(argv: Iterable[str]) -> tuple[str, ...]:
    """Return the words of a command line with its secrets masked."""
    return tuple(_masked_words(list(argv)))


def _masked_words(words: list[str], *, nested: bool = False) -> list[str]:
    done: list[str] = []
    program = before = ""
    may_be_code = False
    for word in words:
        base = word.rpartition("/")[2]
        is_program = not program or base in _SHORT
        if before and _wants_a_secret(before, program):
            done.append(MASK)
            before = ""
            continue
        if may_be_code and before in _CODE:
            # A program given as a text; its secrets may have any form.
            done.append("…")
            may_be_code = False
        elif before in _USER_AND_PASSWORD and ":" in word:
            done.append(MASK)
        else:
            done.append(_masked_word(word, program, nested=nested))
        if is_program:
            program, may_be_code = base, bool(_INTERPRETERS.match(base))
        elif not word.startswith("-") or word == "-m":
            may_be_code = False
        before = "" if base in _SHORT else word  # sshpass is a program, not the name of a password
    return done


def _wants_a_secret(word: str, program: str) -> bool:
    """Return whether the word that follows on a command line is a secret.

    Examples: `--password x`, `requirepass x`, `-a x` of redis-cli.
    """
    short = _SHORT.get(program)
    if short and word == f"-{short}":
        return True
    option, joined, name = word.rpartition("=")
    if joined and is_secret_name(option):  # `--password=x` holds its secret already, whatever that looks like
        return False
    name = name.strip("\"'")
    # A path tells no name, and a sentence is not one.
    return bool(re.fullmatch(r"-{0,2}[A-Za-z][\w.-]*:?", name)) and is_secret_name(name)


def _masked_word(word: str, program: str, *, nested: bool) -> str:
    short = _SHORT.get(program)
    if short and re.match(rf"-{short}.", word):
        return f"-{short}{MASK}"
    option = re.match(r"(-{0,2}[A-Za-z][\w.:-]*)(=)(.*)", word, re.DOTALL)
    if option and is_secret_name(option[1]):
        return f"{option[1]}={MASK}" if option[3] else word
    if option and option[1] in _USER_AND_PASSWORD and ":" in option[3]:
        return f"{option[1]}={MASK}"
    if (
        re.match(r"-p.*\D", word)
        and not is_secret_name(word)
        and not re.match(r"-p(arallel|ort|id|refix|rofile|idfile|rocs|rops)", word)
    ):
        # The short option of many clients. A port (-p8080) is no secret, neither are these long names.
        return f"-p{MASK}"
    if re.search(r"\s", word):
        if not nested:
            return masked_line(word)
        if word[0] in "\"'" and word[-1] == word[0] and len(word) > 1:  # a line within a line
            return f"{word[0]}{masked_line(word[1:-1])}{word[0]}"
    return masked_text(word)


def _masked_pairs(text: str, cover: Cover, is_secret: Callable[[str], bool]) -> str:
    """Return a text without the values behind names of secrets: password=x, "token": "x", X-Api-Key: x."""
    done, place = [], 0
    for named in _NAMED.finditer(text):
        if named.start() < place or not is_secret(named["name"]):
            continue
        value = _VALUE.match(text, named.end())
        if value is None or value[0].startswith("//"):  # nothing behind it, or the scheme of an address
            continue
        part: int | str = "inner" if value["quote"] else "within" if value["escaped"] else 0
        if part == 0 and named["name"].lower().endswith(("cookie", "cookies")):
            value = _COOKIES.match(text, named.end()) or value
        done += [text[place : value.start(part)], cover(named["name"], value[part])]
        place = value.end(part)
    return "".join([*done, text[place:]])


def _looks_random(text: str) -> bool:
    """Return whether letters and digits were drawn at random rather than written: a key, not a name."""
    if _HEX.fullmatch(text):
        return True
    kinds = [
        next((n for n, kind in enumerate((str.islower, str.isupper, str.isdecimal)) if kind(letter)), 3)
        for letter in text
    ]
    changes = sum(earlier != later for earlier, later in pairwise(kinds))
    return {0, 1, 2} <= set(kinds) and kinds.count(2) >= 2 and changes >= DRAWN_CHANGES * len(text)
