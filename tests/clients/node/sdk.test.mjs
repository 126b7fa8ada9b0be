// Tests `kenning mcp` with both release lines of the official SDK for TypeScript.

import * as modern from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KENNING, createWorkspace, run, serveHttp } from './support.mjs';

const INFO = { name: 'test', version: '1' };
const PINNED = { versionNegotiation: { mode: { pin: '2026-07-28' } } };
const CLIENTS = {
    'version 1 of the SDK': () => ({ client: new LegacyClient(INFO), Stdio: LegacyStdio, Http: LegacyHttp }),
    'version 2, with initialize': () => modernClient({}),
    'version 2, without sessions': () => modernClient(PINNED),
    'version 2, with automatic negotiation': () => modernClient({ versionNegotiation: { mode: 'auto' } }),
};

function modernClient(options) {
    const client = new modern.Client(INFO, options);
    return { client, Stdio: ModernStdio, Http: modern.StreamableHTTPClientTransport };
}

/** Checks lists, calls, errors, cancellation and concurrency. */
async function checkCalls(client, workspace) {
    const { tools } = await client.listTools();
    const names = ['pack', 'blast', 'tests', 'search', 'why'];
    assert.deepEqual(tools.map((tool) => tool.name), names);
    const call = (name, args) => client.callTool({ name, arguments: args });
    // Packs report a pending check of the disk, so wait for its end.
    while (!(await call('why', { op: 'index' })).content[1].text.includes('up to date'));
    const pack = await call('pack', { task: 'apply the tax' });
    const { stdout } = await run(KENNING, ['pack', '--budget', '4000', 'apply the tax'], { cwd: workspace.root, env: workspace.env });
    assert.equal(pack.content[0].text, stdout);
    assert.match((await call('blast', { symbol: 'apply_tax' })).content[0].text, /Cart/);
    assert.match((await call('tests', { files: ['shop/tax.py'] })).content[0].text, /test_apply_tax/);
    const wrong = await call('pack', { task: 7 });
    assert.ok(wrong.isError && wrong.content[0].text.includes('task'), wrong.content[0].text);
    await assert.rejects(call('no_such_tool', {}), /no_such_tool/);

    const controller = new AbortController();
    const request = { name: 'pack', arguments: { task: 'total of a cart' } };
    const isModern = !(client instanceof LegacyClient);
    const options = { signal: controller.signal };
    const cancelled = isModern ? client.callTool(request, options) : client.callTool(request, undefined, options);
    controller.abort();
    await assert.rejects(cancelled);

    const searches = Array.from({ length: 50 }, () => call('search', { query: 'apply tax' }));
    const texts = new Set((await Promise.all(searches)).map((result) => result.content[0].text));
    assert.equal(texts.size, 1);
    assert.match([...texts][0], /def apply_tax/);
}

for (const [name, create] of Object.entries(CLIENTS)) {
    test(`${name}, over standard streams`, async (context) => {
        const workspace = createWorkspace(context);
        const { client, Stdio } = create();
        await client.connect(new Stdio({ command: KENNING, args: ['mcp'], env: workspace.env, cwd: workspace.root }));
        context.after(() => client.close());
        await checkCalls(client, workspace);
    });

    test(`${name}, over HTTP`, async (context) => {
        const workspace = createWorkspace(context);
        const { client, Http } = create();
        const { url, headers } = await serveHttp(context, workspace);
        await client.connect(new Http(new URL(url), { requestInit: { headers } }));
        context.after(() => client.close());
        await checkCalls(client, workspace);
    });
}
