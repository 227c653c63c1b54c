"""Readers of other programs' files, one per format. They yield messages and bad rows; they store nothing."""
