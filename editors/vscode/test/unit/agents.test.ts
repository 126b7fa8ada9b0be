/** Tests the tools for agents: their commands, the wait for the index, and their declarations. */
import * as assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import type { CancellationToken } from 'vscode';
import { answerRequest } from '../../src/agents/answers';
import { type EditorApi, findMcpApi } from '../../src/agents/mcpApi';
import {
  affectedTestsRequest,
  blastRadiusRequest,
  describeInput,
  taskContextRequest,
  type ToolFolder,
} from '../../src/agents/requests';
import type { CommandServer } from '../../src/context/request';
import type { Freshness, IndexReadiness } from '../../src/protocol';
import { partialOf } from './partialOf';

const DOCUMENT = { uri: 'file:///w/a.go' };
const FOLDER: ToolFolder = {
  textDocument: DOCUMENT,
  uriOf: (file) => `file:///w/${file}`,
  indentOf: () => Promise.resolve(4),
};
const TOKEN = partialOf<CancellationToken>({});
const READY = partialOf<IndexReadiness>({
  ready: true,
  doneFiles: 0,
  totalFiles: 0,
  freshness: partialOf<Freshness>({ indexed_at: 'T' }),
});

/** The text that the tools ask for by default. */
const MARKDOWN = { format: 'markdown', budget: 4000 } as const;

describe('the tool pack', () => {
  it('asks for a task, for files or for a change', () => {
    assert.deepEqual(taskContextRequest({ task: 'add a hook', budget: 900 }, FOLDER), {
      command: 'kenning.taskContext',
      argument: { task: 'add a hook', text: true, budget: 900, textDocument: DOCUMENT },
    });
    assert.deepEqual(taskContextRequest({ op: 'files', files: ['b.go'] }, FOLDER), {
      command: 'kenning.fileContext',
      argument: { uris: ['file:///w/b.go'], text: true, budget: 4000 },
    });
    assert.deepEqual(taskContextRequest({ op: 'change', base: 'main' }, FOLDER), {
      command: 'kenning.changeContext',
      argument: { base: 'main', text: true, budget: 4000, textDocument: DOCUMENT },
    });
  });

  it('treats null and empty values as absent', () => {
    assert.deepEqual(taskContextRequest({ op: 'change', base: '', files: null, budget: null }, FOLDER), {
      command: 'kenning.changeContext',
      argument: { text: true, budget: 4000, textDocument: DOCUMENT },
    });
  });

  it('explains mistakes in its input to the model', () => {
    const mistakes: [unknown, RegExp][] = [
      [undefined, /not an object/],
      [{}, /^task: missing/],
      [{ task: 1 }, /^task: not a text/],
      [{ op: 'files' }, /^files: missing/],
      [{ op: 'files', files: [1] }, /^files: not a list of texts/],
      [{ op: 'everything' }, /^op: use task, files or change/],
      [{ task: 'x', budget: -1 }, /^budget: not a whole number above 0/],
    ];
    for (const [input, message] of mistakes) {
      assert.throws(() => taskContextRequest(input, FOLDER), { name: 'Error', message });
    }
  });
});

describe('the tools blast and tests', () => {
  it('take a symbol, a file, or a line of a file', async () => {
    assert.deepEqual(await blastRadiusRequest({ symbol: 'Order.place', depth: 2, page: 2 }, FOLDER), {
      command: 'kenning.blastRadius',
      argument: { symbol: 'Order.place', ...MARKDOWN, page: 2, depth: 2, textDocument: DOCUMENT },
    });
    assert.deepEqual((await blastRadiusRequest({ file: 'b.go', line: 3 }, FOLDER)).argument, {
      textDocument: { uri: 'file:///w/b.go' },
      position: { line: 2, character: 4 },
      ...MARKDOWN,
    });
    assert.deepEqual((await blastRadiusRequest({ file: 'b.go' }, FOLDER)).argument, {
      symbol: 'b.go',
      ...MARKDOWN,
      textDocument: DOCUMENT,
    });
    await assert.rejects(blastRadiusRequest({ line: 3 }, FOLDER), /^Error: symbol: missing/);
  });

  it('take the change, a base, or files', () => {
    const argumentOf = (input: object): object => affectedTestsRequest(input, FOLDER).argument;
    assert.deepEqual(argumentOf({}), { ...MARKDOWN, textDocument: DOCUMENT });
    assert.deepEqual(argumentOf({ base: 'main' }), {
      ...MARKDOWN,
      base: 'main',
      textDocument: DOCUMENT,
    });
    assert.deepEqual(argumentOf({ files: ['b.go'] }), { ...MARKDOWN, uris: ['file:///w/b.go'] });
  });

  it('are described by their input', () => {
    assert.equal(describeInput({ task: 'fix\n  it' }, 'x'), '"fix it"');
    assert.equal(describeInput({ files: ['a', 'b'] }, 'x'), 'a, b');
    assert.equal(describeInput(null, 'the change'), 'the change');
    assert.equal(describeInput({ task: 'a'.repeat(90) }, 'x').length, 62);
  });
});

describe('an answer to an agent', () => {
  /** Answers with this state of the index, and records the commands. */
  function answerWith(readiness: IndexReadiness, commands: string[] = []): Promise<string> {
    const server = {
      ask: (command: string) => {
        commands.push(command);
        return Promise.resolve(command === 'kenning.waitForIndex' ? readiness : { text: '# Pack\n' });
      },
    } as unknown as CommandServer;
    return answerRequest(server, taskContextRequest({ task: 'x' }, FOLDER), DOCUMENT, TOKEN);
  }

  it('is the text of the server, after the index is current', async () => {
    const commands: string[] = [];
    assert.equal(await answerWith(READY, commands), '# Pack\n');
    assert.deepEqual(commands, ['kenning.waitForIndex', 'kenning.taskContext']);
  });

  it('says if the index misses changes', async () => {
    assert.match(await answerWith({ ...READY, ready: false }), /^# Pack\n\nThe index does not include/);
  });

  it('is refused during the first indexing, with the progress', async () => {
    const indexing = {
      ...READY,
      ready: false,
      freshness: partialOf<Freshness>({ indexed_at: null }),
    };
    await assert.rejects(answerWith({ ...indexing, doneFiles: 1500, totalFiles: 3000 }), {
      message:
        'Kenning is still indexing this workspace: 1,500 of 3,000 files are done. Ask again in half a minute.',
    });
    await assert.rejects(answerWith(indexing), /it is listing the files/);
  });
});

describe('the declared tools', () => {
  const manifest = JSON.parse(readFileSync(path.join(process.cwd(), 'package.json'), 'utf8')) as {
    contributes: {
      languageModelTools: {
        name: string;
        toolReferenceName: string;
        modelDescription: string;
        inputSchema: { properties: Record<string, { type: string; description: string }> };
      }[];
    };
  };
  const tools = manifest.contributes.languageModelTools;

  it('begin with when to use them, and describe every argument', () => {
    assert.equal(tools.length, 3);
    for (const { modelDescription, inputSchema, toolReferenceName } of tools) {
      assert.match(modelDescription, /^Call this /);
      assert.match(toolReferenceName, /^kenning[A-Z]/);
      for (const [name, { type, description }] of Object.entries(inputSchema.properties)) {
        assert.ok(['string', 'integer', 'array'].includes(type), name);
        assert.ok(description.length > 0, name);
      }
    }
  });

  it('name no argument that they do not have', () => {
    for (const { modelDescription, inputSchema } of tools) {
      assert.doesNotMatch(modelDescription, /`(continue_from|pack_root|feedback)`/);
      for (const [, name = ''] of modelDescription.matchAll(/(?:Pass|With) `(\w+)`/g)) {
        assert.ok(name in inputSchema.properties, name);
      }
    }
  });
});

describe('the API for MCP servers', () => {
  it('is used from its first release on, and never as a draft', () => {
    class Definition {
      constructor(
        readonly label: string,
        readonly command: string,
        readonly args: string[],
      ) {}
    }
    const register = partialOf<() => never>(() => assert.fail());
    const editor = (version: string): EditorApi => ({
      version,
      lm: { registerMcpServerDefinitionProvider: register },
      McpStdioServerDefinition: Definition,
    });
    assert.equal(findMcpApi(editor('1.100.3')), undefined);
    const api = findMcpApi(editor('1.101.0'));
    assert.equal(api?.createDefinition('a', 'b', ['c'], {}, undefined).command, 'b');
    assert.notEqual(findMcpApi(editor('2.0.0-insider')), undefined);
    assert.equal(findMcpApi({ version: '1.139.1', lm: {} }), undefined);
    assert.equal(findMcpApi({ version: '1.139.1' }), undefined);
  });
});
