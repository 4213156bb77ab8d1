"""What a tool does: the agent's own name for it -> one of ten categories."""

import re
import shlex
from collections.abc import Mapping
from typing import Any

import orjson

from tasks.domain.kinds import ToolCategory
from tasks.tokens.commands import runs_tests

TOOLS: dict[str, dict[ToolCategory, str]] = {
    "claude-code": {
        ToolCategory.READ: "Read NotebookRead View",
        ToolCategory.SEARCH: "Glob Grep LS LSP",
        ToolCategory.EDIT: "Edit MultiEdit Write NotebookEdit Replace",
        ToolCategory.SHELL: "Bash PowerShell BashOutput KillShell KillBash Monitor",
        ToolCategory.WEB: "WebFetch WebSearch",
        ToolCategory.PLAN: "TodoWrite TodoRead TaskCreate TaskUpdate TaskList TaskGet "
        "EnterPlanMode ExitPlanMode exit_plan_mode",
        ToolCategory.SUBAGENT: "Task Agent AgentOutputTool TaskOutput TaskStop SendMessage TeamCreate TeamDelete",
        ToolCategory.MCP: "ListMcpResourcesTool ReadMcpResourceTool",
        ToolCategory.OTHER: "Skill SlashCommand AskUserQuestion ToolSearch StructuredOutput",
    },
    "codecoder": {ToolCategory.READ: "read_file"},
    "codex": {
        ToolCategory.READ: "read_file view_image",
        ToolCategory.SEARCH: "list_dir grep_files",
        ToolCategory.EDIT: "apply_patch",
        ToolCategory.SHELL: "shell shell_command local_shell local_shell_call container.exec exec_command write_stdin",
        ToolCategory.WEB: "web_search web_search_call",
        ToolCategory.PLAN: "update_plan create_goal update_goal get_goal",
        ToolCategory.SUBAGENT: "spawn_agent send_input send_message resume_agent wait_agent wait close_agent list_agents",
        ToolCategory.MCP: "list_mcp_resources list_mcp_resource_templates read_mcp_resource",
        ToolCategory.OTHER: "request_user_input request_permissions tool_search tool_search_call image_generation_call js_repl",
    },
}
"""Agent -> category -> names. `TaskOutput` and `TaskStop` also serve background shells; the log does not say which."""

MCP = re.compile(r"^mcp__|^[\w-]+__[\w-]+$")
"""`mcp__server__tool`; some versions of Codex leave out the front."""

COMMAND_KEYS = ("command", "cmd", "script")
PATH_KEYS = ("file_path", "notebook_path", "filePath", "absolute_path", "path")
PATCH_FILE = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+?)\s*$", re.MULTILINE)

_BY_AGENT = {agent: {name: kind for kind, names in table.items() for name in names.split()} for agent, table in TOOLS.items()}
_ANY_AGENT = {name.lower(): kind for table in reversed(_BY_AGENT.values()) for name, kind in table.items()}


def category(agent: str, tool_name: str | None, arguments_text: str | None = None) -> ToolCategory:
    """The category of one call. `arguments_text` is the call's JSON or plain command; a shell that runs tests is `test`.

    Unknown names are `other`; the raw name stays in `tool_name`.
    """
    name = tool_name or ""
    found = _BY_AGENT.get(agent, {}).get(name) or _ANY_AGENT.get(name.lower())
    if found is None:
        found = ToolCategory.MCP if MCP.match(name) else ToolCategory.OTHER
    return _shell_category(arguments_text) if found is ToolCategory.SHELL and arguments_text else found


def shell_command(arguments_text: str) -> str:
    """The command line in a call's arguments: JSON with a command as text or as words, or the bare command."""
    try:
        arguments = orjson.loads(arguments_text)
    except orjson.JSONDecodeError:
        return arguments_text
    return _command_in(arguments)


def touched_path(agent: str, tool_name: str | None, arguments: Mapping[str, Any]) -> str | None:
    """The file a call names, as logged; the first one of a patch. None for calls about no single file, such as a shell's."""
    kind = category(agent, tool_name)
    for key in PATH_KEYS:
        value = arguments.get(key)
        if isinstance(value, str) and value:
            return value
    if kind in (ToolCategory.EDIT, ToolCategory.SHELL):
        match = PATCH_FILE.search(_patch_in(arguments))
        return match.group(1) if match else None
    return None


def _shell_category(arguments_text: str) -> ToolCategory:
    if runs_tests(shell_command(arguments_text)):
        return ToolCategory.TEST
    is_patch = "apply_patch" in arguments_text and "*** Begin Patch" in arguments_text
    return ToolCategory.EDIT if is_patch else ToolCategory.SHELL


def _command_in(arguments: Any) -> str:
    if isinstance(arguments, str):
        return arguments
    if isinstance(arguments, list):
        return shlex.join(str(word) for word in arguments)
    if not isinstance(arguments, dict):
        return ""
    for key in COMMAND_KEYS:
        if arguments.get(key):
            return _command_in(arguments[key])
    return _command_in(arguments["action"]) if "action" in arguments else ""


def _patch_in(arguments: Mapping[str, Any]) -> str:
    """The text of a patch, whichever argument holds it; a patch given to a shell is one of the command's words."""
    for key in ("input", "patch", *COMMAND_KEYS):
        value = arguments.get(key)
        if isinstance(value, list):
            value = "\n".join(str(word) for word in value)
        if isinstance(value, str) and "*** " in value:
            return value
    return ""
