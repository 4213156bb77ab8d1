"""Why a prefix that was sent before was paid for again: in a few words, and in a sentence."""

CAUSES = {
    "compaction": (
        "after a compaction",
        "A summary took the place of the conversation, so that only what stands before it was the same.",
    ),
    "model_change": ("another model", "Each model has a cache of its own."),
    "idle": (
        "after a pause",
        "The cached prefix had expired: five minutes after its last use, or an hour where that was paid for.",
    ),
    "removal": (
        "something was left out",
        "The prompt shrank though the log tells of nothing that left: older results or thinking were dropped.",
    ),
    "edit": (
        "something was taken out",
        "A result was cleared, a turn rewound or an item dropped: all that follows was sent as new.",
    ),
    "overhead_change": (
        "other tools or rules",
        "Tools, rules or the system prompt changed, which stand before the conversation.",
    ),
    "thinking_change": ("thinking on or off", "The cache keeps prompts with and without thinking apart."),
    "prefix_change": (
        "another beginning",
        "Not even tools and system prompt were read: something in them changed, such as a clock.",
    ),
    "lookback": ("too much at once", "More came in with one call than the provider looks back over."),
    "lag": ("too soon", "What the call before had sent was not in the cache yet."),
    "provider": (
        "the provider's cache",
        "The prompt only grew, and a cache that promises nothing did not hold what it had.",
    ),
    "unknown": ("no cause in the log", "The prefix was the same and young enough, and was not read from the cache."),
}
SHORT = {cause: told for cause, (told, _) in CAUSES.items()}
