"""Sessions whose windows are known by hand, through log, reader, lake and account: each gives exactly those.

The invented provider counts by the scales that are known beforehand, so that nothing is left over: 0.9 for a token of a
result, 0.45 for each capital and sign of punctuation in it, and 18 around it; 1.11 for a token of a prompt and 4 around it.
An answer is what the log counts as its output. A text of n words is n tokens; its first word names it.
"""

from pathlib import Path
from typing import Any

import pytest
from lakes import analyzed, ask, night
from logs import ClaudeLog, CodexLog

from tasks.context.rows import sessions
from tasks.context.window import chains
from tasks.store import catalog, sql
from tasks.store.layout import Layout

OVERHEAD = 20_000
PROMPT = 115
"""100 words typed: 1.11 x 100 + 4."""
OUT = 50
"""Every answer."""


def words(name: str, count: int = 100) -> str:
    return name + " warp" * (count - 1)


def counts(prompt: int, cached: int = 0) -> tuple[int, int, int, int]:
    """(uncached, cache write, cache read, output) of a call with so large a prompt."""
    return 0, prompt - cached, cached, OUT


def accounted(folder: Path, *logs: ClaudeLog | CodexLog) -> Path:
    for log in logs:
        log.write(folder / "archive")
    night(folder / "archive", folder / "data")
    analyzed(folder / "data")
    return folder / "data"


def windows(data: Path) -> dict[int, list[str]]:
    """By call, what its window held: the first word of each text, with the form if it is not whole, in order."""
    found = ask(
        data,
        """
            select reconciliation.request_no, list(
                split_part(items.text, ' ', 1) || case when form <> 'full' then ':' || form else '' end order by position
            )
            from reconciliation
            join residency on residency.session_id = reconciliation.session_id
                and reconciliation.request_no between first_request_no and last_request_no
            join placements on placements.session_id = residency.session_id and placements.item_id = residency.item_id
            join items on items.item_id = residency.item_id
            group by all order by all
        """,
    )
    return dict(found)


def left_over(data: Path) -> list[Any]:
    """Overhead and residual of each call, once each."""
    return ask(data, "select distinct overhead_tokens, residual_tokens from reconciliation order by all")


def test_a_read_of_5000_tokens_is_carried_for_60_calls(tmp_path: Path):
    """0.9 x 5,000 + 18 = 4,518 tokens in each of the 60 calls after it: 271,080."""
    log, prompt = ClaudeLog("carried").prompt(words("count")), OVERHEAD + PROMPT
    log.call("Read", {"file_path": "/srv/looms/big.txt"}, words("big", 5_000), counts(prompt))
    prompt += OUT + 4_518
    for _ in range(59):
        log.call("Bash", {"command": "wc"}, words("small", 200), counts(prompt, prompt - 300))
        prompt += OUT + 198
    data = accounted(tmp_path, log.answer("Done.", tokens=counts(prompt, prompt - 300)))
    question = (
        "select requests, tokens_calibrated, token_requests from residency join items using (item_id) where tokens = 5000"
    )
    assert ask(data, question) == [(60, 4_518, 271_080)]
    assert left_over(data) == [(OVERHEAD, 0)]


def test_three_branches_from_one_place_do_not_see_each_other(tmp_path: Path):
    """Each goes on from the first answer: 115 + 50 + its own prompt of 115."""
    log = ClaudeLog("siblings").prompt(words("stem")).answer(words("shared"), tokens=counts(OVERHEAD + PROMPT))
    trunk = OVERHEAD + PROMPT + OUT
    branches = (("first", "north"), ("second", "south"), ("third", "east"))
    for name, more in branches:
        log.after(1).prompt(words(name)).answer(words(f"{name}-said"), tokens=counts(trunk + PROMPT))
        log.prompt(words(more)).answer("Yes.", tokens=counts(trunk + PROMPT + OUT + PROMPT))
    data = accounted(tmp_path, log)
    assert windows(data) == {1: ["stem"]} | {
        no: held
        for at, (name, more) in enumerate(branches)
        for no, held in (
            (2 + 2 * at, ["stem", "shared", name]),
            (3 + 2 * at, ["stem", "shared", name, f"{name}-said", more]),
        )
    }
    assert left_over(data) == [(OVERHEAD, 0)]
    assert ask(data, "select count(distinct branch) from placements") == [(2,)]


def test_branches_that_go_on_in_turn_do_not_see_each_other(tmp_path: Path):
    """A call of a branch that was left may come after calls of the branch that stayed."""
    log = ClaudeLog("turns").prompt(words("stem")).answer(words("shared"), tokens=counts(OVERHEAD + PROMPT))
    trunk = OVERHEAD + PROMPT + OUT
    log.prompt(words("one")).answer(words("one-said"), tokens=counts(trunk + PROMPT))
    log.after(1).prompt(words("two")).answer(words("two-said"), tokens=counts(trunk + PROMPT))
    log.after(3).prompt(words("more")).answer("Yes.", tokens=counts(trunk + PROMPT + OUT + PROMPT))
    log.after(5).prompt(words("again")).answer("No.", tokens=counts(trunk + PROMPT + OUT + PROMPT))
    data = accounted(tmp_path, log)
    assert windows(data) == {
        1: ["stem"],
        2: ["stem", "shared", "one"],
        3: ["stem", "shared", "two"],
        4: ["stem", "shared", "one", "one-said", "more"],
        5: ["stem", "shared", "two", "two-said", "again"],
    }
    assert left_over(data) == [(OVERHEAD, 0)]
    # The shared prefix never left: one stay of five calls. What only a branch held has a stay for each of its runs.
    question = "select requests from residency join items using (item_id) where text like {!r} order by first_request_no"
    assert ask(data, question.format("stem%")) == [(5,)]
    assert ask(data, question.format("one %")) == [(1,), (1,)]


def test_a_branch_of_a_branch_sees_both_up_to_where_it_left_them(tmp_path: Path):
    log = ClaudeLog("twig").prompt(words("stem")).answer(words("shared"), tokens=counts(OVERHEAD + PROMPT))
    trunk = OVERHEAD + PROMPT + OUT
    log.prompt(words("branch")).answer(words("branch-said"), tokens=counts(trunk + PROMPT))
    log.prompt(words("leaf")).answer("Green.", tokens=counts(trunk + 2 * PROMPT + OUT))
    log.after(3).prompt(words("twig")).answer("Dry.", tokens=counts(trunk + 2 * PROMPT + OUT))
    log.after(1).prompt(words("tree")).answer("High.", tokens=counts(trunk + PROMPT))
    data = accounted(tmp_path, log)
    assert windows(data) == {
        1: ["stem"],
        2: ["stem", "shared", "branch"],
        3: ["stem", "shared", "branch", "branch-said", "leaf"],
        4: ["stem", "shared", "branch", "branch-said", "twig"],
        5: ["stem", "shared", "tree"],
    }
    assert left_over(data) == [(OVERHEAD, 0)]


def test_a_microcompaction_leaves_twelve_tokens_of_each_result_it_names(tmp_path: Path):
    """Two results of 1,000 words are 918 each; the first stands as 12 from the third call on. An attachment that it names is
    gone: 100 words put in are 115, like a prompt."""
    log = ClaudeLog("micro").prompt(words("count"))
    log._add("attachment", attachment={"type": "nested_memory", "content": words("memo")})
    memo, prompt = log.records[-1]["uuid"], OVERHEAD + 2 * PROMPT
    log.call("Bash", {"command": "a"}, words("old", 1_000), counts(prompt))
    prompt += OUT + 918
    log.call("Bash", {"command": "b"}, words("new", 1_000), counts(prompt))
    prompt += OUT + 918 - (918 - 12) - PROMPT
    told = {"trigger": "auto", "compactedToolIds": ["toolu_micro_0"], "clearedAttachmentUUIDs": [memo]}
    log._add("system", subtype="microcompact_boundary", content="Context microcompacted", microcompactMetadata=told)
    data = accounted(tmp_path, log.answer("Counted.", tokens=counts(prompt)))
    calls = ['{"command":"a"}', '{"command":"b"}']
    assert windows(data) == {
        1: ["count", "memo"],
        2: ["count", "memo", calls[0], "old"],
        3: ["count", calls[0], "old:cleared", calls[1], "new"],
    }
    assert left_over(data) == [(OVERHEAD, 0)]


def test_a_result_that_was_replaced_before_it_was_seen_stands_as_its_preview(tmp_path: Path):
    """The result of 3,000 words never was in a window; the 100 words in its place are 0.9 x 100 + 18 = 108."""
    log, prompt = ClaudeLog("replaced").prompt(words("count")), OVERHEAD + PROMPT
    log.call("Bash", {"command": "a"}, words("whole", 3_000), counts(prompt))
    told = {"kind": "tool-result", "toolUseId": "toolu_replaced_0", "replacement": words("<persisted-output>", 96)}
    log.records.append({"type": "content-replacement", "sessionId": log.session_id, "replacements": [told]})
    log.after(2).answer("Counted.", tokens=counts(prompt + OUT + 108)).prompt(words("again"))
    data = accounted(tmp_path, log.answer("Yes.", tokens=counts(prompt + 2 * OUT + 108 + PROMPT)))
    assert ask(data, "select tokens from items where list_contains(flags, 'replacement')") == [(100,)]
    assert windows(data)[2] == ["count", '{"command":"a"}', "whole:preview"]
    assert windows(data)[3] == ["count", '{"command":"a"}', "whole:preview", "Counted.", "again"]
    assert left_over(data) == [(OVERHEAD, 0)]


def test_a_pause_of_six_minutes_pays_the_prefix_again(tmp_path: Path):
    """The second call reads the first one's 20,115 from the cache; the third, six minutes later, reads nothing and pays for the
    20,280 that were cached: 20,115 + 50 + 115."""
    log = ClaudeLog("idle").prompt(words("one")).answer("Yes.", tokens=counts(OVERHEAD + PROMPT))
    second = OVERHEAD + 2 * PROMPT + OUT
    log.prompt(words("two")).answer("Yes.", tokens=counts(second, OVERHEAD + PROMPT))
    log.prompt(words("three")).answer("Yes.", tokens=counts(second + OUT + PROMPT))
    for record in log.records[-2:]:
        record["timestamp"] = record["timestamp"].replace("T09:00:", "T09:06:")
    data = accounted(tmp_path, log)
    assert ask(data, "select request_no, tokens_repaid, cause from cache_misses") == [(3, 20_280, "idle")]
    assert left_over(data) == [(OVERHEAD, 0)]


@pytest.mark.parametrize("how", ["preservedSegment", "preservedMessages"])
def test_a_compaction_keeps_its_preserved_tail_until_the_next_one(tmp_path: Path, how: str):
    """Behind the boundary: the summary (100 words, 115), the tail of a prompt and an answer, and the new prompt."""
    log = ClaudeLog("tail").prompt(words("old")).answer(words("old-said"), tokens=counts(OVERHEAD + PROMPT))
    log.prompt(words("tail")).answer(words("tail-said"), tokens=counts(OVERHEAD + 2 * PROMPT + OUT))
    tail = [record["uuid"] for record in log.records[2:4]]
    log.compact(words("summary"))
    log.records[4]["compactMetadata"][how] = (
        {"headUuid": tail[0], "anchorUuid": log.records[5]["uuid"], "tailUuid": tail[1]}
        if how == "preservedSegment" else {"anchorUuid": log.records[5]["uuid"], "uuids": tail}
    )  # fmt: skip
    log.prompt(words("new")).answer("Yes.", tokens=counts(OVERHEAD + 3 * PROMPT + OUT))
    log.compact(words("second"))
    data = accounted(tmp_path, log.prompt(words("last")).answer("Yes.", tokens=counts(OVERHEAD + 2 * PROMPT)))
    assert windows(data) == {
        1: ["old"],
        2: ["old", "old-said", "tail"],
        3: ["tail", "tail-said", "summary:summary", "new"],
        4: ["second:summary", "last"],
    }
    assert left_over(data) == [(OVERHEAD, 0)]


def test_a_fork_carries_what_it_inherits_from_its_first_call_on(tmp_path: Path):
    """The calls of the parent are the parent's; the fork's own calls hold the parent's words up to the fork, and its own. An
    answer that the parent paid for is estimated in the fork: 1.12 x 100 + 2 = 114, and here as many were counted."""
    log = ClaudeLog("parent").prompt(words("stem")).answer(words("shared"), tokens=(0, OVERHEAD + PROMPT, 0, 114))
    fork = log.forked("child", 2).prompt(words("other"))
    fork.answer("Yes.", tokens=counts(OVERHEAD + 2 * PROMPT + 114))
    log.prompt(words("own")).answer("No.", tokens=counts(OVERHEAD + 2 * PROMPT + 114))
    data = accounted(tmp_path, log, fork)
    question = """
        select items.text[:5], requests from residency join items using (item_id)
        where residency.session_id = {!r} order by items.at, items.text
    """
    assert ask(data, question.format(f"claude-code:{fork.session_id}")) == [("stem ", 1), ("share", 1), ("other", 1)]
    assert ask(data, question.format(f"claude-code:{log.session_id}")) == [("stem ", 2), ("share", 1), ("own w", 1)]
    assert left_over(data) == [(OVERHEAD, 0)]


def test_a_prompt_that_waited_and_a_side_chain_stand_where_they_were_sent(tmp_path: Path):
    """A command queued while the model worked is in the next call; a sub-agent's words are in its own session alone."""
    log, prompt = ClaudeLog("queued").prompt(words("count")), OVERHEAD + PROMPT
    log.call("Task", {"prompt": words("task")}, words("report", 100), counts(prompt))
    log._add("attachment", attachment={"type": "queued_command", "prompt": words("urgent"), "commandMode": "prompt"})
    prompt += OUT + 108 + PROMPT
    log.answer("Hurried.", tokens=counts(prompt))
    side = ClaudeLog("side").prompt(words("task")).answer("Done.", tokens=counts(OVERHEAD + PROMPT))
    for record in side.records:
        log.records.append({**record, "sessionId": log.session_id, "isSidechain": True, "agentId": "helper"})
    data = accounted(tmp_path, log)
    assert left_over(data) == [(OVERHEAD, 0)]
    assert ask(
        data,
        """
        select session_id like '%/helper', last_request_no, list(split_part(text, ' ', 1) order by seq)
        from residency join items using (item_id, session_id) where kind = 'user_text' or starts_turn
        group by all order by all
        """,
    ) == [(False, 2, ["count", "urgent"]), (True, 1, ["task"])]


def test_outline_at_a_call_is_the_window_of_the_account(tmp_path: Path):
    """For every call of a session with branches, a clearing and a compaction, item by item and form by form."""
    log = ClaudeLog("outline").prompt(words("stem")).call("Bash", {"command": "a"}, words("old", 400), counts(21_000))
    log.after(0).prompt(words("other")).call("Bash", {"command": "b"}, words("kept", 300), counts(21_100))
    told = {"compactedToolIds": ["toolu_outline_1"]}
    log._add("system", subtype="microcompact_boundary", microcompactMetadata=told).answer("Yes.", tokens=counts(21_200))
    log.compact(words("summary")).prompt(words("new")).answer("No.", tokens=counts(20_500))
    data = accounted(tmp_path, log)
    session = f"claude-code:{log.session_id}"
    with catalog.connect(Layout(data)) as con:
        told = (sql.run(con, sql.load(f"accounts/{name}_to_account")).dicts() for name in ("sessions", "calls", "items"))
        ((chain,),) = (chains(one) for one in sessions(*told))
        outline = sql.load("analysis/outline_of_session")
        for at, call in enumerate(chain.calls):
            shown = sql.run(con, outline, {"session": session, "at_request": call.no}).dicts()
            held = sorted((s.item.position, s.form.value, s.inferred) for s in chain.stays if s.first <= at <= s.last)
            assert [(one["position"], one["form"], one["inferred"]) for one in shown] == held
    assert len(chain.calls) == 4
