"""Words of Cline and Roo Code: the tools that an answer may use as tags, and what a person said amid the program's words."""

import re
from collections.abc import Sequence
from typing import Any

from tasks.readers import contents
from tasks.readers.values import objects

TOOLS = (
    "read_file", "write_to_file", "replace_in_file", "apply_diff", "edit_file", "search_replace", "apply_patch",
    "insert_content", "search_and_replace", "execute_command", "read_command_output", "list_files", "search_files",
    "list_code_definition_names", "codebase_search", "browser_action", "use_mcp_tool", "access_mcp_resource", "web_fetch",
    "web_search", "ask_followup_question", "attempt_completion", "plan_mode_respond", "act_mode_respond", "new_task",
    "switch_mode", "fetch_instructions", "load_mcp_documentation", "update_todo_list", "generate_image", "use_skill", "skill",
    "run_slash_command", "condense", "summarize_task", "new_rule", "report_bug",
)  # fmt: skip
_SAID = re.compile(r"</(feedback|answer|user_message)>([^<]{0,200})")


def answered(said: str) -> tuple[str, str] | None:
    """What a person answered, at the end of the program's words, and those words. A few more may follow, without a tag."""
    end = max(said.rfind("<"), 0)
    closing = _SAID.fullmatch(said, end)
    start = said.find(f"<{closing[1]}>", 0, end) if closing else -1
    if closing is None or start < 0:
        return None
    inside = said[start + len(closing[1]) + 2 : end]
    return between_breaks(inside), (said[:start] + closing[2]).rstrip()


def between_breaks(said: str) -> str:
    """Tags stand on lines of their own."""
    return said.removeprefix("\n").removesuffix("\n")


def words(message: dict[str, Any]) -> list[str]:
    """The texts of a message, results included."""
    found = [part.text for part in contents.parts(message.get("content")) if part.type == contents.TEXT]
    inner = [block.get("content") for block in objects(message.get("content")) if block.get("type") == "tool_result"]
    return found + [part.text for one in inner for part in contents.parts(one) if part.type == contents.TEXT]


def working_folder(messages: Sequence[dict[str, Any]]) -> str | None:
    """The folder that the program's own words name."""
    for message in messages[:4]:
        for said in words(message) if message.get("role") == "user" else ():
            found = re.search(r"# Current (?:Working|Workspace) Directory \(([^)\n]+)\) Files", said)
            if found:
                return found[1]
    return None
