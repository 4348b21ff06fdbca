// Answers on their way: kept in the browser before they are sent, and forgotten when the server has them.
import { Pause, persist } from "./retry.js";

export class AnswerQueue {
  refused = [];
  #waiting;
  #known;
  #sending = null;
  #pause = new Pause();

  /**
   * @param send sends one answer; throws `Unavailable` or `Refused`
   * @param memory where answers wait (`Memory`)
   * @param prefix of the keys there: each answer has its own, so that two tabs never overwrite each other's
   * @param maxMs longest pause before another try
   * @param onChange called with {waiting, trouble} whenever one of them changes
   */
  constructor({ send, memory, prefix, maxMs, onChange = () => {} }) {
    Object.assign(this, { send, memory, prefix, maxMs, onChange });
    const kept = memory.keys(prefix).map((key) => memory.read(key));
    this.#waiting = kept.filter(Boolean).sort((a, b) => a.answered_at.localeCompare(b.answered_at));
    this.#known = new Set(this.#waiting.map((answer) => answer.trial_id));
    this.#start();
  }

  get size() {
    return this.#waiting.length;
  }

  /** Trials answered here, sent or not. */
  has(trialId) {
    return this.#known.has(trialId);
  }

  /** Takes an answer; false where its trial has one already, which then counts. */
  push(answer) {
    if (this.#known.has(answer.trial_id)) return false;
    this.#known.add(answer.trial_id);
    this.memory.write(this.prefix + answer.trial_id, answer);
    this.#waiting.push(answer);
    this.#start();
    return true;
  }

  /** Tries again at once, as when the connection is back. */
  wake() {
    this.#pause.wake();
  }

  /** Resolves when nothing waits any more. */
  async drained() {
    while (this.#sending) await this.#sending;
  }

  #start() {
    if (this.#sending || !this.#waiting.length) return;
    this.#sending = this.#sendAll().finally(() => {
      this.#sending = null;
      // What came in between the last look and now.
      this.#start();
    });
  }

  async #sendAll() {
    const options = { maxMs: this.maxMs, pause: this.#pause, onTrouble: (problem) => this.#tell(problem) };
    while (this.#waiting.length) {
      const answer = this.#waiting[0];
      try {
        await persist(() => this.send(answer), options);
      } catch (problem) {
        // One answer that the server cannot take must not hold up the others; completion will miss it.
        this.refused.push({ answer, problem });
        console.error(`answer refused: ${problem.message}`);
      }
      this.#waiting.shift();
      this.memory.forget(this.prefix + answer.trial_id);
      this.#tell(null);
    }
  }

  #tell(trouble) {
    this.onChange({ waiting: this.size, trouble });
  }
}
