// Rows as jsPsych saves them, which `controversy experiment import` reads.

/** One judgment. */
export function judgmentRow(answer, { participant, list, index }) {
  const { rt_ms: rt, ...rest } = answer;
  return { trial_type: "two-alternative", trial_index: index, participant, list, rt, ...rest };
}

/** What the screen was. */
export function environmentRow(environment, { participant, list }) {
  const flat = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== null && typeof value === "object") {
      for (const [part, inner] of Object.entries(value)) flat[`${name}_${part}`] = inner;
    } else flat[name] = value;
  }
  return { trial_type: "environment", participant, list, ...flat };
}

/** All columns of all rows, RFC 4180. */
export function csv(rows) {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => columns.map((column) => cell(row[column])).join(","));
  return `${[columns.join(","), ...lines].join("\r\n")}\r\n`;
}

function cell(value) {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
