// What the extension says of itself: indexing, the status item, and a program that is missing, wrong, of another version or crashing.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { holds } from '../lib/report.mjs';
import { makeLarge, makeStall, writeSettings } from '../lib/repository.mjs';
import { Window } from '../lib/window.mjs';

/** Files of the workspace in which the first indexing can be seen. */
const LARGE = 1500;

/** A program that says another version and is Kenning otherwise. */
function otherVersion(stage, version) {
  const file = stage.folder(`kenning-${version}`);
  const lines = [
    '#!/bin/sh',
    `if [ "$1" = --version ]; then echo "kenning ${version}"; exit; fi`,
    `exec "${stage.kenning}" "$@"`,
  ];
  fs.writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o755 });
  return file;
}

/** The processes of the server for a folder's window: `kenning serve` whose working folder it is. */
function servers(folder) {
  const ids = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.filter((id) => {
    try {
      const command = fs.readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0');
      return command.includes('serve') && fs.readlinkSync(`/proc/${id}/cwd`) === folder;
    } catch {
      return false;
    }
  });
}

export async function run(stage) {
  const { report } = stage;
  const folder = makeStall(stage.folder('states'));
  const large = makeLarge(stage.folder('large'), LARGE);
  const server = await stage.serve();
  const context = await stage.browse(server);
  const open = (where, file, more = {}) =>
    Window.open(context, server, {
      folder: where,
      files: [path.join(where, file)],
      shots: stage.shots,
      ...more,
    });
  const status = async (window) => {
    await window.page.locator('.statusbar-item[id="status.languageStatus"]').click();
    const text = await window.until('the status', async () =>
      (await window.texts('.hover-language-status')).join('\n'),
    );
    return text;
  };

  // It stays open, and in the way of messages, as long as the mouse rests on its item.
  const closeStatus = async (window) => {
    await window.page.mouse.move(600, 400);
    await window.press('Escape');
    await window.until(
      'the status is closed',
      async () => (await window.texts('.hover-language-status')).length === 0,
    );
  };

  let window = await open(large, 'part1/module1.py');
  const check = (name, run) => report.check(window, name, run);
  await check('the first indexing is shown with its progress, and only while it runs', async () => {
    const shown = await window.until('the progress', async () =>
      (await window.statusBar()).find((item) => /Kenning: indexing .*\d+%/.test(item)),
    );
    await window.shot('indexing');
    await window.until(
      'the end',
      async () => !(await window.statusBar()).some((item) => /indexing/.test(item)),
      240_000,
    );
    await window.waitForLens('1 caller');
    return shown.trim();
  });
  await window.close();

  window = await open(folder, 'orders/discount.go');
  await window.waitForLens('2 callers');
  await check('the status item shows the index', async () => {
    const text = await status(window);
    await window.until('the number of symbols', async () =>
      (await window.texts('.hover-language-status')).some((shown) => /Kenning: \d+ symbols/.test(shown)),
    );
    await window.page.waitForTimeout(300);
    await window.shot('status');
    await closeStatus(window);
    return text.replace(/\s+/g, ' ');
  });
  await check('a server that crashed is started again', async () => {
    const [before] = servers(folder);
    execFileSync('kill', ['-9', before]);
    await window.until('another process', async () => {
      const [now] = servers(folder);
      return now !== undefined && now !== before;
    });
    await window.waitForLens('2 callers');
  });
  await check('a server that crashes again and again is given up, and can be started by hand', async () => {
    const gaveUp = async () =>
      (await window.toasts()).some((toast) => /ended several times in a row/.test(toast));
    await window.until('the message', async () => {
      servers(folder).forEach((id) => execFileSync('kill', ['-9', id]));
      return gaveUp();
    });
    await window.shot('crashed');
    await window.clickToast('Restart');
    await window.waitForLens('2 callers');
    await window.clearToasts();
  });
  await check('a program of another version is named', async () => {
    writeSettings(folder, { 'kenning.server.path': otherVersion(stage, '0.9.0') });
    const toast = await window.waitForToast(/is version 0\.9\.0; this extension was made for/);
    await window.shot('version');
    await window.waitForLens('2 callers');
    await window.clearToasts();
    return toast.split('\n')[0];
  });
  await check('a setting that names no program says so, and mending it is enough', async () => {
    writeSettings(folder, { 'kenning.server.path': '/nowhere/kenning' });
    await window.waitForToast(/kenning\.server\.path names "\/nowhere\/kenning"/);
    await window.shot('wrong-path');
    const text = await status(window);
    holds(/Not running/.test(text), text);
    await window.press('Escape');
    writeSettings(folder, { 'kenning.server.path': '/bin/true' });
    await window.waitForToast(/\/bin\/true cannot be used: it does not say that it is Kenning/);
    writeSettings(folder, {});
    await window.waitForLens('2 callers');
    await window.clearToasts();
  });
  await check('a missing program is said with what can be done', async () => {
    const [name] = fs
      .readdirSync(server.extensions)
      .filter((entry) => entry.startsWith('kenning-lsp.kenning'));
    const carried = path.join(server.extensions, name, 'server');
    fs.renameSync(carried, `${carried}.away`);
    await window.run('Kenning: Restart');
    await window.waitForToast(/"kenning" was not found.*Install it, or say where it is/s);
    await window.shot('missing');
    fs.renameSync(`${carried}.away`, carried);
    await window.clearToasts();
    await window.run('Kenning: Restart');
    await window.waitForLens('2 callers');
  });
  await context.close();
  server.stop();
}
