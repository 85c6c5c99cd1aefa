"""`loadrig ui`: all runs in the browser, watched and steered while they go on."""

import argparse
import contextlib
import sys
from pathlib import Path

from loadrig.base import private
from loadrig.base.errors import PlanError, Span
from loadrig.base.exits import Exit
from loadrig.base.printable import printable
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.cli import CliUiErrors
from loadrig.recording.layout import DEFAULT_PARENT

ERRORS = texts_of(CliUiErrors)

HELP = """
Show all runs in the browser: start one, watch and steer what goes on, find and compare what is over.

  loadrig ui                       the runs under runs/; prints the address and opens the browser
  loadrig ui nightly/ --port 8600  another folder, at a port that stays the same
  loadrig ui runs/shop             one run
  loadrig ui --no-browser          print the address only: the first line, with its token
  loadrig attack URL --ui          any command that makes a run shows it while it goes on

The page's server listens on this machine only, and answers nobody without the token. From another machine,
forward its port (ssh -L 8600:127.0.0.1:8600 HOST, with --port 8600), or let it listen on another address with
--host: with a certificate, or with --plain-http where everybody on the way may read and steer. Runs are
started from this machine only, unless you say --start-runs; they end, kept and judged, when the server ends.

Ends with Ctrl-C. Exit codes: 0 ended, 104 nothing to show, or an address that cannot be used.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options: which runs, and where the pages are served."""
    add = parser.add_argument
    add("folder", nargs="?", default=None, metavar="FOLDER", help="folder of runs, or a run (default: runs/)")
    add("--port", default="0", metavar="N", help="port to listen on (default: any that is free)")
    add("--host", default="127.0.0.1", metavar="H", help="address to listen on (default: 127.0.0.1)")
    add("--no-browser", action="store_true", help="open no browser (default: open one where there is one)")
    add("--tls-cert", default=None, metavar="FILE", help="certificate, to serve by TLS (default: none)")
    add("--tls-key", default=None, metavar="FILE", help="key of the certificate (default: none)")
    add("--plain-http", action="store_true", help="serve another address without TLS (default: refuse)")
    add("--start-runs", action="store_true", help="let pages start runs at any --host (default: locally)")
    add("--beside", action="store_true", help=argparse.SUPPRESS)


def run(arguments: argparse.Namespace) -> int:
    """Serve the pages until a signal ends the command."""
    from loadrig.archive.entries import is_run
    from loadrig.ui import serve

    folder = Path(arguments.folder) if arguments.folder else DEFAULT_PARENT
    if not arguments.folder:
        with contextlib.suppress(OSError):  # told below
            private.make_folder(folder)  # a first run can be started from the page
    if not folder.is_dir():
        raise PlanError.of(ERRORS.no_folder(str(folder)), code="ui.no-folder")
    folder = folder.resolve()
    is_alone = arguments.beside or is_run(folder)
    wish = serve.PagesWish(
        root=folder.parent if is_alone else folder,
        alone=folder.name if is_alone else None,
        host=arguments.host,
        port=_port(arguments.port),
        certificate=Path(arguments.tls_cert) if arguments.tls_cert else None,
        key=Path(arguments.tls_key) if arguments.tls_key else None,
        is_beside=arguments.beside,
        may_start=not is_alone and (arguments.host in serve.LOCAL or arguments.start_runs),
    )
    is_open = wish.host not in serve.LOCAL and wish.certificate is None
    if is_open and not arguments.plain_http:
        raise PlanError.of(ERRORS.no_tls(wish.host), code="ui.no-tls", where=Span("--host"))
    serve.serve(wish, lambda address: _tell(address, has_browser=not arguments.no_browser))
    return Exit.FINE


def _tell(address: str, *, has_browser: bool) -> None:
    print(printable(address), flush=True)
    if has_browser and sys.stdout.isatty():
        import webbrowser

        webbrowser.open(address)


def _port(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) > 65535:
        raise PlanError.of(ERRORS.no_port(repr(text)), code="cli.wrong-argument", where=Span("--port"))
    return int(text)
