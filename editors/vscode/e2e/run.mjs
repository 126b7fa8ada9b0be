// The extension in the real workbench, with the real server.
//   KENNING=target/debug/kenning node e2e/run.mjs --code-server FOLDER [--vsix FILE] [--out FOLDER] [--only NAME,...]
// Runs without a network where the machine lets it: in a namespace that has only the loopback device.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { CodeServer } from './lib/codeServer.mjs';
import { Report } from './lib/report.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({
  options: {
    'code-server': { type: 'string' },
    vsix: { type: 'string', default: path.join(root, 'dist/e2e.vsix') },
    out: { type: 'string', default: path.join(root, 'dist/e2e') },
    only: { type: 'string', default: '' },
    chromium: { type: 'string', default: '/usr/bin/chromium' },
  },
});
if (values['code-server'] === undefined || process.env.KENNING === undefined) {
  console.error('e2e: give --code-server FOLDER, and the program in the environment variable KENNING');
  process.exit(2);
}

if (process.env.KENNING_E2E_OFFLINE === undefined) {
  const offline = path.join(root, 'e2e/offline.py');
  const can = spawnSync('unshare', ['-rn', 'python3', offline, 'true']).status === 0;
  const rerun = [process.execPath, ...process.argv.slice(1)];
  const env = { ...process.env, KENNING_E2E_OFFLINE: can ? 'yes' : 'no' };
  const [command, ...args] = can ? ['unshare', '-rn', 'python3', offline, ...rerun] : rerun;
  if (!can) {
    console.log('skipped: this machine gives no network namespace; requests are counted in the browser only');
  }
  process.exit(spawnSync(command, args, { env, stdio: 'inherit' }).status ?? 1);
}

const state = fs.mkdtempSync(path.join(fs.realpathSync(process.env.TMPDIR ?? '/tmp'), 'kenning-e2e-'));
fs.rmSync(values.out, { recursive: true, force: true });
fs.mkdirSync(values.out, { recursive: true });
const wanted = values.only === '' ? undefined : values.only.split(',');
const report = new Report();
const foreign = new Set();
let port = 18_400;
const servers = [];

/** What each group of checks gets. */
const stage = {
  report,
  kenning: fs.realpathSync(process.env.KENNING),
  shots: values.out,
  root,
  folder: (name) => path.join(state, 'work', name),
  /** A workbench of its own with the extension installed. */
  async serve(options = {}) {
    port += 1;
    const name = `server${port}`;
    const server = new CodeServer({
      folder: path.resolve(values['code-server']),
      state: path.join(state, name),
      port,
      ...options,
    });
    servers.push(server);
    server.install(path.resolve(values.vsix));
    return server.start();
  },
  /** A browser of its own that talks to this server. */
  async browse(server) {
    const context = await chromium.launchPersistentContext(path.join(server.state, 'browser'), {
      executablePath: values.chromium,
      headless: true,
      viewport: { width: 1240, height: 780 },
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.origin });
    context.on('request', (request) => {
      const { protocol, hostname } = new URL(request.url());
      const isOwn = hostname === '127.0.0.1' || hostname === 'localhost' || hostname.endsWith('.localhost');
      if (/^(http|ws)/.test(protocol) && !isOwn) {
        foreign.add(hostname);
      }
    });
    return context;
  },
};

fs.mkdirSync(path.join(state, 'work'), { recursive: true });
try {
  for (const name of ['daily', 'states', 'trust', 'folders', 'host']) {
    if (wanted === undefined || wanted.includes(name)) {
      const { run } = await import(`./checks/${name}.mjs`);
      await report.check(undefined, `${name}: the checks could be run`, () => run(stage));
    }
  }
  await report.check(undefined, 'no page asks another machine for anything', async () => {
    // VS Code's own pages name it for webviews where there is a network; nothing of the extension does.
    foreign.forEach((host) => {
      if (!/(^|\.)vscode-cdn\.net$/.test(host)) {
        throw new Error(`asked: ${host}`);
      }
    });
    return process.env.KENNING_E2E_OFFLINE === 'yes' ? 'and there was no network to ask' : undefined;
  });
} finally {
  servers.forEach((server) => server.stop());
  if (process.env.KENNING_E2E_KEEP === undefined) {
    fs.rmSync(state, { recursive: true, force: true, maxRetries: 5 });
  } else {
    console.log(`kept: ${state}`);
  }
}
process.exit(report.end());
