"""The bundled shop, copied into a test's folder with a short plan.

Its users think between two requests: a load that fills the cores shows nothing more, and hinders other tests.
"""

import shutil
from pathlib import Path

SHOP = Path(__file__).parents[2] / "examples" / "shop"

STUDY = """\
loadrig: 1
name: two workers or one
target:
  gunicorn: {app: "shop:app", chdir: shop}
knobs: {workers: [1, 2]}
workload:
  users: 8
  think: 50ms
  requests: [{name: product, get: "/products/1.json", expect: {contains: price_cents}}]
goals: [errors < 5%]
trial:
  warm_up: 0s
  measure: {at_least: 600ms, at_most: 600ms}
  probe_every: 200ms
study: {find: grid, blocks: 2}
"""

SINGLE = STUDY.replace("study: {find: grid, blocks: 2}\n", "").replace("knobs: {workers: [1, 2]}\n", "")


def lay_out(folder: Path, plan: str) -> Path:
    """Lay out the shop and a plan in a folder; return the plan's path."""
    shutil.copytree(SHOP, folder / "shop", ignore=shutil.ignore_patterns("__pycache__"))
    path = folder / "plan.yaml"
    path.write_text(plan, encoding="utf-8")
    return path
