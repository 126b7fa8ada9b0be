// Writes the settings and the tools for agents that the server declares into package.json, and the
// tools also for the Neovim plugin. With `--check`, only checks whether they are up to date.
//   KENNING=path/to/kenning node scripts/settings.mjs [--check]
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { describeTools, readTools } from './agentTools.mjs';

const manifest = path.join(path.dirname(fileURLToPath(import.meta.url)), '../package.json');
const nvimTools = path.join(path.dirname(manifest), '../nvim/lua/kenning/agent_tools.json');
const ID = 'kenning.generated';

// `pack.format` applies only to the command line; the extension has `kenning.context.format`. VS
// Code itself knows whether a workspace is trusted.
const EXCLUDED = new Set(['pack.format', 'workspaceTrust']);

// Options that choose programs are not synchronized between machines. All others can be set for
// each folder.
const scopeOf = (option) => (option === 'servers' ? 'machine-overridable' : 'resource');

const kenning = process.env.KENNING ?? 'kenning';
const schema = JSON.parse(execFileSync(kenning, ['config', 'schema'], { encoding: 'utf8' }));
const properties = {};
for (const [section, declared] of Object.entries(schema.properties)) {
  const isSection = declared.type === 'object' && declared.properties !== undefined;
  const options = isSection
    ? Object.entries(declared.properties).map(([name, option]) => [`${section}.${name}`, option])
    : [[section, declared]];
  for (const [name, { description, ...option }] of options) {
    if (!EXCLUDED.has(name)) {
      properties[`kenning.${name}`] = {
        ...option,
        markdownDescription: description,
        scope: scopeOf(name),
        order: Object.keys(properties).length,
      };
    }
  }
}

const parsed = JSON.parse(fs.readFileSync(manifest, 'utf8'));
const others = parsed.contributes.configuration.filter((section) => section.id !== ID);
parsed.contributes.configuration = [...others, { id: ID, title: 'Language server', order: 1, properties }];
const tools = readTools(kenning);
parsed.contributes.languageModelTools = describeTools(parsed.contributes.languageModelTools, tools);

/** Formats a value as the text of a JSON file. */
async function formatJson(value) {
  return format(JSON.stringify(value), { ...(await resolveConfig(manifest)), parser: 'json-stringify' });
}

/** Writes a generated file, or with `--check` only compares it. */
async function updateFile(file, value) {
  const name = path.relative(path.join(path.dirname(manifest), '../..'), file);
  const after = await formatJson(value);
  if (fs.existsSync(file) && fs.readFileSync(file, 'utf8') === after) {
    console.log(`${name}: matches the server`);
  } else if (process.argv.includes('--check')) {
    console.error(`${name}: does not match the server; run \`npm run settings\``);
    process.exitCode = 1;
  } else {
    fs.writeFileSync(file, after);
    console.log(`${name}: updated from the server`);
  }
}

await updateFile(manifest, parsed);
await updateFile(nvimTools, tools);
