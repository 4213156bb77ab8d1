"""Controls free as much as the policy that they stand beside, and pay what it pays."""

from contexts import Talk

from tasks.evaluation.baselines import Cut, Order, cuts, drawn, lost_at, oldest, oracle, worthwhile
from tasks.evaluation.units import Unit


def unit(position: int, tokens: int, *holds: int, number: int = 0, rank: int = 0, is_whole: bool = True) -> Unit:
    return Unit(position, number, tokens, rank, frozenset(holds), is_whole)


def order(*units: Unit) -> Order:
    return Order("oldest", None, units)


def test_a_budget_between_two_units_is_met_in_the_mean():
    """Units of 100 and 300, 12 left for each: 88 and 376 are freed; 160 lies a quarter of the way."""
    found = cuts(order(unit(0, 100), unit(1, 300)), [160], 12)
    assert found == [[Cut(0.75, 1, 88, 100), Cut(0.25, 2, 376, 400)]]
    assert sum(cut.chance * cut.freed for cut in found[0]) == 160


def test_a_budget_met_exactly_has_one_cut_and_one_out_of_reach_takes_all():
    assert cuts(order(unit(0, 100), unit(1, 300)), [88, 900], 12) == [[Cut(1.0, 1, 88, 100)], [Cut(1.0, 2, 376, 400)]]


def test_neighbors_of_one_item_leave_one_marker():
    """Blocks 0 and 2 leave two; block 1 between them joins the runs, and its 50 tokens free 62."""
    blocks = [unit(4, 50, number=number, is_whole=False) for number in (0, 2, 1)]
    assert [found[0].freed for found in cuts(order(*blocks), [38, 76, 138], 12)] == [38, 76, 138]


def test_an_item_no_larger_than_what_would_stand_in_its_place_is_spared_with_all_that_it_serves():
    kept, spared = worthwhile(order(unit(0, 12, 7), unit(1, 13, 8)), 12)
    assert ([one.position for one in kept.units], spared) == ([1], frozenset({7}))


def test_a_use_is_lost_with_the_last_of_those_that_serve_it():
    units = order(unit(0, 10, 0, 1), unit(1, 10, 1), unit(2, 10, 2))
    assert lost_at(units, 3, frozenset()) == [1, 2, 3]
    assert lost_at(units, 3, frozenset({1})) == [1, 4, 3]


def test_oldest_takes_results_by_age_then_calls_then_the_rest_and_peoples_words_last():
    talk = Talk().user("Weave.").say("Well.").call("Read", "a", file_path="x").call("Read", "b", file_path="y")
    ranks = [2, 1, 0, 0, 0, 0]
    units = [unit(at, 10, rank=rank) for at, rank in enumerate(ranks)]
    assert [one.position for one in oldest(units, talk.items).units] == [3, 5, 2, 4, 1, 0]


def test_a_draw_is_the_same_for_the_same_seed_and_takes_peoples_words_last():
    units = [unit(at, 10, rank=2 * (at == 5)) for at in range(30)]
    one, same, other = (drawn("random", units, "loom:1", seed).units for seed in (3, 3, 4))
    assert one == same != other
    assert one[-1].position == 5
    assert sorted(each.position for each in one) == list(range(30))


def test_the_oracle_keeps_what_serves_most_a_token():
    """Unit 2 serves two uses with 10 tokens; 0 serves one of them with 10 and 1 a third with 100. 3 serves nothing."""
    units = [unit(0, 10, 0), unit(1, 100, 2), unit(2, 10, 0, 1), unit(3, 10)]
    assert [one.position for one in oracle(units, 3).units] == [0, 3, 1, 2]


def test_the_oracle_does_not_keep_what_the_words_of_people_serve_anyway():
    assert [one.position for one in oracle([unit(0, 5, 0), unit(1, 5, 0, rank=2)], 1).units] == [0, 1]
