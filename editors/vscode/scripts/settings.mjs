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
/** Prefix of the ids of generated sections; `src/server/settings.ts` reads them. */
const GENERATED = 'kenning.generated.';

/**
 * The sections of the settings that the server declares, in the order of use, with the options of
 * each. An option belongs to the first section that names it or a prefix of its name. The sections
 * of the extension itself stay as they are in package.json; `order` sorts them all.
 */
const SECTIONS = [
  {
    name: 'editor',
    title: 'Lenses, hovers and actions',
    order: 1,
    options: ['codeLens', 'hover', 'codeActions', 'blastRadius', 'callHierarchy', 'knowledge.lens'],
  },
  {
    name: 'packs',
    title: 'Size and ranking of contexts',
    order: 2,
    options: ['pack', 'ranking', 'learning'],
  },
  { name: 'index', title: 'Index', order: 3, options: ['index', 'class', 'knowledge', 'vectors'] },
  { name: 'servers', title: 'Language servers', order: 4, options: ['servers'] },
  { name: 'log', title: 'Log', order: 7, options: ['log'] },
];

// `pack.format` applies only to the command line; the extension has `kenning.context.format`. VS
// Code itself knows whether a workspace is trusted.
const EXCLUDED = new Set(['pack.format', 'workspaceTrust']);

// The server marks options that apply only in a trusted workspace with `x-scope`.
const needsTrust = (option) =>
  option['x-scope'] === 'trusted' ||
  [option.additionalProperties, ...Object.values(option.properties ?? {})].some(
    (part) => part instanceof Object && needsTrust(part),
  );
const withoutScopes = (option) =>
  JSON.parse(JSON.stringify(option, (key, value) => (key === 'x-scope' ? undefined : value)));

// Options that choose programs are not synchronized between machines. All others can be set for
// each folder.
const scopeOf = (option) => (option === 'servers' ? 'machine-overridable' : 'resource');

const kenning = process.env.KENNING ?? 'kenning';
const schema = JSON.parse(execFileSync(kenning, ['config', 'schema'], { encoding: 'utf8' }));
const declaredOptions = [];
for (const [section, declared] of Object.entries(schema.properties)) {
  const isSection = declared.type === 'object' && declared.properties !== undefined;
  const options = isSection
    ? Object.entries(declared.properties).map(([name, option]) => [`${section}.${name}`, option])
    : [[section, declared]];
  for (const [name, option] of options) {
    if (!EXCLUDED.has(name)) {
      const { description, ...property } = withoutScopes(option);
      declaredOptions.push({
        name,
        needsTrust: needsTrust(option),
        property: { ...property, markdownDescription: description, scope: scopeOf(name) },
      });
    }
  }
}

const parsed = JSON.parse(fs.readFileSync(manifest, 'utf8'));
const others = parsed.contributes.configuration.filter((section) => !section.id?.startsWith(GENERATED));
parsed.contributes.configuration = [...others, ...generatedSections()].sort((a, b) => a.order - b.order);
restrictSettings(parsed.capabilities.untrustedWorkspaces);
const tools = readTools(kenning);
parsed.contributes.languageModelTools = describeTools(parsed.contributes.languageModelTools, tools);

/**
 * Lists the options that need trust as settings that an untrusted workspace cannot set. Keeps the
 * settings of the extension itself in the list.
 */
function restrictSettings(untrusted) {
  const declared = new Set(declaredOptions.map(({ name }) => `kenning.${name}`));
  const own = untrusted.restrictedConfigurations.filter((key) => !declared.has(key));
  const trusted = declaredOptions.filter((option) => option.needsTrust);
  untrusted.restrictedConfigurations = [...own, ...trusted.map(({ name }) => `kenning.${name}`)];
}

/** Returns the sections with the options of the server, each in the order of `SECTIONS`. */
function generatedSections() {
  const positionOf = ({ name }) => {
    const matches = (option) => name === option || name.startsWith(`${option}.`);
    const section = SECTIONS.findIndex(({ options }) => options.some(matches));
    if (section < 0) {
      throw new Error(`no section has the option ${name}; add it to SECTIONS`);
    }
    return { section, option: SECTIONS[section].options.findIndex(matches) };
  };
  return SECTIONS.map(({ name, title, order }, section) => {
    const members = declaredOptions
      .map((option) => ({ ...option, ...positionOf(option) }))
      .filter((option) => option.section === section)
      // The sort is stable: options with the same prefix keep the order of the server.
      .sort((a, b) => a.option - b.option);
    const properties = members.map(({ name, property }, at) => [
      `kenning.${name}`,
      { ...property, order: at },
    ]);
    return { id: `${GENERATED}${name}`, title, order, properties: Object.fromEntries(properties) };
  });
}

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
