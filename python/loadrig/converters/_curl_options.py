"""Options of curl: which of them take a value, and what kind of thing each is about.

Source: `curl --help all` of curl 8, and docs/cmdline-opts of curl/curl.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from loadrig.converters._shell_words import ShellWord

_WITH_VALUE = """
abstract-unix-socket alt-svc aws-sigv4 cacert capath cert cert-type ciphers config connect-timeout connect-to
continue-at cookie cookie-jar create-file-mode crlfile curves data data-ascii data-binary data-raw
data-urlencode delegation dns-interface dns-ipv4-addr dns-ipv6-addr dns-servers doh-url dump-header ech
egd-file engine etag-compare etag-save expect100-timeout form form-string ftp-account ftp-alternative-to-user
ftp-method ftp-port ftp-ssl-ccc-mode happy-eyeballs-timeout-ms haproxy-clientip header help hostpubmd5
hostpubsha256 hsts interface ip-tos ipfs-gateway json keepalive-cnt keepalive-time key key-type krb libcurl
limit-rate local-port login-options mail-auth mail-from mail-rcpt max-filesize max-redirs max-time netrc-file
noproxy oauth2-bearer output output-dir parallel-max parallel-max-host pass pinnedpubkey preproxy proto
proto-default proto-redir proxy proxy-cacert proxy-capath proxy-cert proxy-cert-type proxy-ciphers
proxy-crlfile proxy-header proxy-key proxy-key-type proxy-pass proxy-pinnedpubkey proxy-service-name
proxy-tls13-ciphers proxy-tlsauthtype proxy-tlspassword proxy-tlsuser proxy-user proxy1.0 pubkey quote
random-file range rate referer request request-target resolve retry retry-delay retry-max-time sasl-authzid
service-name sigalgs socks4 socks4a socks5 socks5-gssapi-service socks5-hostname speed-limit speed-time stderr
telnet-option tftp-blksize time-cond tls-earlydata tls-max tls13-ciphers tlsauthtype tlspassword tlsuser trace
trace-ascii trace-config unix-socket upload-file url url-query user user-agent variable vlan-priority
write-out
"""

_WITHOUT_VALUE = """
anyauth append basic ca-native cert-status compressed compressed-ssh create-dirs crlf digest disable
disable-eprt disable-epsv disallow-username-in-url doh-cert-status doh-insecure dump-ca-embed eprt epsv fail
fail-early fail-with-body false-start form-escape ftp-create-dirs ftp-pasv ftp-pret ftp-skip-pasv-ip
ftp-ssl-ccc ftp-ssl-control get globoff haproxy-protocol head http0.9 http1.0 http1.1 http2
http2-prior-knowledge http3 http3-only ignore-content-length include insecure ipv4 ipv6 junk-session-cookies
list-only location location-trusted mail-rcpt-allowfails manual metalink mptcp negotiate netrc netrc-optional
next no-alpn no-buffer no-clobber no-keepalive no-npn no-progress-meter no-sessionid ntlm ntlm-wb parallel
parallel-immediate path-as-is post301 post302 post303 progress-bar progress-meter proxy-anyauth proxy-basic
proxy-ca-native proxy-digest proxy-http2 proxy-insecure proxy-negotiate proxy-ntlm proxy-ssl-allow-beast
proxy-ssl-auto-client-cert proxy-tlsv1 proxytunnel raw remote-header-name remote-name remote-name-all
remote-time remove-on-error retry-all-errors retry-connrefused sasl-ir sessionid show-error show-headers
silent skip-existing socks5-basic socks5-gssapi socks5-gssapi-nec ssl ssl-allow-beast ssl-auto-client-cert
ssl-no-revoke ssl-reqd ssl-revoke-best-effort sslv2 sslv3 styled-output suppress-connect-headers tcp-fastopen
tcp-nodelay tftp-no-options tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 tr-encoding trace-ids trace-time use-ascii
verbose version xattr
"""

LETTERS: Mapping[str, str] = {
    "#": "progress-bar", "0": "http1.0", "1": "tlsv1", "2": "sslv2", "3": "sslv3", "4": "ipv4", "6": "ipv6",
    ":": "next", "A": "user-agent", "B": "use-ascii", "C": "continue-at", "D": "dump-header", "E": "cert",
    "F": "form", "G": "get", "H": "header", "I": "head", "J": "remote-header-name", "K": "config",
    "L": "location", "M": "manual", "N": "no-buffer", "O": "remote-name", "P": "ftp-port", "Q": "quote",
    "R": "remote-time", "S": "show-error", "T": "upload-file", "U": "proxy-user", "V": "version",
    "X": "request", "Y": "speed-limit", "Z": "parallel", "a": "append", "b": "cookie", "c": "cookie-jar",
    "d": "data", "e": "referer", "f": "fail", "g": "globoff", "h": "help", "i": "include",
    "j": "junk-session-cookies", "k": "insecure", "l": "list-only", "m": "max-time", "n": "netrc",
    "o": "output", "p": "proxytunnel", "q": "disable", "r": "range", "s": "silent", "t": "telnet-option",
    "u": "user", "v": "verbose", "w": "write-out", "x": "proxy", "y": "speed-time", "z": "time-cond",
}  # fmt: skip
"""Long names of options by their letters."""

VALUED = frozenset(_WITH_VALUE.split())
NAMES = VALUED | frozenset(_WITHOUT_VALUE.split())

_OF_OUTPUT_NAMES = """
silent show-error verbose include show-headers output output-dir remote-name remote-name-all create-dirs
remote-header-name remote-time progress-bar no-progress-meter progress-meter write-out dump-header stderr
trace trace-ascii trace-time trace-ids trace-config no-buffer fail fail-early fail-with-body xattr
styled-output no-clobber skip-existing remove-on-error libcurl create-file-mode
"""

OF_OUTPUT = frozenset(_OF_OUTPUT_NAMES.split())
"""Options about what is shown and kept of an answer: nothing of them is sent."""

_OF_CONNECTIONS_NAMES = """
proxy proxy-user proxy-header proxy-insecure preproxy socks4 socks4a socks5 socks5-hostname noproxy
proxytunnel proxy1.0 resolve connect-to interface local-port unix-socket abstract-unix-socket ipv4 ipv6
doh-url dns-servers http0.9 http1.0 http1.1 http2 http2-prior-knowledge http3 http3-only alt-svc hsts
keepalive-time no-keepalive tcp-fastopen tcp-nodelay limit-rate no-alpn no-npn
"""

OF_CONNECTIONS = frozenset(_OF_CONNECTIONS_NAMES.split())
"""Options about the way to the server, and what is spoken on it."""

_OF_TLS_NAMES = """
cacert capath cert cert-type key key-type pass ciphers tls13-ciphers tls-max tlsv1 tlsv1.0 tlsv1.1 tlsv1.2
tlsv1.3 sslv2 sslv3 pinnedpubkey crlfile curves ssl ssl-reqd ssl-no-revoke cert-status
ssl-revoke-best-effort ca-native
"""

OF_TLS = frozenset(_OF_TLS_NAMES.split())
"""Options about certificates and ciphers."""

_OF_LOGINS_NAMES = """
digest ntlm ntlm-wb negotiate anyauth aws-sigv4 netrc netrc-file netrc-optional sasl-ir login-options
"""

OF_LOGINS = frozenset(_OF_LOGINS_NAMES.split())
"""Options about logins that take several requests, or stand elsewhere."""


@dataclass(frozen=True, slots=True)
class CurlOption:
    """An option as it stands in a command. name: its long name, "" for an address.

    is_open: its value is missing, or curl has no such option.
    """

    name: str
    written: str
    value: str
    line: int
    is_open: bool = False


def options_of(words: Sequence[ShellWord]) -> Iterator[CurlOption]:
    """Yield the options and addresses of a command, without the word `curl` before them."""
    rest = iter(words)
    are_addresses = False
    for word in rest:
        text = word.text
        if are_addresses or not text.startswith("-") or text == "-":
            yield CurlOption("", text, text, word.line)
        elif text == "--":
            are_addresses = True
        elif text.startswith("--"):
            yield _long(word, rest)
        else:
            yield from _short(word, rest)


def _long(word: ShellWord, rest: Iterator[ShellWord]) -> CurlOption:
    written, sign, joined = word.text.partition("=")
    name = _whole_name(written[2:])
    if not name:
        return CurlOption(written[2:], written, "", word.line, is_open=True)
    if name not in VALUED:
        return CurlOption(name, written, "", word.line)
    if sign:
        return CurlOption(name, written, joined, word.line)
    return _with_next(name, written, word, rest)


def _short(word: ShellWord, rest: Iterator[ShellWord]) -> Iterator[CurlOption]:
    for place, letter in enumerate(word.text[1:], start=1):
        name = LETTERS.get(letter, "")
        written = f"-{letter}"
        if not name:
            yield CurlOption(letter, written, "", word.line, is_open=True)
        elif name not in VALUED:
            yield CurlOption(name, written, "", word.line)
        elif joined := word.text[place + 1 :]:
            yield CurlOption(name, written, joined, word.line)
            return
        else:
            yield _with_next(name, written, word, rest)
            return


def _with_next(name: str, written: str, word: ShellWord, rest: Iterator[ShellWord]) -> CurlOption:
    value = next(rest, None)
    if value is None:
        return CurlOption(name, written, "", word.line, is_open=True)
    return CurlOption(name, written, value.text, value.line)


def _whole_name(written: str) -> str:
    """Return the name of an option that may be cut short; nothing where there is no such option."""
    if written in NAMES:
        return written
    if written.startswith("no-") and written[3:] in NAMES:
        return written
    longer = [name for name in NAMES if name.startswith(written)] if written else []
    return longer[0] if len(longer) == 1 else ""
