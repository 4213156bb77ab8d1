"""The walls around the tests hold."""

import os
import socket
from pathlib import Path

import pytest


def test_a_connection_to_another_machine_is_refused():
    with socket.socket() as there, pytest.raises(RuntimeError, match="not on this machine"):
        there.connect(("192.0.2.1", 80))


def test_a_name_of_another_machine_is_not_looked_up():
    with pytest.raises(RuntimeError, match="not on this machine"):
        socket.create_connection(("example.invalid", 80))


def test_a_connection_on_this_machine_is_allowed():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert client.getpeername() == server.getsockname()


def test_no_agent_logs_of_this_machine_are_in_sight():
    assert list(Path.home().glob(".c*/**/*.jsonl")) == []
    assert "CLAUDE_CONFIG_DIR" not in os.environ and "CODEX_HOME" not in os.environ


def test_no_setting_of_this_machine_reaches_a_test():
    assert [name for name in os.environ if name.startswith("MIDWATCH_")] in ([], ["MIDWATCH_SHARED"])
