// What the extension says of itself: indexing, crashes, and a program that is missing, wrong or of another version.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { serversIn } from '../lib/processes.mjs';
import { holds, until } from '../lib/wait.mjs';
import { makeLarge, makeStall, writeSettings } from '../lib/workspace.mjs';

const FILE = 'orders/discount.go';
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
      await window.waitForLens('1 caller');
      return shown;
    },
  },
  {
    name: 'status: a server that crashed is started again',
    file: FILE,
    async run({ window, folder }) {
      await window.waitForLens('2 callers');
      const [before] = serversIn(folder);
      execFileSync('kill', ['-9', before]);
      await until('another process', async () => {
        const [now] = serversIn(folder);
        return now !== undefined && now !== before;
      });
      await window.indexed();
      await window.waitForLens('2 callers');
    },
  },
  {
    name: 'status: a server that keeps crashing is given up, and can be started by hand',
    file: FILE,
    async run({ window, folder }) {
      await window.waitForLens('2 callers');
      await until('the message', async () => {
        serversIn(folder).forEach((id) => execFileSync('kill', ['-9', id]));
        return (await window.toasts()).some((toast) => /ended several times in a row/.test(toast));
      });
      await window.shot('crashed');
      await window.clickToast('Restart');
      await window.indexed();
      await window.waitForLens('2 callers');
    },
  },
  {
    name: 'status: a program of another version is named',
    window: false,
    async run(scene) {
      const { kenning } = scene.stage.config;
      const folder = scene.makeFolder('stall', (folder) => makeStallWithVersion(folder, kenning, '0.9.0'));
      const window = await scene.open({ folder, file: path.join(folder, FILE) });
      const toast = await window.waitForToast(/is version 0\.9\.0; this extension was made for/);
      await window.shot('version');
      await window.waitForLens('2 callers');
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
      await window.waitForToast(/\/bin\/true cannot be used: it does not say that it is Kenning/);
      await window.set('kenning.server.path', undefined);
      await window.indexed();
      await window.waitForLens('2 callers');
    },
  },
  {
    name: 'status: a missing program is reported with what can be done',
    file: FILE,
    // A workbench of its own: the check takes the program out of the installed extension.
    server: { purpose: 'missing program' },
    async run({ window, server }) {
      await window.waitForLens('2 callers');
      const [name] = fs
        .readdirSync(server.extensions)
        .filter((entry) => entry.startsWith('kenning-lsp.kenning'));
      const carried = path.join(server.extensions, name, 'server');
      fs.renameSync(carried, `${carried}.away`);
      await window.begin('kenning.restart');
      await window.waitForToast(/"kenning" was not found.*Install it, or say where it is/s);
      await window.shot('missing');
      fs.renameSync(`${carried}.away`, carried);
      await window.command('kenning.restart');
      await window.indexed();
      const status = await window.languageStatus();
      holds(!/Not running/.test(status), status);
      await window.waitForLens('2 callers');
    },
  },
];
