"""How far the account of one session can be trusted, in plain words, none of a log's; and why there is none."""

from tasks.report import words
from tasks.report.session_words import Row, counted, times


def trust(facts: Row, account: Row | None) -> list[str]:
    """How well the account explains the prompts, and what in it is estimated."""
    if account is None:
        return []
    parts = ("explained_tokens", "overhead_tokens", "residual_tokens")
    explained, overhead, residual = (words.percent(account[name] / account["prompt_tokens"]) for name in parts)
    half, most, nearly = (words.percent(account[f"residual_share_{of}"]) for of in ("p50", "p90", "p99"))
    told = [
        f"{account['requests_with_account']:,} of {counted(account['requests'], 'call')} have an account. Together their "
        f"prompts, as the provider counted them, are items of the log ({explained}), overhead that no log shows ({overhead}) "
        f"and a residual that nothing explains ({residual}); the three add up exactly, call by call.",
        f"The residual is at most {half} of the prompt for half of the calls, {most} for nine in ten, {nearly} for 99 in 100. "
        "It is never spread over items.",
        _scales(account),
        _overhead(account),
        _removals(account["inferred_removals"]),
    ]
    return [sentence for sentence in told if sentence] + _limits_of(facts)


def _scales(account: Row) -> str:
    if not account["factor"]:
        return ""
    told = (
        "Tokens of an item are counted here and scaled to what its provider counts. The scales were learned from calls of the "
    )
    return told + f"same kind, times {account['factor']:.3f} for this session."


def _overhead(account: Row) -> str:
    low, high = account["smallest_overhead_tokens"], account["largest_overhead_tokens"]
    if low == high:
        return f"The overhead is estimated as {low:,} tokens at every call."
    return f"The overhead is estimated as {low:,} to {high:,} tokens; it moved {times(account['overhead_moves'])}."


def _removals(count: int) -> str:
    if not count:
        return "Every item left the window as the log says; nothing had to be inferred."
    return (
        f"The prompt shrank for good without a record {times(count)}: which items left then is inferred by rule, and marked "
        "as inferred."
    )


def _limits_of(facts: Row) -> list[str]:
    told = []
    if understated := facts["requests_with_output_understated"]:
        told.append(
            f"The output of {counted(understated, 'call')} was logged before it was complete: those counts are lower bounds."
        )
    if unpriced := facts["requests_unpriced"]:
        told.append(f"{counted(unpriced, 'call')} without a known price: no sum of money here includes them.")
    if sums := facts["sums_of_calls"]:
        told.append(f"{counted(sums, 'row')} of the log tell only what several calls took together, and have no account.")
    return told


def why_no_account(facts: Row) -> str:
    """Why nothing can be said of windows; only for sessions without an account."""
    if not facts["requests"]:
        return "The log of this session records no call to a model, so nothing says what was sent."
    if facts["sums_of_calls"] == facts["requests"]:
        return "The log of this session tells only what several calls took together, so no single prompt can be accounted for."
    if facts["prompt_tokens"]:
        return "The prompts of this session have not been accounted for yet: `midwatch analyze` does it, and so does a night."
    return "The log of this session does not say how many tokens a prompt had, so nothing can be attributed to items."
