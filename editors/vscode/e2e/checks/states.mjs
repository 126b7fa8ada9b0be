// Checks what the extension reports about itself: indexing, crashes, and a program that is missing,
// invalid or of another version.
import fs from 'node:fs';
import path from 'node:path';
import { findServers } from '../lib/processes.mjs';
import { equal, assertTrue, until } from '../lib/wait.mjs';
import { makeLarge, makeStall, writeSettings } from '../lib/workspace.mjs';

const FILE = 'orders/discount.go';
/** Number of crashes after which the server is not restarted (`src/server/crashes.ts`). */
const MAX_CRASHES = 4;
/** Number of files in the workspace that makes the first indexing visible. */
const LARGE_FILE_COUNT = 1500;

/**
 * Creates a stall whose settings name a program that prints another version and otherwise runs
 * Kenning.
 */
function makeStallWithVersion(folder, kenning, version) {
  makeStall(folder);
  const program = `${folder}-kenning-${version}`;
  const lines = [
    '#!/bin/sh',
    `if [ "$1" = --version ]; then echo "kenning ${version}"; exit; fi`,
    `exec "${kenning}" "$@"`,
  ];
  fs.writeFileSync(program, `${lines.join('\n')}\n`, { mode: 0o755 });
  writeSettings(folder, { 'kenning.server.path': program });
}

/** Returns the process id of the window's server, or 0 if it is not running. */
const readProcessId = (window) =>
  window.host.call(async (vscode) => {
    const { connection } = await vscode.extensions.getExtension('kenning-lsp.kenning').activate();
    return connection.state.kind === 'running' ? connection.processId : 0;
  });

/** Waits for the server to run, kills it, and returns its process id. */
async function killServer(window) {
  const id = await until('a running server', () => readProcessId(window));
  process.kill(id, 'SIGKILL');
  return id;
}

/** Kills the server and waits until another one runs. */
async function crashAndRestart(window) {
  const before = await killServer(window);
  await until('another server', async () => ![0, before].includes(await readProcessId(window)));
}

/**
 * Runs in the page: records every text of the status bar about indexing, however briefly it is
 * shown.
 */
function recordIndexing() {
  window.indexingTexts = [];
  const record = () => {
    for (const item of document.querySelectorAll('.part.statusbar .statusbar-item')) {
      if (/Kenning: indexing/.test(item.innerText)) {
        window.indexingTexts.push(item.innerText.trim());
      }
    }
  };
  new MutationObserver(record).observe(document.body, {
    childList: true,
    subtree: true,
    characterData: true,
  });
}

export const checks = [
  {
    name: 'status: the first indexing shows its progress until it ends',
    make: (folder) => makeLarge(folder, LARGE_FILE_COUNT),
    indexed: false,
    async run({ window, folder }) {
      await window.page.evaluate(recordIndexing);
      await window.openFile(path.join(folder, 'part1/module1.py'));
      const shown = await until('the progress', async () => {
        const texts = await window.page.evaluate(() => window.indexingTexts);
        return texts.find((text) => /\d+%/.test(text));
      });
      await window.waitForIndex();
      await until('the progress to end', async () =>
        (await window.statusBar()).every((item) => !/indexing/.test(item)),
      );
      return shown;
    },
  },
  {
    name: 'status: a crashed server is restarted',
    file: FILE,
    async run({ window }) {
      await crashAndRestart(window);
      await window.waitForIndex();
    },
  },
  {
    name: 'status: a server that keeps crashing is not restarted, except by the user',
    file: FILE,
    async run({ window, folder }) {
      for (let crashes = 1; crashes < MAX_CRASHES; crashes += 1) {
        await crashAndRestart(window);
      }
      await killServer(window);
      await window.waitForToast(/crashed several times in a row/);
      equal(findServers(folder), [], 'remaining servers');
      await window.screenshot('crashed');
      await window.clickToast('Restart');
      await window.waitForIndex();
    },
  },
  {
    name: 'status: a program of another version is reported',
    window: false,
    async run(scene) {
      const { kenning } = scene.stage.config;
      const folder = scene.makeFolder('stall', (folder) => makeStallWithVersion(folder, kenning, '0.9.0'));
      const window = await scene.open({ folder, file: path.join(folder, FILE) });
      const toast = await window.waitForToast(/is version 0\.9\.0, but this extension expects/);
      await window.screenshot('version');
      await window.waitForIndex();
      return toast.split('\n')[0];
    },
  },
  {
    name: 'status: an invalid path in the setting is reported, and a corrected one takes effect immediately',
    file: FILE,
    settings: { 'kenning.server.path': '/nowhere/kenning' },
    indexed: false,
    async run({ window }) {
      await window.waitForToast(/kenning\.server\.path names "\/nowhere\/kenning"/);
      await window.screenshot('wrong-path');
      await until('the status', async () => /Not running/.test(await window.languageStatus()));
      await window.set('kenning.server.path', '/bin/true');
      await window.waitForToast(/\/bin\/true cannot be used: it does not identify itself as Kenning/);
      await window.set('kenning.server.path', undefined);
      await window.waitForIndex();
    },
  },
  {
    name: 'status: a missing program is reported with advice',
    file: FILE,
    // Start a separate workbench, because the check removes the program from the installed
    // extension.
    server: { purpose: 'missing program' },
    async run({ window, server }) {
      const [name] = fs
        .readdirSync(server.extensions)
        .filter((entry) => entry.startsWith('kenning-lsp.kenning'));
      const bundled = path.join(server.extensions, name, 'server');
      fs.renameSync(bundled, `${bundled}.away`);
      await window.startCommand('kenning.restart');
      await window.waitForToast(/"kenning" was not found.*Install it, or choose its location/s);
      await window.screenshot('missing');
      fs.renameSync(`${bundled}.away`, bundled);
      await window.command('kenning.restart');
      await window.waitForIndex();
      const status = await window.languageStatus();
      assertTrue(!/Not running/.test(status), status);
    },
  },
];
