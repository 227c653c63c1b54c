"""What is said where the cascade is switched off; for readers that know no database, too."""

ONLY_WORDS = (
    "LLM_FAKE=1: only the words are stored (L0). No step of the cascade runs, nothing stands above them."
)
