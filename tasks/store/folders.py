"""Files of one folder as one tar archive: equal files make equal bytes, whatever their times, owners and order on disk."""

import tarfile
import tempfile
from collections.abc import Callable, Iterable
from io import BytesIO
from typing import BinaryIO, cast

SPOOL_BYTES = 32 << 20
"""Beyond it an archive is put together on disk."""


def pack(files: Iterable[tuple[str, Callable[[], BinaryIO]]]) -> BinaryIO:
    """The archive of files, by name and what opens them."""
    spool = tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES)  # noqa: SIM115
    with tarfile.open(fileobj=cast(BinaryIO, spool), mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, opened in sorted(files, key=lambda file: file[0]):
            with opened() as source:
                content = source.read()
            header = tarfile.TarInfo(name)
            header.size, header.mode = len(content), 0o600
            archive.addfile(header, BytesIO(content))
    spool.seek(0)
    return cast(BinaryIO, spool)
