/** Tests the activated extension from inside the extension host. */
import * as assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { CloseAction } from 'vscode-languageclient/node';
import type { McpApi, McpServerProvider } from '../../src/agents/mcpApi';
import { registerMcpServers } from '../../src/agents/mcpServers';
import { answerConfiguration } from '../../src/server/client';
import type { Connection } from '../../src/server/connection';
import { CrashPolicy, MAX_CRASHES } from '../../src/server/crashes';
import { serverOptions } from '../../src/server/settings';
import type { Pack } from '../../src/protocol';

interface Exports {
  connection: Connection;
  activationMs: number;
  offersMcpServers: boolean;
}

const [folder] = vscode.workspace.workspaceFolders ?? [];
assert.ok(folder);
const root = folder.uri;

async function activateExtension(): Promise<Exports> {
  const extension = vscode.extensions.getExtension<Exports>('kenning-lsp.kenning');
  assert.ok(extension);
  return extension.activate();
}

/** Waits until the index is complete. */
async function waitForIndex(): Promise<Connection> {
  const { connection } = await activateExtension();
  for (;;) {
    const status = await connection.ask('kenning.status', {});
    if (status.folders.every(({ phase, pending_files }) => phase === 'ready' && pending_files === 0)) {
      return connection;
    }
  }
}

describe('the extension', () => {
  before(async () => {
    await vscode.window.showTextDocument(vscode.Uri.joinPath(root, 'reports/prices.py'));
    await waitForIndex();
  });

  it('reports its processor time to load and activate', async function () {
    const { activationMs } = await activateExtension();
    const bundle = path.join(__dirname, '../../extension.js');
    const before = process.cpuUsage();
    assert.ok((await import(bundle)) !== undefined);
    const { user, system } = process.cpuUsage(before);
    const total = (user + system) / 1000 + activationMs;
    assert.ok(this.test);
    // The time depends on the machine, so there is no limit here. `scripts/check-package.mjs`
    // limits the size of the loaded code.
    this.test.title += `: ${total.toFixed(1)} ms`;
  });

  it("registers every command that it declares, under ids that differ from the server's", async () => {
    const manifest = JSON.parse(readFileSync(path.join(__dirname, '../../../package.json'), 'utf8')) as {
      contributes: { commands: { command: string }[] };
    };
    const registered = new Set(await vscode.commands.getCommands(true));
    const declared = manifest.contributes.commands.map(({ command }) => command);
    assert.deepEqual(
      declared.filter((command) => !registered.has(command)),
      [],
    );
    const serverCommands = ['taskContext', 'blastRadius', 'explain', 'status', 'reindex', 'restartServers'];
    assert.deepEqual(
      declared.filter((command) => serverCommands.includes(command.replace('kenning.', ''))),
      [],
    );
  });

  it('sends the server only explicitly set values and whether the workspace is trusted', async () => {
    const manifest: unknown = JSON.parse(readFileSync(path.join(__dirname, '../../../package.json'), 'utf8'));
    const answer = (): unknown =>
      answerConfiguration(
        { items: [{ section: 'kenning', scopeUri: root.toString() }] },
        serverOptions(manifest),
      );
    assert.deepEqual(answer(), [{ workspaceTrust: true }]);
    const settings = vscode.workspace.getConfiguration('kenning', root);
    const target = vscode.ConfigurationTarget.Workspace;
    await settings.update('codeLens.minimumCallers', 2, target);
    assert.deepEqual(answer(), [{ codeLens: { minimumCallers: 2 }, workspaceTrust: true }]);
    await settings.update('codeLens.minimumCallers', undefined, target);
    assert.deepEqual(answer(), [{ workspaceTrust: true }]);
  });

  it('copies the context of a task that another extension passes', async () => {
    const pack = await vscode.commands.executeCommand<Pack>('kenning.copyTaskContext', 'add a discount');
    assert.ok(pack.symbols.length > 0);
    assert.equal(await vscode.env.clipboard.readText(), pack.text);
  });

  it('includes unsaved text in packs', async () => {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(root, 'web/cart.ts'));
    const editor = await vscode.window.showTextDocument(document);
    await editor.edit((edit) => {
      edit.insert(
        new vscode.Position(document.lineCount, 0),
        'export function dearestOf(): number { return 1; }\n',
      );
    });
    const pack = await vscode.commands.executeCommand<Pack>('kenning.copyTaskContext', 'change dearestOf');
    assert.equal(pack.symbols[0]?.name, 'dearestOf');
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  it('reports invalid arguments in a message instead of throwing', async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    for (const argument of [null, 1, {}, { uri: 1 }, { uri: 'x', symbol: 'y', position: {} }]) {
      await vscode.commands.executeCommand('kenning.copyContext', argument);
      await vscode.commands.executeCommand('kenning.context.open', argument);
    }
  });

  it('offers its index to agents as tools', async () => {
    const names = vscode.lm.tools.map((tool) => tool.name).filter((name) => name.startsWith('kenning_'));
    assert.deepEqual(names.sort(), ['kenning_blast', 'kenning_pack', 'kenning_tests']);
    const text = async (name: string, input: object): Promise<string> => {
      const answer = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
      return answer.content
        .map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : ''))
        .join('');
    };
    assert.match(await text('kenning_pack', { task: 'add a discount' }), /^# Context: add a discount/);
    assert.match(
      await text('kenning_pack', { op: 'files', files: ['reports/prices.py'] }),
      /^# Context: reports\/prices\.py/,
    );
    const radius = /^# Blast radius of `apply_tax`/;
    assert.match(await text('kenning_blast', { symbol: 'apply_tax' }), radius);
    const file = readFileSync(path.join(root.fsPath, 'reports/prices.py'), 'utf8').split('\n');
    const line = file.findIndex((text) => text.startsWith('def apply_tax')) + 1;
    assert.match(await text('kenning_blast', { file: 'reports/prices.py', line }), radius);
    await assert.rejects(text('kenning_blast', { symbol: 'nobody' }), /no symbol is named nobody/);
    await assert.rejects(text('kenning_pack', {}), /task: missing; say in words/);
  });

  it('lists its MCP server only if the user enables it', async () => {
    const { connection, offersMcpServers } = await activateExtension();
    assert.equal(offersMcpServers, Number(vscode.version.split('.')[1]) >= 101);
    let provider: McpServerProvider | undefined;
    const api: McpApi = {
      register: (id, registered) => {
        assert.equal(id, 'kenning.mcpServers');
        provider = registered;
        return new vscode.Disposable(() => undefined);
      },
      createDefinition: (label, command, args, _env, version) => ({
        label,
        command,
        args,
        ...(version === undefined ? {} : { version }),
      }),
    };
    const subscriptions: vscode.Disposable[] = [];
    assert.ok(registerMcpServers(connection, subscriptions, api));
    assert.ok(provider);
    assert.deepEqual(provider.provideMcpServerDefinitions(), []);
    let changes = 0;
    subscriptions.push(provider.onDidChangeMcpServerDefinitions(() => (changes += 1)));
    const settings = vscode.workspace.getConfiguration('kenning', root);
    await settings.update('mcpServer.enabled', true, vscode.ConfigurationTarget.Workspace);
    const [server, ...others] = provider.provideMcpServerDefinitions();
    await settings.update('mcpServer.enabled', undefined, vscode.ConfigurationTarget.Workspace);
    subscriptions.forEach((subscription) => void subscription.dispose());
    assert.deepEqual(others, []);
    assert.deepEqual(server?.args, ['mcp', '--root', root.fsPath]);
    assert.equal(server.cwd?.fsPath, root.fsPath);
    assert.equal(server.label, 'Kenning');
    assert.match(server.version ?? '', /^\d+\.\d+/);
    assert.ok(changes > 0);
  });

  it('has a new server after a restart by the user', async () => {
    const connection = await waitForIndex();
    const before = connection.processId;
    await vscode.commands.executeCommand('kenning.restart');
    await waitForIndex();
    assert.notEqual(connection.processId, before);
  });
});

describe('a server that ends unexpectedly', () => {
  it('is restarted until it has ended too often in a short time', () => {
    let [now, gaveUp] = [0, 0];
    const policy = new CrashPolicy(
      () => (gaveUp += 1),
      () => now,
    );
    for (let crash = 1; crash < MAX_CRASHES; crash += 1) {
      assert.equal(policy.closed().action, CloseAction.Restart);
    }
    now += 4 * 60_000;
    assert.equal(policy.closed().action, CloseAction.Restart);
    for (let crash = 2; crash < MAX_CRASHES; crash += 1) {
      assert.equal(policy.closed().action, CloseAction.Restart);
    }
    assert.equal(policy.closed().action, CloseAction.DoNotRestart);
    assert.equal(gaveUp, 1);
  });
});
