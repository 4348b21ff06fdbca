// What can go wrong between the page and a server: either later may be better, or it never will be.

/** Nothing answered, or the server asked to come again: worth another try. */
export class Unavailable extends Error {
  constructor(message, { retryAfterMs = 0 } = {}) {
    super(message);
    this.name = "Unavailable";
    this.retryAfterMs = retryAfterMs;
  }
}

/** The server said no: the same request again gets the same answer. */
export class Refused extends Error {
  constructor(status, message, details = {}) {
    super(message);
    this.name = "Refused";
    this.status = status;
    this.details = details;
  }
}
