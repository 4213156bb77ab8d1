"""An account as rows of the lake: its calls, the stays in its windows, the prefixes paid for again, and the scales. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from tasks.context import cache, money
from tasks.context.answers import estimated_outputs
from tasks.context.attribution import Account, Line, Sojourn
from tasks.context.calibration import Learned, Pool, Scales
from tasks.context.money import Bill, Parts, dollars
from tasks.context.pricing import Prices
from tasks.context.stay_costs import StayCost, stay_costs
from tasks.context.uses import Use, Uses
from tasks.context.window import Session

Row = dict[str, Any]


def tell(session: Session, account: Account, learned: Learned, prices: Prices, used: Uses) -> Mapping[str, list[Row]]:
    """The rows of one chain, by table."""
    own = {"session_id": session.session_id, "is_sidechain": account.chain.calls[0].is_sidechain}
    bills = [money.bill(call, prices) for call in account.chain.calls]
    parts = [
        money.parts(bill, line.explained_tokens, line.overhead_tokens)
        for bill, line in zip(bills, account.lines, strict=True)
    ]  # fmt: skip
    models = sorted({call.model or "" for call in account.chain.calls})
    pools = {model: learned.scales(session.agent, model or None, session.agent_version) for model in models}
    outputs = estimated_outputs(account, {model: scales for model, (_, scales) in pools.items()})
    costs = stay_costs(account, bills, sum(part.explained for part in parts if part))
    tables = {
        "reconciliation": map(_line, account.lines, bills, parts, outputs),
        "residency": map(_stay, account.sojourns, costs, _uses(account, used)),
        "cache_misses": _misses(account, bills),
        "calibrations": _scales(account, pools),
    }
    return {table: [{**row, **own} for row in rows] for table, rows in tables.items()}


def _line(line: Line, bill: Bill, parts: Parts | None, output: int | None) -> Row:
    explained, overhead, residual, answer = parts or (None, None, None, None)
    return {
        **asdict(line),
        "scale": line.explained_tokens / line.content_tokens if line.content_tokens else None,
        "cost_explained_usd": dollars(explained), "cost_overhead_usd": dollars(overhead),
        "cost_residual_usd": dollars(residual), "cost_output_usd": dollars(answer),
        "output_tokens_estimated": output,
        "cost_output_estimated_usd": None if output is None else dollars(money.output_cost(bill, output)),
    }  # fmt: skip


def _uses(account: Account, used: Uses) -> Iterable[Use | None]:
    side = account.chain.calls[0].is_sidechain
    return (used.get((side, one.stay.item.item_id)) for one in account.sojourns)


def _stay(one: Sojourn, cost: StayCost, use: Use | None) -> Row:
    read, written, fresh = cost.by_way or (None, None, None)
    return {
        "item_id": one.stay.item.item_id, "epoch": one.stay.epoch, "form": one.stay.form.value,
        "inferred": one.stay.inferred, "first_request_no": one.first_no, "last_request_no": one.last_no,
        "requests": one.calls, "tokens_calibrated": one.tokens, "token_requests": one.tokens * one.calls,
        "share_cached": cost.share_cached, "cost_usd": dollars(sum(cost.by_way) if cost.by_way else None),
        "cost_cache_read_usd": dollars(read), "cost_cache_write_usd": dollars(written), "cost_uncached_usd": dollars(fresh),
        **(asdict(use) if use else {}),
    }  # fmt: skip


def _misses(account: Account, bills: Iterable[Bill]) -> Iterable[Row]:
    bill_of = {call.request_id: bill for call, bill in zip(account.chain.calls, bills, strict=True)}
    for miss in cache.misses(account):
        cost = money.repaid_cost(bill_of[miss.request_id], miss.tokens_repaid)
        yield {**asdict(miss), "cost_usd": dollars(cost)}


def _scales(account: Account, pools: Mapping[str, tuple[Pool, Scales]]) -> Iterable[Row]:
    for model, (pool, scales) in pools.items():
        for of, scale in scales.items():
            yield {
                "model": model, "measure": of.value, "scale": scale.scale, "framing": scale.framing,
                "factor": account.factor, "pool": " ".join(pool).strip(),
            }  # fmt: skip
