// What this browser remembers: localStorage, or only this page where a browser forbids that.

export class Memory {
  #storage;

  constructor(storage = allowedStorage()) {
    this.#storage = storage;
  }

  read(key) {
    const text = this.#storage.getItem(key);
    if (text === null) return null;
    try {
      return JSON.parse(text);
    } catch {
      return null;
    }
  }

  write(key, value) {
    try {
      this.#storage.setItem(key, JSON.stringify(value));
    } catch (problem) {
      // Full, or switched off since: what is in this page goes on without it.
      console.warn(`not kept over a reload: ${problem.message}`);
    }
  }

  forget(key) {
    this.#storage.removeItem(key);
  }

  keys(prefix) {
    const all = Array.from({ length: this.#storage.length }, (_, i) => this.#storage.key(i));
    return all.filter((key) => key.startsWith(prefix));
  }
}

function allowedStorage() {
  try {
    const { localStorage } = globalThis;
    localStorage.setItem("controversy.test", "1");
    localStorage.removeItem("controversy.test");
    return localStorage;
  } catch {
    return pageStorage();
  }
}

export function pageStorage() {
  const map = new Map();
  return {
    getItem: (key) => map.get(key) ?? null,
    setItem: (key, value) => void map.set(key, value),
    removeItem: (key) => void map.delete(key),
    key: (i) => [...map.keys()][i] ?? null,
    get length() {
      return map.size;
    },
  };
}
