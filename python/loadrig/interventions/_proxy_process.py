"""Process of the proxy, with the rig at both ends of it.

The proxy itself is Rust; Python only starts it. The rig runs this file by its path with an interpreter that
knows no site packages (see _proxy), as it runs the generator's.
"""

import sys

if not __package__:
    # The file is run by its path, so the folder that holds the package loadrig must be on the search path.
    sys.path.append(__file__.rpartition("/loadrig/")[0])

from loadrig import _native

if __name__ == "__main__":
    sys.exit(_native.serve_proxy())
