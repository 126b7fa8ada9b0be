// What the extension says of itself: indexing, crashes, and a program that is missing, wrong or of another version.
import fs from 'node:fs';
import path from 'node:path';
import { serversIn } from '../lib/processes.mjs';
import { equal, holds, until } from '../lib/wait.mjs';
import { makeLarge, makeStall, writeSettings } from '../lib/workspace.mjs';

const FILE = 'orders/discount.go';
/** Crashes after which the server is not started again (`src/server/crashes.ts`). */
const MAX_CRASHES = 4;
/** Files of the workspace in which the first indexing can be seen. */
const LARGE = 1500;

/** Makes a stall whose settings name a program that says another version and is Kenning otherwise. */
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

/** The process of the window's server once that has started; 0 before. */
const processOf = (window) =>
  window.host.call(async (vscode) => {
    const { connection } = await vscode.extensions.getExtension('kenning-lsp.kenning').activate();
    return connection.state.kind === 'running' ? connection.processId : 0;
  });

/** Kills the server once it has started, and returns its process. */
async function kill(window) {
  const id = await until('a server that runs', () => processOf(window));
  process.kill(id, 'SIGKILL');
  return id;
}

/** Kills the server once it has started, and waits until another one has. */
async function crash(window) {
  const before = await kill(window);
  await until('another server', async () => ![0, before].includes(await processOf(window)));
}

/** Runs in the page: keeps every text of the status bar about indexing, however short it is shown. */
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
    name: 'status: the first indexing is shown with its progress, and only while it runs',
    make: (folder) => makeLarge(folder, LARGE),
    indexed: false,
    async run({ window, folder }) {
      await window.page.evaluate(recordIndexing);
      await window.openFile(path.join(folder, 'part1/module1.py'));
      const shown = await until('the progress', async () => {
        const texts = await window.page.evaluate(() => window.indexingTexts);
        return texts.find((text) => /\d+%/.test(text));
      });
      await window.indexed();
      await until('the end of the progress', async () =>
        (await window.statusBar()).every((item) => !/indexing/.test(item)),
      );
      return shown;
    },
  },
  {
    name: 'status: a server that crashed is started again',
    file: FILE,
    async run({ window }) {
      await crash(window);
      await window.indexed();
    },
  },
  {
    name: 'status: a server that keeps crashing is given up, and can be started by hand',
    file: FILE,
    async run({ window, folder }) {
      for (let crashes = 1; crashes < MAX_CRASHES; crashes += 1) {
        await crash(window);
      }
      await kill(window);
      await window.waitForToast(/crashed several times in a row/);
      equal(serversIn(folder), [], 'servers that are left');
      await window.shot('crashed');
      await window.clickToast('Restart');
      await window.indexed();
    },
  },
  {
    name: 'status: a program of another version is named',
    window: false,
    async run(scene) {
      const { kenning } = scene.stage.config;
      const folder = scene.makeFolder('stall', (folder) => makeStallWithVersion(folder, kenning, '0.9.0'));
      const window = await scene.open({ folder, file: path.join(folder, FILE) });
      const toast = await window.waitForToast(/is version 0\.9\.0, but this extension expects/);
      await window.shot('version');
      await window.indexed();
      return toast.split('\n')[0];
    },
  },
  {
    name: 'status: a setting that names no program says so, and a correct one takes effect at once',
    file: FILE,
    settings: { 'kenning.server.path': '/nowhere/kenning' },
    indexed: false,
    async run({ window }) {
      await window.waitForToast(/kenning\.server\.path names "\/nowhere\/kenning"/);
      await window.shot('wrong-path');
      await until('the status', async () => /Not running/.test(await window.languageStatus()));
      await window.set('kenning.server.path', '/bin/true');
      await window.waitForToast(/\/bin\/true cannot be used: it does not identify itself as Kenning/);
      await window.set('kenning.server.path', undefined);
      await window.indexed();
    },
  },
  {
    name: 'status: a missing program is reported with what can be done',
    file: FILE,
    // A workbench of its own: the check takes the program out of the installed extension.
    server: { purpose: 'missing program' },
    async run({ window, server }) {
      const [name] = fs
        .readdirSync(server.extensions)
        .filter((entry) => entry.startsWith('kenning-lsp.kenning'));
      const carried = path.join(server.extensions, name, 'server');
      fs.renameSync(carried, `${carried}.away`);
      await window.begin('kenning.restart');
      await window.waitForToast(/"kenning" was not found.*Install it, or choose its location/s);
      await window.shot('missing');
      fs.renameSync(`${carried}.away`, carried);
      await window.command('kenning.restart');
      await window.indexed();
      const status = await window.languageStatus();
      holds(!/Not running/.test(status), status);
    },
  },
];
