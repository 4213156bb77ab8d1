"""Odd times and numbers, and the shape of an object."""

from datetime import datetime

import pytest

from tasks.readers.values import canonical, carries_tokens, count, moment, shape, whole

MARCH = datetime(2026, 3, 8, 15, 30)


@pytest.mark.parametrize(
    "value",
    [
        "2026-03-08T15:30:00Z",
        "2026-03-08T15:30:00.000Z",
        "2026-03-08T21:00:00+05:30",
        "2026-03-08T15:30:00.000000000Z",
        1772983800,
        1772983800.0,
        1772983800000,
        1772983800000000,
        1772983800000000000,
        "1772983800",
    ],
)
def test_one_moment_in_every_form(value: object):
    assert moment(value) == (MARCH, None)


def test_nanoseconds_are_cut_to_microseconds():
    assert moment("2026-03-08T15:30:00.123456789Z") == (MARCH.replace(microsecond=123456), None)


def test_a_time_without_zone_is_utc_and_flagged():
    assert moment("2026-03-08T15:30:00") == (MARCH, "naive_time")


@pytest.mark.parametrize("value", ["yesterday", "", True, [], {}, float("nan"), "2026-13-40T00:00:00Z", 10**40, "9" * 5000])
def test_what_is_no_time_is_none_and_flagged(value: object):
    assert moment(value) == (None, "odd_time")


@pytest.mark.parametrize("value", [0, -5, "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+01:00"])
def test_an_implausible_time_is_none_and_flagged(value: object):
    assert moment(value)[0] is None
    assert moment(value)[1] in ("implausible_time", "odd_time")


def test_no_time_is_not_odd():
    assert moment(None) == (None, None)


@pytest.mark.parametrize(
    ("value", "number"), [(10, 10), (10.0, 10), ("20", 20), (1e3, 1000), ("1e3", 1000), (0, 0), (2**53, 2**53)]
)
def test_whole_numbers_in_every_form(value: object, number: int):
    assert whole(value) == (number, None)


@pytest.mark.parametrize(
    ("value", "flag"),
    [
        (-30, "negative_number"),
        (2**64, "huge_number"),
        ("9" * 5000, "huge_number"),
        (1.8446744073709552e19, "huge_number"),
        (10.7, "fractional_number"),
        (float("nan"), "not_a_number"),
        (float("inf"), "not_a_number"),
        (True, "boolean_number"),
        ("many", "not_a_number"),
        ([1], "not_a_number"),
    ],
)
def test_other_numbers_are_none_and_flagged(value: object, flag: str):
    assert whole(value) == (None, flag)


def test_a_shape_is_of_keys_and_not_of_order_or_values():
    one = shape({"a": 1, "message": {"x": 1, "y": 2}})
    assert one == shape({"message": {"y": 0, "x": 0}, "a": 2})
    assert one != shape({"a": 1, "message": {"x": 1}})


@pytest.mark.parametrize(
    ("path", "is_seen"),
    [
        ("message.usage", True),
        ("message.usage.cache_creation", True),
        ("payload.info.last_token_usage", True),
        ("data.message.message.usage", True),
        ("event.part", True),
        ("tokens", True),
        ("metadata.usage", True),
        ("state", True),
        ("toolUseResult", False),
        ("payload.arguments", False),
        ("snapshot.trackedFileBackups", False),
        ("data.modelMetrics", False),
    ],
)
def test_a_new_key_is_a_new_shape_where_formats_name_keys_and_not_where_content_does(path: str, is_seen: bool):
    def nested(keys: dict) -> dict:
        value = {"id": 1, **keys}
        for name in reversed(path.split(".")):
            value = {"id": 1, name: value}
        return value

    assert (shape(nested({})) != shape(nested({"new": 1}))) is is_seen


def test_a_key_in_another_place_is_another_shape():
    assert shape({"message": {"usage": {"x": 1}}}) != shape({"message": {"usage": {}, "x": 1}})


@pytest.mark.parametrize(
    "record",
    [
        {"usage": {"input_tokens": 5}},
        {"payload": {"cost": {"tokenUsage": {"out": {"total": 1.5}}}}},
        {"inputTokens": 7},
        {"a": {"token_count": 1}},
        {"usageMetadata": {"promptTokenCount": 3}},
    ],
)
def test_a_record_with_a_count_carries_tokens(record: dict):
    assert carries_tokens(record)


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"usage": None},
        {"usage": {"input_tokens": 0}},
        {"token": "123"},
        {"max_tokens": 4096, "maxThinkingTokens": 1, "config": {"token_limit": 9, "usage": {"window": 9}}},
        {"usage": "see below"},
        {"usage": {"is_paid": True}},
        [{"usage": {"input_tokens": 5}}],
    ],
)
def test_limits_and_nothing_are_no_counts(record: dict):
    assert not carries_tokens(record)


def test_canonical_json_is_equal_for_equal_values():
    assert canonical({"b": [1, "é"], "a": 2**70}) == '{"a":1180591620717411303424,"b":[1,"é"]}'
    assert canonical({"b": 1, "a": 2}) == '{"a":2,"b":1}'


@pytest.mark.parametrize(("value", "told"), [(2**36, (2**36, None)), ("7", (7, None)), (2**36 + 1, (None, "huge_number"))])
def test_no_call_has_more_tokens_than_the_lake_can_pay_for(value: object, told: tuple[int | None, str | None]):
    assert count(value) == told
