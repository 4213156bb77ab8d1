"""Where a list has a model but under its plain name."""

from decimal import Decimal

import pytest

from tasks.context.hosts import Asked, Hosts
from tasks.context.models import candidates, plain


def hosts(**asked: str) -> Hosts:
    """Listed name (`__` for a slash) = dollars per million tokens in and out."""
    named = {name.replace("__", "/"): price.split() for name, price in asked.items()}
    return Hosts({name: Asked(Decimal(price[0]), Decimal(price[1])) for name, price in named.items()})


@pytest.mark.parametrize(
    "name",
    [
        "kiln-3.5-glaze",
        "kiln-3-5-glaze",
        "openrouter/clay/kiln-3.5-glaze",
        "cloud/models/Kiln-3.5-Glaze",
        "us.amazon.kiln-3-5-glaze-v2:0",
    ],
)
def test_names_of_one_model_have_a_plain_one_in_common(name: str) -> None:
    assert plain(name) == "kiln-3-5-glaze"


def test_a_date_is_part_of_the_plain_name_however_it_is_written() -> None:
    assert plain("vertex_ai/kiln-3@20240307") == plain("kiln-3-20240307") == "kiln-3-20240307"


@pytest.mark.parametrize("logged", ["kiln-3-20240307", "clay/kiln-3-20240307", "router/clay/kiln-3@20240307", "kiln-3"])
def test_a_retired_model_is_found_where_it_is_still_hosted(logged: str) -> None:
    found = Hosts({name: Asked(Decimal(1), Decimal(5)) for name in ("vertex_ai/kiln-3@20240307", "vertex_ai/kiln-3")})
    assert found.find(candidates(logged)) in ("vertex_ai/kiln-3@20240307", "vertex_ai/kiln-3")


def test_the_dated_listing_counts_before_the_undated() -> None:
    found = Hosts({"a/kiln-3": Asked(Decimal(1), None), "a/kiln-3@20240307": Asked(Decimal(2), None)})
    assert found.find(candidates("kiln-3-20240307")) == "a/kiln-3@20240307"


def test_what_more_than_half_of_the_hosts_ask_is_the_price() -> None:
    assert hosts(a__kiln="1 5", b__kiln="1 5", c__kiln="2 9").find(["kiln"]) == "a/kiln"


def test_hosts_that_disagree_leave_a_model_unpriced() -> None:
    assert hosts(a__kiln="1 5", b__kiln="2 5").find(["kiln"]) is None


def test_a_maker_is_asked_before_its_resellers() -> None:
    assert hosts(a__kiln="1 5", b__kiln="1 5", moonshot__kiln="2 9").find(["kiln"]) == "moonshot/kiln"


def test_a_region_that_costs_more_does_not_count() -> None:
    asked = {
        "bedrock/us-gov-east-1/clay.kiln": "2",
        "bedrock/us-gov-west-1/clay.kiln": "2",
        "azure/eu/kiln": "2",
        "a/kiln": "1",
    }
    found = Hosts({name: Asked(Decimal(price), Decimal(9)) for name, price in asked.items()})
    assert found.find(["kiln"]) == "a/kiln"


def test_a_host_that_asks_nothing_says_nothing() -> None:
    assert hosts(free__kiln="0 0").find(["kiln"]) is None


def test_of_alike_hosts_the_one_that_lists_most_prices_is_taken() -> None:
    found = Hosts({"a/kiln": Asked(Decimal(1), None), "b/kiln": Asked(Decimal(1), None, prices=4)})
    assert found.find(["kiln"]) == "b/kiln"


def test_a_longer_name_is_another_model() -> None:
    assert hosts(a__kiln_mini="1 5").find(["kiln"]) is None
