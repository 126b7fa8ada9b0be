// Writes the settings and the tools for agents that the server declares into package.json. With
// `--check`, only checks whether they are up to date.
//   KENNING=path/to/kenning node scripts/settings.mjs [--check]
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { describeTools } from './agentTools.mjs';

const manifest = path.join(path.dirname(fileURLToPath(import.meta.url)), '../package.json');
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

const before = fs.readFileSync(manifest, 'utf8');
const parsed = JSON.parse(before);
const others = parsed.contributes.configuration.filter((section) => section.id !== ID);
parsed.contributes.configuration = [...others, { id: ID, title: 'Language server', order: 1, properties }];
parsed.contributes.languageModelTools = describeTools(parsed.contributes.languageModelTools, kenning);
const after = await format(JSON.stringify(parsed), {
  ...(await resolveConfig(manifest)),
  parser: 'json-stringify',
});
if (after === before) {
  console.log('package.json: the settings and tools match the server');
} else if (process.argv.includes('--check')) {
  console.error('package.json: the settings or tools do not match the server; run `npm run settings`');
  process.exit(1);
} else {
  fs.writeFileSync(manifest, after);
  console.log('package.json: updated the settings and tools from the server');
}
