"""The pictures of docs/img, taken anew: the report of a run, the list of runs, and a run that goes on.

`scripts/pictures.py RUN`: the first screens of RUN's report, and pages of `loadrig ui` in the folder in which
it lies. The live page is of an attack of some seconds on the bundled shop, which is started and stopped here.
"""

import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "img"

SCREENS = (
    (1280, 800, "light"),
    (1280, 800, "dark"),
    (390, 844, "light"),
    (390, 844, "dark"),
    (1920, 1080, "light"),
)
"""Width, height and theme: a laptop, a phone and a large screen."""

LOAD_S = 14
"""Length of the load that is watched, in seconds."""

WATCHED_S = 10.0
"""Time from its begin to the picture, in seconds: the charts have some points by then."""

UNFINISHED = """\
loadrig: 1

target:
  external: "http://127.0.0.1:8000/"

workload:
  users: many
  requests:
    - {name: search, get: "/search?q={word}", weight: 3}
    - {name: product, get: "/products/{item}.json"}
  feeds:
    word: {values: [oak, pine]}
    item: {random: [1, 400]}
  t"""
"""Plan with a mistake, and a place at which a key may stand."""

LOADRIG = (sys.executable, "-m", "loadrig.cli")


def main(run: Path) -> None:
    """Take all pictures, and print their names."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "report.html"
            subprocess.run(
                [*LOADRIG, "report", str(run), "--out", str(page)], check=True, stdout=subprocess.PIPE
            )
            for width, height, scheme in SCREENS:
                name = "report.png" if (width, scheme) == (1280, "light") else f"report-{width}-{scheme}.png"
                take(browser, page.as_uri(), name, width, height, scheme)
        with begun([*LOADRIG, "ui", str(run.parent), "--no-browser"]) as pages:
            address = pages.stdout.readline().strip()
            take(browser, address, "runs.png", 1280, 800, "light")
            form(browser, address)
        for width, height, scheme in ((1280, 1180, "light"), (390, 844, "dark")):
            live(browser, f"live-{width}-{scheme}.png", width, height, scheme)
        browser.close()


def form(browser: Browser, address: str) -> None:
    """Take the form that starts a run, while a plan is written in it."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme="light")
    page = context.new_page()
    page.goto(address.replace("/?", "/start?"))
    page.click("#show-plan")
    page.evaluate("byId('folder').textContent = 'shop'")  # whoever takes the picture works elsewhere
    page.locator("#text").fill(UNFINISHED)
    page.locator("#problems li").first.wait_for()
    page.locator("#text").press("Control+End")
    page.locator("#text").press("Control+Space")
    page.locator("#proposals li").first.wait_for()
    page.screenshot(path=PICTURES / "start.png")
    context.close()
    print("docs/img/start.png")


def live(browser: Browser, name: str, width: int, height: int, scheme: str) -> None:
    """Take the page of an attack while it goes on."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    shop = [sys.executable, "-m", "gunicorn", "shop:app", "--threads", "4", "--bind", f"127.0.0.1:{port}"]
    with tempfile.TemporaryDirectory() as folder, begun(shop, cwd=ROOT / "examples" / "shop"):
        time.sleep(2)
        url = f"http://127.0.0.1:{port}/search?q=oak"
        words = [
            *LOADRIG,
            "attack",
            url,
            "--rate",
            "60/1s",
            "-z",
            f"{LOAD_S}s",
            "--out",
            f"{folder}/run",
            "--ui",
        ]
        with begun(words) as rig:
            lines = iter(rig.stderr.readline, "")
            address = next(line for line in lines if "watch it: " in line).partition("watch it: ")[2].strip()
            take(browser, address, name, width, height, scheme, WATCHED_S)
            rig.wait()


@contextmanager
def begun(words: list[str], cwd: Path | None = None) -> Iterator[Any]:
    """Yield a program that runs meanwhile."""
    with subprocess.Popen(
        words, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.terminate()


def take(
    browser: Browser, address: str, name: str, width: int, height: int, scheme: Any, after_s: float = 1.5
) -> None:
    """Take the first screen of a page."""
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    page.goto(address)
    page.wait_for_timeout(after_s * 1000)
    page.screenshot(path=PICTURES / name)
    context.close()
    print(f"docs/img/{name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
