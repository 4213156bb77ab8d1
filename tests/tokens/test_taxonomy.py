import pytest

from tasks.domain.kinds import ToolCategory
from tasks.tokens.taxonomy import category, touched_path

CLAUDE_CODE = {
    "Read": "read", "NotebookRead": "read",
    "Glob": "search", "Grep": "search", "LS": "search",
    "Edit": "edit", "MultiEdit": "edit", "Write": "edit", "NotebookEdit": "edit",
    "Bash": "shell", "BashOutput": "shell", "KillShell": "shell", "bash": "shell",
    "WebFetch": "web", "WebSearch": "web",
    "TodoWrite": "plan", "TaskCreate": "plan", "TaskUpdate": "plan", "TaskList": "plan", "ExitPlanMode": "plan",
    "Task": "subagent", "Agent": "subagent",
    "mcp__kiln__fire": "mcp", "mcp__linear-server__get_issue": "mcp", "ReadMcpResourceTool": "mcp",
    "Skill": "other", "AskUserQuestion": "other", "Glaze": "other", "": "other",
}  # fmt: skip

CODEX = {
    "view_image": "read", "read_file": "read",
    "list_dir": "search", "grep_files": "search",
    "apply_patch": "edit",
    "shell": "shell", "shell_command": "shell", "local_shell": "shell", "exec_command": "shell", "write_stdin": "shell",
    "web_search": "web", "web_search_call": "web",
    "update_plan": "plan",
    "spawn_agent": "subagent", "wait_agent": "subagent",
    "mcp__kiln__fire": "mcp", "kiln__fire": "mcp",
    "request_user_input": "other", "glaze": "other",
}  # fmt: skip


TREES_AND_KIN = {
    "gemini-cli": {
        "read_many_files": "read", "search_file_content": "search", "replace": "edit", "run_shell_command": "shell",
        "google_web_search": "web", "write_todos": "plan", "codebase_investigator": "subagent", "save_memory": "other",
    },
    "iflow": {"image_read": "read", "multi_edit": "edit", "todo_read": "plan", "task": "subagent"},
    "openclaw": {"exec": "shell", "memory_search": "search", "browser": "web", "sessions_spawn": "subagent", "cron": "other"},
    "pi": {"read": "read", "find": "search", "ls": "search", "write": "edit", "bash": "shell", "subagent": "subagent"},
    "qwen-code": {"read_file": "read", "edit": "edit", "todo_write": "plan", "agent": "subagent", "skill": "other"},
}  # fmt: skip


@pytest.mark.parametrize("agent", TREES_AND_KIN)
def test_tools_of_gemini_and_pi_and_their_kin(agent: str) -> None:
    assert {name: str(category(agent, name)) for name in TREES_AND_KIN[agent]} == TREES_AND_KIN[agent]


@pytest.mark.parametrize(("name", "expected"), CLAUDE_CODE.items())
def test_tools_of_claude_code(name: str, expected: str) -> None:
    assert category("claude-code", name) == expected


@pytest.mark.parametrize(("name", "expected"), CODEX.items())
def test_tools_of_codex(name: str, expected: str) -> None:
    assert category("codex", name) == expected


OTHERS = {
    ("amp", "edit_file"): "edit", ("amp", "oracle"): "subagent", ("amp", "finder"): "search", ("amp", "Bash"): "shell",
    ("cursor", "Shell"): "shell", ("cursor", "StrReplace"): "edit", ("cursor", "CallMcpTool"): "mcp",
    ("goose", "developer__shell"): "shell", ("goose", "developer__text_editor"): "edit", ("goose", "jira__get_issue"): "mcp",
    ("hermes", "terminal"): "shell", ("hermes", "patch"): "edit", ("hermes", "memory"): "other",
    ("opencode", "read"): "read", ("opencode", "task"): "subagent", ("opencode", "todowrite"): "plan",
    ("opencode", "invalid"): "other",
}  # fmt: skip


@pytest.mark.parametrize(("tool", "expected"), OTHERS.items())
def test_tools_of_amp_cursor_goose_hermes_and_opencode(tool: tuple[str, str], expected: str) -> None:
    assert category(*tool) == expected


def test_a_call_without_a_name_is_other() -> None:
    assert category("codex", None) is ToolCategory.OTHER


def test_a_name_of_another_agent_is_known_too() -> None:
    assert category("some-agent", "grep") is ToolCategory.SEARCH


@pytest.mark.parametrize(
    ("agent", "name", "arguments", "expected"),
    [
        ("claude-code", "Bash", '{"command":"cd kiln && pytest -q","timeout":1000}', "test"),
        ("claude-code", "Bash", '{"command":"ls","description":"look before pytest"}', "shell"),
        ("claude-code", "Read", '{"file_path":"pytest"}', "read"),
        ("codex", "shell", '{"command":["bash","-lc","cargo test"]}', "test"),
        ("codex", "exec_command", '{"cmd":"npm test"}', "test"),
        ("codex", "exec_command", '{"cmd":"npm install"}', "shell"),
        ("codex", "local_shell_call", '{"action":{"type":"exec","command":["go","test","./..."]}}', "test"),
        ("codex", "shell", "pytest -q", "test"),
        ("codex", "shell", "[1, 2", "shell"),
        ("codex", "shell", "null", "shell"),
        ("codex", "shell", '{"command":["apply_patch","*** Begin Patch\\n*** Add File: a.py\\n*** End Patch"]}', "edit"),
    ],
)
def test_the_command_decides_whether_a_shell_runs_tests(agent: str, name: str, arguments: str, expected: str) -> None:
    assert category(agent, name, arguments) == expected


PATCH = "*** Begin Patch\n*** Update File: kiln/fire.py\n@@\n-a\n+b\n*** Add File: kiln/new.py\n*** End Patch"


@pytest.mark.parametrize(
    ("agent", "name", "arguments", "expected"),
    [
        ("claude-code", "Read", {"file_path": "/srv/kiln/fire.py", "offset": 1}, "/srv/kiln/fire.py"),
        ("claude-code", "NotebookEdit", {"notebook_path": "fire.ipynb"}, "fire.ipynb"),
        ("claude-code", "Grep", {"pattern": "fire", "path": "kiln"}, "kiln"),
        ("claude-code", "LSP", {"filePath": "fire.go"}, "fire.go"),
        ("claude-code", "Bash", {"command": "cat fire.py"}, None),
        ("claude-code", "Read", {"file_path": ["odd"]}, None),
        ("codex", "apply_patch", {"input": PATCH}, "kiln/fire.py"),
        ("codex", "shell", {"command": ["apply_patch", PATCH]}, "kiln/fire.py"),
        ("codex", "exec_command", {"cmd": "apply_patch <<'EOF'\n" + PATCH + "\nEOF"}, "kiln/fire.py"),
        ("codex", "view_image", {"path": "pot.png"}, "pot.png"),
        ("codex", "update_plan", {"plan": []}, None),
    ],
)
def test_the_path_a_call_touches(agent: str, name: str, arguments: dict[str, object], expected: str | None) -> None:
    assert touched_path(agent, name, arguments) == expected
