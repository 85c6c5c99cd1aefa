"""Module that Python finds at its start, in place of the server's own sitecustomize: it runs both.

loadrig puts this folder first on PYTHONPATH of a server that it starts and was asked to look into. It
must work on every CPython since 3.8, and whatever goes wrong here must not be noticed by the server.
"""

import contextlib
import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _start_inside() -> None:
    """Load the module that looks from inside."""
    spec = importlib.util.spec_from_file_location("_loadrig_inside", os.path.join(_HERE, "inside.py"))
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.start()


def _run_own_sitecustomize() -> None:
    """Run the sitecustomize that Python would have found without the rig; its errors are raised."""
    elsewhere = [path for path in sys.path if os.path.abspath(path or os.curdir) != _HERE]
    # The application finds its modules where it always does: this folder is for Python's start only.
    sys.path[:] = elsewhere
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", elsewhere)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


# The server must start, whatever goes wrong here.
with contextlib.suppress(Exception):
    _start_inside()
_run_own_sitecustomize()
