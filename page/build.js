// Writes the page into the package: index.html, assets/app.js and assets/app.css are all that it ever loads.
import { copyFile, mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const out = fileURLToPath(new URL("../controversy/experiment/page/", import.meta.url));
const here = (name) => fileURLToPath(new URL(`src/${name}`, import.meta.url));

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
await build({
  entryPoints: [here("app.js"), here("app.css")],
  outdir: out,
  bundle: true,
  minify: true,
  target: ["chrome100", "firefox100", "safari15.4"],
  format: "iife",
  legalComments: "eof",
  logLevel: "warning",
});
await copyFile(here("index.html"), `${out}index.html`);
