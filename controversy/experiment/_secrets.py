"""The experiment's secret: what keeps ids, tokens and file names from saying anything."""

import hashlib
import hmac
import json
import os
import secrets
import stat
from dataclasses import dataclass, field
from pathlib import Path

from controversy.errors import ControversyError

SECRET_FILE = "secret.json"


@dataclass(frozen=True)
class Secret:
    """A key that never leaves the experiment's folder, and what is derived from it.

    Everything opaque is a keyed hash (HMAC-SHA-256) of what it stands for: the same id gives the same
    pseudonym and the same session after a restart, and without the key nobody can tell which.

    Attributes:
        key: 32 random bytes.
        owner_token: Opens the owner's page.
        study_salt: With it, static pages hash ids in the browser. It is published with the page.
    """

    key: bytes = field(repr=False)
    owner_token: str = field(repr=False)
    study_salt: str = field(repr=False)

    def pseudonym(self, participant: str) -> str:
        """What stands for a participant's id: 16 hexadecimal digits."""
        return self._hash("participant", participant)[:16]

    def session_token(self, pseudonym: str) -> str:
        """What a participant's browser proves with that a session is its own."""
        return self._hash("session", pseudonym)

    def trial_id(self, list_: int, position: int) -> str:
        """What the browser calls a trial."""
        return self._hash("trial", f"{list_}/{position}")[:20]

    def image_name(self, stimulus_id: str, kind: str) -> str:
        """What the browser calls an image. A repeat's is another one than that of its first showing."""
        return self._hash("image", f"{kind == 'repeat'}/{stimulus_id}")[:24] + ".png"

    def owner_cookie(self) -> str:
        """What the owner's browser keeps instead of the token."""
        return self._hash("owner", self.owner_token)

    def address_tag(self, address: str) -> str:
        """What the log calls an internet address: the same one is recognised, nobody's is written down."""
        return self._hash("address", address)[:8]

    def _hash(self, purpose: str, text: str) -> str:
        return hmac.new(self.key, f"{purpose}:{text}".encode(), hashlib.sha256).hexdigest()


def create_secret(folder: Path) -> Secret:
    """Draws a secret and writes it into ``secret.json``, which nobody but its owner can read."""
    content = {
        "key": secrets.token_hex(32),
        "owner_token": secrets.token_urlsafe(24),
        "study_salt": secrets.token_hex(16),
    }
    descriptor = os.open(folder / SECRET_FILE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        json.dump(content, stream)
        stream.flush()
        os.fsync(stream.fileno())
    return read_secret(folder)


def read_secret(folder: Path) -> Secret:
    """Reads the secret of an experiment.

    Raises:
        ControversyError: The file is missing or damaged, or others can read it.
    """
    path = folder / SECRET_FILE
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        content = json.loads(path.read_text(encoding="utf-8"))
        secret = Secret(bytes.fromhex(content["key"]), content["owner_token"], content["study_salt"])
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise ControversyError(
            f"cannot read the experiment's secret {path}: {problem!r}. Restore it: without it participants "
            "who "
            "return are strangers. (Or make a new experiment in another folder.)"
        ) from problem
    if mode & 0o077:
        raise ControversyError(f"{path} can be read by others (mode {mode:o}). chmod 600 {path}")
    return secret
