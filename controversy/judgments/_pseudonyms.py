"""Participants' names that say nothing of who they are."""

import hashlib
import hmac
import secrets

import pandas as pd

from controversy.errors import ControversyError


def pseudonymise(participants: pd.Series, salt: bytes | None = None) -> pd.Series:
    """Replaces each participant id by the start of its keyed hash (HMAC-SHA-256).

    Without the salt nobody can tell from a pseudonym which id it stands for, even by trying all ids.

    Args:
        participants: Ids, any type that prints.
        salt: The key. The same salt gives the same pseudonyms, so that sessions can be joined; keep it
            apart from the data. None draws one, uses it once and forgets it. It is never stored.

    Returns:
        Pseudonyms of 12 hexadecimal digits, with the same index.

    Raises:
        ControversyError: The salt is empty, or two ids have the same pseudonym (one in 10^10 for 200 people).
    """
    key = secrets.token_bytes(32) if salt is None else salt
    if not key:
        raise ControversyError(
            "the salt for pseudonyms is empty. Give at least one character, or none at all."
        )
    ids = participants.astype(str).unique()
    names = {i: hmac.new(key, str(i).encode(), hashlib.sha256).hexdigest()[:12] for i in ids}
    if len(set(names.values())) < len(names):
        raise ControversyError("two participants would have the same pseudonym. Use another salt.")
    return participants.astype(str).map(names)
