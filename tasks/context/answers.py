"""How many tokens the answers are that no log counts whole, by the account's own sizes of what they said. Pure."""

from collections import defaultdict
from collections.abc import Mapping

from tasks.context.attribution import Account
from tasks.context.calibration import Scales, estimate
from tasks.context.window import Form, Standing


def estimated_outputs(account: Account, scales: Mapping[str, Scales]) -> list[int | None]:
    """For each call of a chain; None where the provider's count is known, or nothing is. `scales`: by model.

    An answer's tokens are those of its items, thinking included, as they stand in later windows; never fewer than reported.
    """
    known = {one.stay.item.position: one.tokens for one in account.sojourns if one.stay.form is Form.FULL}
    said: dict[int, list[Standing]] = defaultdict(list)
    for item in account.chain.answers:
        said[item.no].append(item)
    found: list[int | None] = []
    for call in account.chain.calls:
        sizes = [
            known[item.position] if item.position in known else round(estimate(item, scales[call.model or ""]) * account.factor)
            for item in said[call.no]
        ]
        told = [*sizes, *([] if call.output_reported_tokens is None else [0])]
        is_counted = call.output_tokens is not None or not told
        found.append(None if is_counted else max(sum(sizes), call.output_reported_tokens or 0))
    return found
