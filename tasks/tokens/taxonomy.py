"""What a tool does: the agent's own name for it -> one of ten categories."""

import re
import shlex
from collections.abc import Mapping
from typing import Any

import orjson

from tasks.domain.kinds import ToolCategory
from tasks.tokens.commands import runs_tests

TOOLS: dict[str, dict[ToolCategory, str]] = {
    "amp": {
        ToolCategory.READ: "Read look_at read_thread",
        ToolCategory.SEARCH: "Grep glob finder list_directory codebase_search_agent",
        ToolCategory.EDIT: "edit_file create_file undo_edit format_file apply_patch",
        ToolCategory.SHELL: "Bash shell_command",
        ToolCategory.WEB: "web_search read_web_page",
        ToolCategory.PLAN: "todo_write todo_read",
        ToolCategory.SUBAGENT: "Task oracle librarian handoff",
        ToolCategory.OTHER: "mermaid get_diagnostics skill",
    },
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
    "cursor": {
        ToolCategory.READ: "Read ReadFile read_file",
        ToolCategory.SEARCH: "Grep Glob LS rg SemanticSearch codebase_search list_dir file_search grep_search",
        ToolCategory.EDIT: "Write StrReplace Edit ApplyPatch EditNotebook Delete edit_file search_replace delete_file",
        ToolCategory.SHELL: "Shell Bash run_terminal_cmd",
        ToolCategory.WEB: "WebSearch WebFetch web_search",
        ToolCategory.PLAN: "TodoWrite CreatePlan SwitchMode todo_write",
        ToolCategory.SUBAGENT: "Task Subagent Agent",
        ToolCategory.MCP: "CallMcpTool FetchMcpResource",
        ToolCategory.OTHER: "ReadLints read_lints AskQuestion GenerateImage",
    },
    "goose": {
        ToolCategory.READ: "developer__image_processor developer__read_image read_image",
        ToolCategory.SEARCH: "developer__tree tree analyze__analyze developer__analyze analyze",
        ToolCategory.EDIT: "developer__text_editor text_editor developer__write developer__edit write edit",
        ToolCategory.SHELL: "developer__shell shell",
        ToolCategory.WEB: "computercontroller__web_scrape computercontroller__web_search fetch__fetch",
        ToolCategory.PLAN: "todo__todo_write todo__todo_read todo__write todo_write",
        ToolCategory.SUBAGENT: "subagent__execute_task dynamic_task__create_task delegate summon__delegate subagent",
        ToolCategory.OTHER: "platform__manage_extensions platform__search_available_extensions platform__manage_schedule",
    },
    "hermes": {
        ToolCategory.READ: "read_file vision_analyze",
        ToolCategory.SEARCH: "search_files session_search",
        ToolCategory.EDIT: "write_file patch",
        ToolCategory.SHELL: "terminal process execute_code shell",
        ToolCategory.WEB: "web_search web_extract browser_navigate browser_click browser_snapshot browser_type",
        ToolCategory.PLAN: "todo",
        ToolCategory.SUBAGENT: "delegate_task mixture_of_agents",
        ToolCategory.OTHER: "memory skill_view skills_list skill_manage clarify",
    },
    "opencode": {
        ToolCategory.READ: "read",
        ToolCategory.SEARCH: "glob grep list codesearch lsp",
        ToolCategory.EDIT: "edit write multiedit patch apply_patch",
        ToolCategory.SHELL: "bash",
        ToolCategory.WEB: "webfetch websearch",
        ToolCategory.PLAN: "todowrite todoread plan_enter plan_exit",
        ToolCategory.SUBAGENT: "task",
        ToolCategory.OTHER: "skill question batch invalid",
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
