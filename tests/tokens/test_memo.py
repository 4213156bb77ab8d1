from tasks.tokens.memo import Memo


def test_a_memo_remembers_what_was_put() -> None:
    memo: Memo[int] = Memo(2)
    memo.put(b"a", 1)
    assert memo.get(b"a") == 1
    assert memo.get(b"b") is None


def test_a_memo_never_holds_more_than_twice_its_room() -> None:
    memo: Memo[int] = Memo(3)
    for n in range(100):
        memo.put(bytes([n]), n)
        assert len(memo) <= 6


def test_what_was_asked_for_lately_stays() -> None:
    memo: Memo[int] = Memo(3)
    memo.put(b"often", 1)
    for n in range(100):
        memo.put(bytes([n]), n)
        assert memo.get(b"often") == 1
    assert memo.get(bytes([0])) is None
