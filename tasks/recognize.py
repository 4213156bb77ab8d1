"""Tell whether a copy is still the log that was looked at. Its writer may have gone on, or another log may lie at its path."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from tasks.domain.kinds import Form
from tasks.domain.records import Head, SourceHint
from tasks.readers import documents, forms, registry
from tasks.store import content, databases
from tasks.store.content import ChangedError


def recognize(stored: Callable[[], BinaryIO], seen: SourceHint, scratch: Path) -> tuple[int, str]:
    """Length and sha256 of what `stored` opens. ChangedError when it is no whole log of what was seen."""
    with stored() as log:
        head = _head(log, seen.form, scratch)
    reader = registry.find(head)
    if reader is None or (reader.agent, reader.identify(head, seen.path)) != (seen.agent, seen.native_id):
        message = "another log came to its place while it was read"
        raise ChangedError(message)
    with stored() as log:
        return _measured(log)


def _head(log: BinaryIO, form: Form, scratch: Path) -> Head:
    if form is Form.FOLDER:
        return forms.folder_head(log)
    if form is Form.DATABASE:
        with databases.unpacked(log, scratch) as copy:
            return databases.head(copy)
    head, is_cut = forms.document_head(log.read(documents.MAX_DOCUMENT_BYTES))
    if head is None or is_cut:
        message = "it was being written while it was read"
        raise ChangedError(message)
    return head


def _measured(log: BinaryIO) -> tuple[int, str]:
    running, size = hashlib.sha256(), 0
    while block := log.read(content.BLOCK):
        running.update(block)
        size += len(block)
    return size, running.hexdigest()
