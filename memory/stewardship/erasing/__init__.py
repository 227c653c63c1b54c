"""Erasing: what people said goes, with everything that was made of it, wherever it was written.

First a plan that counts what would go, then one audited operation that does it. docs/erasing.md tells what
goes, what stays, and what the operator has to see to.
"""

from memory.stewardship.erasing.operation import erase
from memory.stewardship.erasing.planning import plan_erasure, planned, token_of
from memory.stewardship.erasing.scopes import Scope

__all__ = ["Scope", "erase", "plan_erasure", "planned", "token_of"]
