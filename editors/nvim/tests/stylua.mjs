// Formats Lua according to stylua.toml: `node stylua.mjs FOLDER_OF_STYLUA [--write] FILE...`.
// Without --write, it only lists the files that are not formatted. StyLua is a WebAssembly module,
// which runs on every platform but does not read stylua.toml itself.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const [styluaFolder, ...rest] = process.argv.slice(2);
const write = rest[0] === "--write";
const files = write ? rest.slice(1) : rest;
const stylua = createRequire(path.resolve(styluaFolder, "x.js"))("@johnnymorganz/stylua");

const toml = fs.readFileSync(path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "stylua.toml"), "utf8");
const settings = Object.fromEntries(
  [...toml.matchAll(/^(\w+) = "?(\w+)"?$/gm)].map(([, name, value]) => [name, value]),
);
// Formatting consumes the configuration, so each file needs a new one.
function createConfig() {
  const config = stylua.Config.new();
  config.column_width = Number(settings.column_width);
  config.indent_type = stylua.IndentType[settings.indent_type];
  config.indent_width = Number(settings.indent_width);
  config.quote_style = stylua.QuoteStyle[settings.quote_style];
  return config;
}

let unformatted = 0;
for (const file of files) {
  const text = fs.readFileSync(file, "utf8");
  const formatted = stylua.formatCode(text, createConfig(), undefined, stylua.OutputVerification.None);
  if (formatted === text) continue;
  if (write) {
    fs.writeFileSync(file, formatted);
  } else {
    unformatted += 1;
    console.log(`${file} is not formatted: scripts/test-nvim --format`);
  }
}
process.exit(unformatted === 0 ? 0 : 1);
