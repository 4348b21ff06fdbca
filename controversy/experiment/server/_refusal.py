"""A request that is answered with an error."""


class RefusalError(Exception):
    """Why a request is refused.

    Args:
        status: The HTTP status.
        reason: A few words for whoever sent it; nothing that it did not know before.
        retry_after: Seconds after which it may be tried again.
        **details: Further fields of the answer.
    """

    def __init__(
        self, status: int, reason: str, *, retry_after: int | None = None, **details: object
    ) -> None:
        super().__init__(reason)
        self.status, self.reason, self.retry_after, self.details = status, reason, retry_after, details
