"""The files that declare gRPC services: read and compiled by the Rust half, without protoc."""

from collections.abc import Sequence
from pathlib import Path


def compile_protos(folder: Path, names: Sequence[str]) -> bytes:
    """Return a serialised google.protobuf.FileDescriptorSet of these files and all that they import.

    names: paths relative to the folder. Imports are looked for in the folder, then beside each
    file. Raises ValueError with file, line and reason if one of them is wrong.
    """
    from loadrig import _native

    paths = [(folder / name).resolve() for name in names]
    # The outermost folder first, so that a file that is both named here and imported has one name only.
    beside = sorted((path.parent for path in paths), key=lambda parent: len(parent.parts))
    includes = dict.fromkeys(str(include) for include in (folder.resolve(), *beside))
    try:
        return _native.compile_protos([str(path) for path in paths], list(includes))
    except ValueError as error:
        # Messages name files as the plan does, relative to its folder.
        raise ValueError(str(error).removeprefix(f"{folder.resolve()}/")) from None


def messages_of(descriptors: bytes, method: str) -> tuple[str, str]:
    """Return the full names of the messages that a method takes and gives.

    method: `package.Service/Method`. Raises ValueError if there is none, or if it is streaming.
    """
    from loadrig import _native

    return _native.grpc_method(descriptors, method)
