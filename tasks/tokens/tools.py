"""What the tools of each agent do, by the names that its logs give them."""

from tasks.domain.kinds import ToolCategory

TOOLS: dict[str, dict[ToolCategory, str]] = {
    "claude-code": {
        ToolCategory.READ: "Read NotebookRead View",
        ToolCategory.SEARCH: "Glob Grep LS LSP",
        ToolCategory.EDIT: "Edit MultiEdit Write NotebookEdit Replace",
        ToolCategory.SHELL: "Bash PowerShell BashOutput KillShell KillBash Monitor",
        ToolCategory.WEB: "WebFetch WebSearch",
        ToolCategory.PLAN: (
            "TodoWrite TodoRead TaskCreate TaskUpdate TaskList TaskGet EnterPlanMode ExitPlanMode exit_plan_mode"
        ),
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
        ToolCategory.OTHER: (
            "request_user_input request_permissions tool_search tool_search_call image_generation_call js_repl"
        ),
    },
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
    "antigravity": {
        ToolCategory.READ: "view_file view_file_outline view_code_item view_content_chunk VIEW_FILE",
        ToolCategory.SEARCH: "list_dir find_by_name grep_search codebase_search LIST_DIRECTORY GREP_SEARCH FIND",
        ToolCategory.EDIT: "write_to_file write_file replace_file_content multi_replace_file_content CODE_ACTION",
        ToolCategory.SHELL: "run_command command_status send_command_input RUN_COMMAND COMMAND_STATUS",
        ToolCategory.WEB: (
            "search_web read_url_content browser_navigate open_browser_url SEARCH_WEB READ_URL_CONTENT BROWSER_NAVIGATE"
        ),
        ToolCategory.PLAN: "task_boundary TASK_BOUNDARY",
        ToolCategory.SUBAGENT: "browser_subagent BROWSER_SUBAGENT",
        ToolCategory.OTHER: "notify_user generate_image NOTIFY_USER GENERIC",
    },
    "cline": {
        ToolCategory.READ: "read_file read_files access_mcp_resource",
        ToolCategory.SEARCH: "list_files search_files search_codebase list_code_definition_names codebase_search",
        ToolCategory.EDIT: "write_to_file replace_in_file edit_file apply_patch editor",
        ToolCategory.SHELL: "execute_command run_commands",
        ToolCategory.WEB: "web_fetch web_search fetch_web_content browser_action",
        ToolCategory.PLAN: "plan_mode_respond act_mode_respond switch_to_act_mode update_todo_list",
        ToolCategory.SUBAGENT: "spawn_agent new_task use_subagents",
        ToolCategory.MCP: "use_mcp_tool load_mcp_documentation",
        ToolCategory.OTHER: (
            "ask_followup_question ask_question attempt_completion submit_and_exit condense summarize_task "
            "new_rule report_bug use_skill skills generate_explanation"
        ),
    },
    "codecoder": {
        ToolCategory.READ: "read_file",
    },
    "copilot-cli": {
        ToolCategory.READ: "view read_file",
        ToolCategory.SEARCH: "glob grep rg",
        ToolCategory.EDIT: "edit create str_replace_editor apply_patch",
        ToolCategory.SHELL: (
            "bash powershell shell read_bash write_bash stop_bash list_bash read_powershell write_powershell "
            "stop_powershell list_powershell"
        ),
        ToolCategory.WEB: "web_fetch web_search",
        ToolCategory.PLAN: "update_todo report_intent task_complete exit_plan_mode",
        ToolCategory.SUBAGENT: "task read_agent list_agents",
        ToolCategory.OTHER: "ask_user skill store_memory fetch_copilot_cli_documentation",
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
    "factory-droid": {
        ToolCategory.READ: "Read ViewImage",
        ToolCategory.SEARCH: "LS Glob Grep",
        ToolCategory.EDIT: "Edit MultiEdit Create ApplyPatch",
        ToolCategory.SHELL: "Execute Shell",
        ToolCategory.WEB: "WebSearch FetchUrl",
        ToolCategory.PLAN: "TodoWrite ExitSpecMode",
        ToolCategory.SUBAGENT: "Task TaskOutput",
        ToolCategory.OTHER: "AskUser Skill GenerateDroid",
    },
    "gemini-cli": {
        ToolCategory.READ: "read_file read_many_files",
        ToolCategory.SEARCH: "list_directory glob search_file_content grep_search",
        ToolCategory.EDIT: "write_file replace edit_file",
        ToolCategory.SHELL: "run_shell_command run_command execute_command",
        ToolCategory.WEB: "google_web_search web_fetch",
        ToolCategory.PLAN: "write_todos enter_plan_mode exit_plan_mode",
        ToolCategory.SUBAGENT: "delegate_to_agent invoke_agent codebase_investigator generalist cli_help",
        ToolCategory.OTHER: "save_memory activate_skill ask_user get_internal_docs update_topic",
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
    "gptme": {
        ToolCategory.READ: "read vision screenshot",
        ToolCategory.EDIT: "save append patch morph",
        ToolCategory.SHELL: "shell ipython python tmux",
        ToolCategory.WEB: "browser youtube",
        ToolCategory.PLAN: "todo todoread todowrite",
        ToolCategory.SUBAGENT: "subagent",
        ToolCategory.OTHER: "gh rag computer choice form complete restart",
    },
    "grok": {
        ToolCategory.READ: "read_file",
        ToolCategory.SEARCH: "list_dir grep glob codebase_search search_files",
        ToolCategory.EDIT: "search_replace write_file edit_file delete_file apply_patch",
        ToolCategory.SHELL: "run_terminal_cmd run_terminal_command bash code_interpreter",
        ToolCategory.WEB: "web_search x_search web_fetch open_page",
        ToolCategory.PLAN: "todo_write",
        ToolCategory.SUBAGENT: "spawn_subagent task",
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
    "iflow": {
        ToolCategory.READ: "read_file read_many_files image_read",
        ToolCategory.SEARCH: "list_directory glob search_file_content",
        ToolCategory.EDIT: "write_file replace multi_edit",
        ToolCategory.SHELL: "run_shell_command",
        ToolCategory.WEB: "web_search web_fetch",
        ToolCategory.PLAN: "todo_write todo_read exit_plan_mode",
        ToolCategory.SUBAGENT: "task",
        ToolCategory.OTHER: "save_memory ask_user_question",
    },
    "kimi": {
        ToolCategory.READ: "Read ReadMediaFile",
        ToolCategory.SEARCH: "Glob Grep",
        ToolCategory.EDIT: "Edit Write",
        ToolCategory.SHELL: "Bash",
        ToolCategory.WEB: "WebSearch FetchURL",
        ToolCategory.PLAN: "TodoList EnterPlanMode ExitPlanMode CreateGoal GetGoal UpdateGoal SetGoalBudget",
        ToolCategory.SUBAGENT: "Agent AgentSwarm TaskList TaskOutput TaskStop",
        ToolCategory.OTHER: "Skill AskUserQuestion CronCreate CronList CronDelete",
    },
    "mini-swe-agent": {
        ToolCategory.SHELL: "bash",
    },
    "openclaw": {
        ToolCategory.READ: "read image",
        ToolCategory.SEARCH: "grep find ls memory_search memory_get",
        ToolCategory.EDIT: "edit write apply_patch edit_file",
        ToolCategory.SHELL: "exec bash process run_terminal shell_exec",
        ToolCategory.WEB: "web_search web_fetch browser",
        ToolCategory.SUBAGENT: "sessions_spawn sessions_send sessions_list sessions_history agents_list",
        ToolCategory.OTHER: "message cron canvas nodes gateway session_status",
    },
    "opencode": {
        ToolCategory.READ: "read",
        ToolCategory.SEARCH: "glob grep list codesearch lsp",
        ToolCategory.EDIT: "edit write multiedit patch apply_patch",
        ToolCategory.SHELL: "bash shell",
        ToolCategory.WEB: "webfetch websearch",
        ToolCategory.PLAN: "todowrite todoread plan_enter plan_exit",
        ToolCategory.SUBAGENT: "task subagent",
        ToolCategory.OTHER: "skill question batch invalid",
    },
    "openhands": {
        ToolCategory.READ: "read view_image",
        ToolCategory.SEARCH: "glob grep list_directory",
        ToolCategory.EDIT: ("file_editor str_replace_editor planning_file_editor apply_patch edit write edit_file write_file"),
        ToolCategory.SHELL: "terminal execute_bash bash run execute_ipython_cell run_ipython cmd_run",
        ToolCategory.WEB: (
            "browser browse browse_interactive browser_navigate browser_get_content browser_get_state "
            "browser_click browser_type browser_scroll fetch tavily_search"
        ),
        ToolCategory.PLAN: "task_tracker task_tracking think",
        ToolCategory.SUBAGENT: "delegate task",
        ToolCategory.OTHER: "finish invoke_skill request_condensation security_risk",
    },
    "pi": {
        ToolCategory.READ: "read",
        ToolCategory.SEARCH: "grep find ls",
        ToolCategory.EDIT: "edit write",
        ToolCategory.SHELL: "bash",
        ToolCategory.SUBAGENT: "subagent",
    },
    "qwen-code": {
        ToolCategory.READ: "read_file read_many_files",
        ToolCategory.SEARCH: "list_directory glob grep_search search_file_content lsp",
        ToolCategory.EDIT: "edit write_file replace notebook_edit",
        ToolCategory.SHELL: "run_shell_command",
        ToolCategory.WEB: "web_search web_fetch",
        ToolCategory.PLAN: "todo_write exit_plan_mode",
        ToolCategory.SUBAGENT: "task agent",
        ToolCategory.OTHER: "save_memory skill ask_user_question tool_search",
    },
    "roo": {
        ToolCategory.READ: "read_file access_mcp_resource read_command_output",
        ToolCategory.SEARCH: "list_files search_files list_code_definition_names codebase_search",
        ToolCategory.EDIT: (
            "write_to_file apply_diff insert_content search_and_replace search_replace edit_file edit apply_patch"
        ),
        ToolCategory.SHELL: "execute_command",
        ToolCategory.WEB: "browser_action",
        ToolCategory.PLAN: "update_todo_list switch_mode",
        ToolCategory.SUBAGENT: "new_task",
        ToolCategory.MCP: "use_mcp_tool",
        ToolCategory.OTHER: (
            "ask_followup_question attempt_completion fetch_instructions generate_image run_slash_command skill"
        ),
    },
    "swe-agent": {
        ToolCategory.READ: "open goto scroll_up scroll_down view_image",
        ToolCategory.SEARCH: "find_file search_dir search_file filemap",
        ToolCategory.EDIT: "create edit insert append str_replace_editor",
        ToolCategory.SHELL: "bash",
        ToolCategory.OTHER: "submit exit_forfeit exit_cost",
    },
    "vibe": {
        ToolCategory.READ: "read_file read",
        ToolCategory.SEARCH: "grep glob list_dir",
        ToolCategory.EDIT: "search_replace write_file edit",
        ToolCategory.SHELL: "bash",
        ToolCategory.WEB: "web_search web_fetch",
        ToolCategory.PLAN: "todo exit_plan_mode",
        ToolCategory.SUBAGENT: "task",
        ToolCategory.OTHER: "ask_user_question skill",
    },
    "vs-copilot": {
        ToolCategory.READ: "get_file get_errors get_output_window_logs get_files_in_project get_projects_in_solution",
        ToolCategory.SEARCH: "code_search file_search find_symbol get_symbols_by_name",
        ToolCategory.EDIT: (
            "apply_patch create_file edit_file replace_string_in_file multi_replace_string_in_file remove_file"
        ),
        ToolCategory.SHELL: "run_command_in_terminal run_build",
        ToolCategory.TEST: "run_tests",
        ToolCategory.WEB: "get_web_pages",
        ToolCategory.PLAN: "plan update_plan_progress finish_plan record_observation",
    },
}
"""Agent -> category -> names. `TaskOutput` and `TaskStop` also serve background shells; the log does not say which."""
