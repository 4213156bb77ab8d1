"""Where tiktoken's vocabulary lies on this machine: litellm's wheel carries it under the names of tiktoken's own cache."""

import hashlib
import importlib.util
from pathlib import Path

from tasks.domain.errors import OfflineVocabularyError

FILES = {
    "o200k_base": (
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
    "cl100k_base": (
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
}
"""Encoding -> (file name, sha256 of the file)."""


def bundled_folder() -> Path:
    """litellm's folder of tokenizers, found without importing litellm (an import costs seconds)."""
    spec = importlib.util.find_spec("litellm")
    if spec is None or spec.origin is None:
        raise OfflineVocabularyError(
            "The token vocabulary comes with the package litellm, which is not installed here. Install midwatch again."
        )
    return Path(spec.origin).parent / "litellm_core_utils" / "tokenizers"


def verified(encoding: str, folder: Path) -> str:
    """The sha256 of the encoding's file. Checked first: tiktoken would delete a file that differs and download it."""
    if encoding not in FILES:
        raise OfflineVocabularyError(f"No vocabulary for the encoding {encoding!r}. There is one for: {', '.join(FILES)}.")
    name, expected = FILES[encoding]
    path = folder / name
    if not path.is_file():
        raise OfflineVocabularyError(
            f"The vocabulary of {encoding} is missing: {path}. Install litellm again; midwatch never downloads it by itself."
        )
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != expected:
        raise OfflineVocabularyError(
            f"The vocabulary of {encoding} is damaged: {path} has sha256 {found}, not {expected}. Install litellm again."
        )
    return found
