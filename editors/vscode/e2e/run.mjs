// Runs the checks of the extension in the real workbench with the real server.
//   KENNING=target/debug/kenning node e2e/run.mjs --code-server FOLDER
//     [--vsix FILE] [--out FOLDER] [--only TEXT,...] [--workers N] [--timeout SECONDS]
// Runs without a network if the machine allows it: in a namespace that has only the loopback
// device.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Runner } from './lib/runner.mjs';
import { setCheckTimeout } from './lib/wait.mjs';
import { removeTemplate } from './lib/workspace.mjs';

/** The groups of checks, each a module of `checks/`. */
const GROUPS = [
  'start',
  'lenses',
  'hover',
  'context',
  'search',
  'agents',
  'view',
  'change',
  'blastRadius',
  'enrichment',
  'states',
  'trust',
  'folders',
  'host',
];

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({
  options: {
    'code-server': { type: 'string' },
    vsix: { type: 'string', default: path.join(root, 'dist/e2e.vsix') },
    driver: { type: 'string', default: path.join(root, 'dist/driver.vsix') },
    out: { type: 'string', default: path.join(root, 'dist/e2e') },
    only: { type: 'string', default: '' },
    chromium: { type: 'string', default: '/usr/bin/chromium' },
    workers: { type: 'string', default: '2' },
    timeout: { type: 'string', default: process.env.KENNING_TEST_TIMEOUT ?? '90' },
  },
});
if (values['code-server'] === undefined || process.env.KENNING === undefined) {
  console.error('e2e: pass --code-server FOLDER, and set the environment variable KENNING to the program');
  process.exit(2);
}

if (process.env.KENNING_E2E_OFFLINE === undefined) {
  const offline = path.join(root, 'e2e/offline.py');
  const hasNamespaces = spawnSync('unshare', ['-rn', 'python3', offline, 'true']).status === 0;
  const rerun = [process.execPath, ...process.argv.slice(1)];
  const env = { ...process.env, KENNING_E2E_OFFLINE: hasNamespaces ? 'yes' : 'no' };
  const [command, ...args] = hasNamespaces ? ['unshare', '-rn', 'python3', offline, ...rerun] : rerun;
  if (!hasNamespaces) {
    console.log(
      'skipped: this machine allows no network namespace; only requests of the browser are checked',
    );
  }
  process.exit(spawnSync(command, args, { env, stdio: 'inherit' }).status ?? 1);
}

setCheckTimeout(Number(values.timeout) * 1000);
const state = fs.mkdtempSync(path.join(fs.realpathSync(process.env.TMPDIR ?? '/tmp'), 'kenning-e2e-'));
fs.rmSync(values.out, { recursive: true, force: true });
fs.mkdirSync(values.out, { recursive: true });

/**
 * Creates a folder with links to these programs, so that the checks find no other language server
 * of the machine. Returns its path.
 */
function linkPrograms(name, programs) {
  const folder = path.join(state, name);
  fs.mkdirSync(folder);
  programs.forEach((program) => fs.symlinkSync(program, path.join(folder, path.basename(program))));
  return folder;
}

/** Returns the path of a program on the search path. */
function findProgram(name) {
  const program = process.env.PATH.split(':')
    .map((folder) => path.join(folder, name))
    .find((file) => fs.existsSync(file));
  if (program === undefined) {
    console.error(`e2e: ${name} is not on PATH`);
    process.exit(2);
  }
  return program;
}

const modules = await Promise.all(GROUPS.map((name) => import(`./checks/${name}.mjs`)));
const filters = values.only.split(',');
const checks = modules
  .flatMap(({ checks }) => checks)
  .filter(({ name }) => filters.some((text) => name.includes(text)));
const runner = new Runner({
  codeServer: path.resolve(values['code-server']),
  chromium: values.chromium,
  packages: [values.vsix, values.driver].map((file) => path.resolve(file)),
  kenning: fs.realpathSync(process.env.KENNING),
  screenshots: path.resolve(values.out),
  searchPath: `${linkPrograms('bin', [findProgram('node')])}:/usr/bin:/bin`,
  serversPath: linkPrograms('servers', [findProgram('pyright-langserver')]),
  root,
  state,
});
let outcome = 1;
try {
  outcome = await runner.run(checks, Number(values.workers));
} finally {
  removeTemplate();
  if (process.env.KENNING_E2E_KEEP === undefined) {
    fs.rmSync(state, { recursive: true, force: true, maxRetries: 5 });
  } else {
    console.log(`files kept in ${state}`);
  }
}
process.exit(outcome);
