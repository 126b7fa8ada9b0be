// Reads the tools of the MCP server. The extension and the Neovim plugin declare their tools with
// the same texts, so that an agent reads the same description of a tool everywhere.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/**
 * The tool of the MCP server for each language model tool, and the arguments that only the MCP
 * server has. The descriptions omit paragraphs that name such an argument.
 */
const SOURCES = {
  kenning_pack: { tool: 'pack', without: ['continue_from', 'pack_root', 'feedback'] },
  kenning_blast: { tool: 'blast', without: [] },
  kenning_tests: { tool: 'tests', without: [] },
};

const REQUESTS = [
  {
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'kenning-vscode', version: '1' },
    },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
];

/** Returns the tools that the MCP server of this program lists. */
function readServerTools(kenning) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'kenning-tools-'));
  try {
    const input = REQUESTS.map((request) => `${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`).join('');
    const args = ['mcp', '--root', folder, '--db', path.join(folder, 'index.db')];
    const lines = execFileSync(kenning, args, { input, encoding: 'utf8', timeout: 60_000 })
      .trim()
      .split('\n');
    const answer = lines.map((line) => JSON.parse(line)).find(({ id }) => id === 2);
    if (answer?.result === undefined) {
      throw new Error(`${kenning} mcp lists no tools: ${JSON.stringify(answer)}`);
    }
    return answer.result.tools;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Simplifies a schema for models: an absent value is never null, choices are an enumeration. */
function simplifySchema({ type, description, oneOf, items, minimum }) {
  const types = [type].flat().filter((type) => type !== 'null' && type !== undefined);
  return {
    ...(oneOf === undefined
      ? { type: types[0] }
      : { type: 'string', enum: oneOf.map((choice) => choice.const) }),
    ...(description === undefined ? {} : { description: description.replace(/\s+/g, ' ') }),
    ...(items === undefined ? {} : { items: simplifySchema(items) }),
    ...(minimum > 0 ? { minimum } : {}),
  };
}

/** Returns the texts and the inputs of the tools that both editors have. */
export function readTools(kenning) {
  const serverTools = readServerTools(kenning);
  return Object.values(SOURCES).map(({ tool: name, without }) => {
    const { title, description, inputSchema } = serverTools.find((tool) => tool.name === name);
    const paragraphs = description
      .split('\n\n')
      .filter((text) => !without.some((argument) => text.includes(`\`${argument}\``)));
    const properties = Object.entries(inputSchema.properties)
      .filter(([argument]) => !without.includes(argument))
      .map(([argument, schema]) => [argument, simplifySchema(schema)]);
    const schema = { type: 'object', properties: Object.fromEntries(properties) };
    return { name, title, description: paragraphs.join('\n\n'), schema };
  });
}

/** Returns the declarations of the manifest with the descriptions and inputs of these tools. */
export function describeTools(declared, tools) {
  return declared.map((declaration) => {
    const { tool: name } = SOURCES[declaration.name];
    const { description, schema } = tools.find((tool) => tool.name === name);
    return { ...declaration, modelDescription: description, inputSchema: schema };
  });
}
