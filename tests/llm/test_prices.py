"""What tokens cost, in exact integers, against sums worked out by hand from the price list."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ella.llm.capabilities import TABLE, UNKNOWN, capabilities
from ella.llm.outcome import Usage
from ella.llm.prices import cost_nano_usd, reservation_nano_usd, usd_text

tokens = st.integers(min_value=0, max_value=300_000)
usages = st.builds(Usage, tokens, tokens, tokens, tokens, tokens)


@pytest.mark.parametrize(
    ("model", "usage", "usd"),
    [
        ("claude-sonnet-5-5", Usage(input_tokens=1_000_000), "2"),
        ("claude-sonnet-5-5", Usage(output_tokens=1_000_000), "10"),
        ("claude-sonnet-5-5", Usage(cache_read_tokens=1_000_000), "0.10"),
        ("claude-sonnet-5-5", Usage(cache_write_5m_tokens=1_000_000), "2.50"),
        ("claude-sonnet-5-5", Usage(cache_write_1h_tokens=1_000_000), "4"),
        ("claude-opus-5-5", Usage(200, 10_000, 3_000, 500, 400), "0.0298"),
        ("claude-haiku-5-5", Usage(input_tokens=100_000, output_tokens=1_000), "0.0105"),
        # One token over, cached or not, and the whole request costs five times as much, output too.
        ("claude-haiku-5-5", Usage(input_tokens=100_001, output_tokens=1_000), "0.0525005"),
        ("claude-haiku-5-5", Usage(1, 99_000, 500, 500, 1_000), "0.008263"),
        ("claude-haiku-4-5", Usage(1_000, 1_000, 1_000, 1_000, 1_000), "0.00935"),
        ("claude-haiku-4-5-20251001", Usage(input_tokens=1_000), "0.001"),
        ("claude-of-tomorrow", Usage(input_tokens=1_000, output_tokens=1_000), "0.06"),
    ],
)
def test_a_call_costs_what_the_price_list_says(model: str, usage: Usage, usd: str) -> None:
    whole, _, fraction = usd.partition(".")
    assert cost_nano_usd(model, usage) == int(whole) * 10**9 + int(f"{fraction:0<9}")


def test_a_batch_costs_half_and_half_a_nano_dollar_is_rounded_up() -> None:
    assert cost_nano_usd("claude-sonnet-5-5", Usage(input_tokens=10), batch=True) == 10_000
    assert cost_nano_usd("claude-haiku-5-5", Usage(cache_write_5m_tokens=1), batch=True) == 63


@given(usages)
def test_no_model_in_the_table_is_dearer_than_one_we_do_not_know(usage: Usage) -> None:
    assert all(cost_nano_usd(model, usage) <= cost_nano_usd("unknown", usage) for model in TABLE)


@given(usages, usages)
def test_prices_are_whole_numbers_and_add_up_where_length_does_not_matter(one: Usage, other: Usage) -> None:
    for model in ("claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-4-5"):
        both = cost_nano_usd(model, one + other)
        assert isinstance(both, int)
        assert both == cost_nano_usd(model, one) + cost_nano_usd(model, other)


@given(usages, usages)
def test_tries_summed_up_never_cost_less_than_each_on_its_own(one: Usage, other: Usage) -> None:
    for model in TABLE:
        assert cost_nano_usd(model, one + other) >= cost_nano_usd(model, one) + cost_nano_usd(model, other)


def test_a_reservation_covers_a_full_reply_at_the_dearest_price_the_marks_allow() -> None:
    def reserved(mark: dict[str, str] | None) -> int:
        block = {"type": "text", "text": "x" * 4_000, **({"cache_control": mark} if mark else {})}
        request = {"max_tokens": 100, "system": [block], "messages": [{"role": "user", "content": "y" * 400}]}
        return reservation_nano_usd("claude-sonnet-5-5", request)

    reply = 100 * 10_000
    assert reserved(None) == 1_100 * 2_000 + reply
    assert reserved({"type": "ephemeral"}) == 1_100 * 2_500 + reply
    assert reserved({"type": "ephemeral", "ttl": "1h"}) == 1_100 * 4_000 + reply


def test_a_dated_snapshot_is_the_model_it_is_a_snapshot_of() -> None:
    assert capabilities("claude-haiku-4-5-20251001") is TABLE["claude-haiku-4-5"]
    assert capabilities("claude-haiku-4-5-preview") is UNKNOWN


@pytest.mark.parametrize(
    ("nano", "text"), [(0, "$0.00"), (1_250_000_000, "$1.25"), (25_000, "$0.000025"), (1_234_000_000_000, "$1,234.00")]
)
def test_money_is_written_so_that_a_single_call_still_shows(nano: int, text: str) -> None:
    assert usd_text(nano) == text
