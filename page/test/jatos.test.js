import assert from "node:assert/strict";
import { test } from "node:test";
import { JatosResults, turn } from "../src/jatos.js";

/** JATOS's batch session as documented: `set` fails where somebody else changed the data meanwhile. */
function batch() {
  const server = { data: {}, version: 0 };
  const browser = () => {
    let [seen, data] = [server.version, { ...server.data }];
    return {
      get: (name) => data[name],
      async set(name, value) {
        await Promise.resolve();
        if (seen !== server.version) {
          [seen, data] = [server.version, { ...server.data }];
          throw new Error("conflict");
        }
        server.data[name] = value;
        seen = server.version += 1;
        data = { ...server.data };
      },
    };
  };
  return { batchSession: () => browser() };
}

test("people who start at the same time get different turns", async () => {
  const { batchSession } = batch();
  const people = Array.from({ length: 4 }, () => ({ workerId: 99, batchSession: batchSession() }));
  const turns = await Promise.all(people.map((jatos) => turn(jatos)));
  assert.deepEqual(turns.sort(), [0, 1, 2, 3]);
});

test("results are handed over one at a time, and the last time with everything", async () => {
  const rows = [];
  const got = [];
  let busy = 0;
  const jatos = {
    async submitResultData(text) {
      assert.equal(busy++, 0);
      await new Promise((resolve) => setTimeout(resolve, 2));
      got.push(JSON.parse(text));
      busy--;
    },
  };
  const results = new JatosResults(jatos, () => JSON.stringify(rows));
  let last;
  for (let i = 0; i < 5; i++) {
    rows.push(i);
    last = results.save();
  }
  await last;
  assert.deepEqual(got.at(-1), [0, 1, 2, 3, 4]);
});
