"""
A quick estimate of tokens, for budgets set before anything is sent. What a call did cost is always counted from the
provider's own figures.
"""

_CHARACTERS_PER_TOKEN = 4


def estimate_tokens(text: str) -> int:
    """
    Characters ÷ 4, rounded up; 0 for the empty string.

    The provider publishes no tokenizer, and asking it (`count_tokens`) would put a network call before every prompt.
    Four characters a token is its own rule of thumb for English; other scripts run denser, so everything that must
    hold exactly (prices, budgets after the call) uses the reply's usage instead.
    """
    return -(-len(text) // _CHARACTERS_PER_TOKEN)
