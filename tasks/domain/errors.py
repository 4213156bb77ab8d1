"""Errors that a person is meant to read. Each says what, where and what to do.

MidwatchError            exit 1
  UsageError             exit 2   bad usage or input
  LockHeldError          exit 75  another run holds the lock
  DamageError            exit 1   a check failed, the books do not balance, a file is not what the manifest says
  StorageError           exit 1   the data folder cannot be written or read: disk full, no permission, out of handles
  OfflineVocabularyError exit 1   tiktoken's vocabulary is not on this machine
"""


class MidwatchError(Exception):
    """An expected failure: shown as one message, without a traceback."""

    exit_code = 1


class UsageError(MidwatchError):
    """The call or its input is wrong; the message says how to call again."""

    exit_code = 2


class LockHeldError(MidwatchError):
    """Another run is writing to this data folder."""

    exit_code = 75


class DamageError(MidwatchError):
    """Something on disk contradicts the manifest, or the books do not balance."""


class StorageError(MidwatchError):
    """The data folder refuses to be written or read; what was committed before stands."""


class OfflineVocabularyError(MidwatchError):
    """tiktoken's vocabulary file is missing, and nothing may be downloaded."""
