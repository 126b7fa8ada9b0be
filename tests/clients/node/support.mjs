// Workspaces and servers for the tests with clients of Node.

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as forwardRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

export const KENNING = process.env.KENNING;

const FILES = {
    'kenning.toml': '',
    'shop/tax.py': 'def apply_tax(price):\n    return price + 1\n',
    'shop/cart.py': 'from .tax import apply_tax\n\n\nclass Cart:\n    def total(self):\n        return apply_tax(1)\n',
    'tests/test_tax.py': 'from shop.tax import apply_tax\n\n\ndef test_apply_tax():\n    assert apply_tax(1) == 2\n',
};

/** Creates a workspace with its own caches. It is removed after the test. */
export function createWorkspace(context) {
    const folder = mkdtempSync(join(tmpdir(), 'kn'));
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    const root = join(folder, 'work');
    for (const [path, text] of Object.entries(FILES)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
    }
    const env = { PATH: process.env.PATH };
    for (const name of ['HOME', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME']) {
        env[name] = join(folder, 'home');
    }
    return { root, env };
}

/**
 * Starts `kenning mcp --http` on a free port. Returns its URL, and the headers with the token that it
 * prints. It is stopped after the test.
 */
export async function serveHttp(context, workspace) {
    const options = { cwd: workspace.root, env: workspace.env, stdio: ['ignore', 'ignore', 'pipe'] };
    const server = spawn(KENNING, ['mcp', '--http', '0'], options);
    context.after(() => server.kill('SIGKILL'));
    let url;
    for await (const line of createInterface({ input: server.stderr })) {
        url ??= line.match(/http:\/\/\S+/)?.[0];
        const token = line.match(/Bearer [^"]+/);
        if (token) return { url, headers: { Authorization: token[0] } };
    }
    throw new Error('the server did not start');
}

/**
 * Starts a proxy that adds the token to each request, for a client that cannot send headers. Returns
 * its URL. Requests keep their `Host` and `Origin`, but for the port.
 */
export async function serveHttpWithToken(context, workspace) {
    const { url, headers } = await serveHttp(context, workspace);
    const { port, pathname } = new URL(url);
    const proxy = createServer((request, response) => {
        const rename = (header) => header?.replace(`:${proxy.address().port}`, `:${port}`);
        const sent = { ...request.headers, ...headers, host: rename(request.headers.host) };
        if (sent.origin) sent.origin = rename(sent.origin);
        const options = { host: '127.0.0.1', port, path: request.url, method: request.method, headers: sent };
        const forwarded = forwardRequest(options, (answer) => {
            response.writeHead(answer.statusCode, answer.headers);
            answer.pipe(response);
        });
        forwarded.on('error', () => response.destroy());
        response.on('close', () => forwarded.destroy());
        request.pipe(forwarded);
    });
    await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    context.after(() => {
        proxy.close();
        proxy.closeAllConnections();
    });
    return `http://127.0.0.1:${proxy.address().port}${pathname}`;
}

/** Runs a program, and returns its exit status and its output. */
export async function run(program, args, options) {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (text) => (stdout += text));
    child.stderr.on('data', (text) => (stderr += text));
    const status = await new Promise((resolve) => child.on('close', resolve));
    return { status, stdout, stderr };
}
