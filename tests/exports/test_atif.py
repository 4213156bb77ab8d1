"""What of a session stands where in an ATIF document; that Harbor reads it is in tests/test_export.py."""

from told import item, paid, priced, told

from tasks.exports.atif import trajectory


def test_all_that_a_call_made_is_one_step_and_results_stand_with_their_calls():
    session = told(
        item("user_text", "Spin.", turn=1),
        item("reasoning", "Slowly.", request_id="r1"),
        item("assistant_text", "Spinning.", request_id="r1"),
        item("tool_call", '{"speed":3}', request_id="r1", tool_name="spin", call_id="c1"),
        item("notice", "The wheel squeaks.", in_context=False),
        item("tool_call", '{"n":1}', request_id="r1", tool_name="count", call_id="c2"),
        item("tool_result", "spun", call_id="c1", flags=("error",)),
        item("tool_result", "1", call_id="c2"),
        calls=[paid("r1", 1)],
    )
    user, agent, notice = trajectory(session)["steps"]
    assert (user["step_id"], agent["step_id"], notice["step_id"]) == (1, 2, 3)
    assert (user["source"], user["message"], user["extra"]["turn"]) == ("user", "Spin.", 1)
    assert (agent["source"], agent["message"], agent["reasoning_content"]) == ("agent", "Spinning.", "Slowly.")
    assert [(call["tool_call_id"], call["function_name"], call["arguments"]) for call in agent["tool_calls"]] == [
        ("c1", "spin", {"speed": 3}),
        ("c2", "count", {"n": 1}),
    ]
    results = agent["observation"]["results"]
    assert [(one["source_call_id"], one["content"]) for one in results] == [("c1", "spun"), ("c2", "1")]
    assert results[0]["extra"]["flags"] == ["error"]
    assert (notice["source"], notice["extra"]["kind"], notice["extra"]["in_context"]) == ("system", "notice", False)


def test_prompt_tokens_include_what_was_cached_and_cache_writes_stand_in_extra():
    call = priced(
        "r1", 1, "0.25", prompt_tokens=60, cache_read_tokens=40, cache_write_tokens=15, output_tokens=7, reasoning_tokens=2
    )
    document = trajectory(told(item("assistant_text", "Spun.", request_id="r1"), calls=[call]))
    assert document["steps"][0]["metrics"] == {
        "prompt_tokens": 60, "completion_tokens": 7, "cached_tokens": 40, "cost_usd": 0.25,
        "extra": {"cache_creation_input_tokens": 15, "reasoning_tokens": 2},
    }  # fmt: skip
    assert document["steps"][0]["llm_call_count"] == 1
    assert document["final_metrics"] == {
        "total_prompt_tokens": 60, "total_completion_tokens": 7, "total_cached_tokens": 40, "total_cost_usd": 0.25,
        "total_steps": 1, "extra": {"total_cache_creation_input_tokens": 15},
    }  # fmt: skip


def test_what_a_log_does_not_say_is_left_out():
    document = trajectory(told(item("assistant_text", "Spun.", request_id="r1"), calls=[paid("r1", 1, model=None, at=None)]))
    assert "metrics" not in document["steps"][0]
    assert document["final_metrics"] == {"total_steps": 1}
    assert document["agent"] == {"name": "loom", "version": "unknown"}


def test_inherited_items_are_copied_context_and_were_paid_for_elsewhere():
    session = told(
        item("user_text", "Spin.", inherited=True),
        item("assistant_text", "Spun.", request_id="r0", inherited=True),
        item("assistant_text", "Again.", request_id="r1"),
        calls=[paid("r1", 2, prompt_tokens=5)],
    )
    document = trajectory(session)
    assert [step.get("is_copied_context") for step in document["steps"]] == [True, True, None]
    assert "metrics" not in document["steps"][1]
    assert document["final_metrics"]["total_prompt_tokens"] == 5


def test_a_left_branch_is_no_step_but_its_money_counts():
    session = told(
        item("assistant_text", "Wool.", request_id="r1", on_path=False),
        item("assistant_text", "Silk.", request_id="r2"),
        calls=[priced("r1", 1, "0.5", prompt_tokens=30), priced("r2", 2, "0.25", prompt_tokens=40)],
    )
    document = trajectory(session)
    assert [step["message"] for step in document["steps"]] == ["Silk."]
    totals = document["final_metrics"]
    assert (totals["total_prompt_tokens"], totals["total_cost_usd"]) == (40, 0.75)
    assert totals["extra"]["left_branches"] == {"calls": 1, "prompt_tokens": 30}
    assert document["notes"].startswith("1 more calls")


def test_a_call_without_words_stands_before_what_saw_it_and_a_sum_at_the_end():
    session = told(
        item("user_text", "Spin.", request_no=1),
        item("compaction_summary", "So far: wool.", item_id="s", request_no=2),
        item("user_text", "Go on.", request_no=2),
        calls=[paid("r1", 1, prompt_tokens=90), paid("all", 3, prompt_tokens=900, flags=("sum_of_calls",))],
        compactions={"s": {"trigger": "auto", "tokens_before": 90, "tokens_after": None}},
    )
    steps = trajectory(session)["steps"]
    assert [(step["source"], step["message"]) for step in steps] == [
        ("user", "Spin."), ("agent", ""), ("system", "So far: wool."), ("user", "Go on."), ("agent", ""),
    ]  # fmt: skip
    assert [steps[at]["extra"]["kind"] for at in (1, 4)] == ["call_without_words", "sum_of_calls"]
    assert [steps[at].get("llm_call_count") for at in (1, 4)] == [1, None]
    assert steps[2]["extra"]["compaction"] == {"trigger": "auto", "tokens_before": 90}


def test_a_sub_agent_is_embedded_and_the_result_of_its_call_refers_to_it():
    task = item("injected", "Count the threads.", starts_turn=True)
    agent = told(task, name="loom:1/a", parent_item_id="call", calls=[priced("r9", 1, "1")])
    other = told(task, name="loom:1/b", parent_item_id=None)
    session = told(
        item("tool_call", "{}", item_id="call", request_id="r1", tool_name="Agent", call_id="c1"),
        item("tool_result", "Nine.", call_id="c1"),
        agents=[agent, other],
        calls=[priced("r1", 1, "2")],
    )
    document = trajectory(session)
    (result,) = document["steps"][0]["observation"]["results"]
    assert result["subagent_trajectory_ref"] == [{"trajectory_id": "loom:1/a", "session_id": "loom:1/a"}]
    assert [one["trajectory_id"] for one in document["subagent_trajectories"]] == ["loom:1/a", "loom:1/b"]
    assert document["subagent_trajectories"][0]["steps"][0]["source"] == "user"
    assert document["final_metrics"]["total_cost_usd"] == 3


def test_a_call_whose_sub_agent_gave_nothing_back_refers_to_it_too():
    session = told(
        item("tool_call", "{}", item_id="call", tool_name="Agent", call_id="c1"),
        agents=[told(item("injected", "x"), name="loom:1/a", parent_item_id="call")],
    )
    (result,) = trajectory(session)["steps"][0]["observation"]["results"]
    assert (result["source_call_id"], result["subagent_trajectory_ref"][0]["trajectory_id"]) == ("c1", "loom:1/a")


def test_results_without_a_call_name_none():
    session = told(
        item("tool_result", "early", call_id="c0"),
        item("assistant_text", "See."),
        item("tool_result", "told by place"),
        item("assistant_text", "Then."),
    )
    first, second, third = trajectory(session)["steps"]
    assert (first["source"], first["observation"]["results"][0]["extra"]["call_id"]) == ("system", "c0")
    assert [one["content"] for one in second["observation"]["results"]] == ["told by place"]
    assert not any("source_call_id" in one for step in (first, second) for one in step["observation"]["results"])
    assert third["message"] == "Then."


def test_odd_calls_keep_what_they_say():
    session = told(
        item("tool_call", "[1]", request_id="r1", call_id="c1"),
        item("tool_call", "no JSON", item_id="second", request_id="r1", tool_name="t", call_id="c1"),
        item("tool_result", "of the second", call_id="c1"),
    )
    (step,) = trajectory(session)["steps"]
    assert [(call["tool_call_id"], call["function_name"], call["arguments"]) for call in step["tool_calls"]] == [
        ("c1", "unknown", {"input": [1]}),
        ("second", "t", {"input": "no JSON"}),
    ]
    assert step["observation"]["results"][0]["source_call_id"] == "second"


def test_agents_without_calls_have_a_step_for_what_they_said_in_one_go():
    session = told(
        item("assistant_text", "One."),
        item("tool_call", "{}", tool_name="t", call_id="c1"),
        item("tool_result", "r", call_id="c1"),
        item("assistant_text", "Two."),
        item("user_text", "And?"),
        item("assistant_text", "Three."),
    )
    assert [step["message"] for step in trajectory(session)["steps"]] == ["One.", "Two.", "And?", "Three."]


def test_a_session_without_items_is_a_document_all_the_same():
    assert [step["source"] for step in trajectory(told())["steps"]] == ["system"]
