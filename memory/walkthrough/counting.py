"""Numbers with their nouns."""


def counted(count: int, noun: str) -> str:
    """`1 receipt`, `2 receipts`, `2 memories`."""
    if count == 1:
        return f"{count} {noun}"
    return f"{count} {noun[:-1]}ies" if noun.endswith("y") else f"{count} {noun}s"
