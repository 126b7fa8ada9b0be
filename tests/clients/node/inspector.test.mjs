// Tests `kenning mcp` with the command line of the official inspector, and with the official
// conformance suite.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { KENNING, createWorkspace, run, serveHttp, serveHttpWithToken } from './support.mjs';

/** Returns the program of an installed package. */
function findProgram(name) {
    const folder = join(dirname(createRequire(import.meta.url).resolve('./package.json')), 'node_modules', name);
    const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return join(folder, typeof bin === 'string' ? bin : Object.values(bin)[0]);
}

for (const era of ['legacy', 'modern']) {
    test(`the inspector lists and calls tools (${era})`, async (context) => {
        const workspace = createWorkspace(context);
        const inspect = (target, ...args) =>
            run(process.execPath, [findProgram('@modelcontextprotocol/inspector'), '--cli', ...target, ...args, '--protocol-era', era, '--format', 'json', '-q'], { cwd: workspace.root, env: workspace.env });
        const search = ['--method', 'tools/call', '--tool-name', 'search', '--tool-arg', 'query=apply tax'];
        const { url, headers } = await serveHttp(context, workspace);
        const answers = await Promise.all([
            inspect([KENNING, 'mcp'], '--method', 'tools/list', '--strict'),
            inspect([KENNING, 'mcp'], ...search),
            inspect([url], ...search, '--header', `Authorization: ${headers.Authorization}`),
            inspect([KENNING, 'mcp'], '--method', 'tools/call', '--tool-name', 'search'),
        ]);
        const [list, stdio, http, wrong] = answers;
        assert.equal(list.status, 0, list.stderr);
        assert.match(list.stdout, /pack/);
        for (const { status, stdout, stderr } of [stdio, http]) {
            assert.equal(status, 0, stderr);
            assert.match(JSON.parse(stdout).result.content[0].text, /def apply_tax/);
        }
        assert.notEqual(wrong.status, 0);
        assert.match(wrong.stdout + wrong.stderr, /query/);
    });
}

// The scenarios for servers that have only tools. All other scenarios call tools, prompts or
// resources that only the reference server of the suite has (`test_...`), or test features that
// Kenning does not announce.
const SCENARIOS = {
    '2025-11-25': ['server-initialize', 'server-session-lifecycle', 'ping', 'tools-list', 'server-sse-multiple-streams', 'server-sse-polling', 'dns-rebinding-protection'],
    '2026-07-28': ['tools-list', 'server-sse-multiple-streams', 'sep-2164-resource-not-found', 'input-required-result-unsupported-methods', 'http-header-validation', 'dns-rebinding-protection'],
};

for (const [revision, scenarios] of Object.entries(SCENARIOS)) {
    test(`the conformance suite passes (${revision})`, async (context) => {
        const workspace = createWorkspace(context);
        const url = await serveHttpWithToken(context, workspace);
        for (const scenario of scenarios) {
            const args = ['server', '--url', url, '--scenario', scenario, '--spec-version', revision];
            const { status, stdout, stderr } = await run(process.execPath, [findProgram('@modelcontextprotocol/conformance'), ...args], { cwd: workspace.root, env: process.env });
            assert.equal(status, 0, `${scenario}\n${stdout}${stderr}`);
            assert.match(stdout, /[1-9]\d*(\/\d+)? passed|Passed: [1-9]/i, scenario);
        }
    });
}
