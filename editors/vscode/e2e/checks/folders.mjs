// Checks windows with several folders.
import fs from 'node:fs';
import path from 'node:path';
import { assertTrue } from '../lib/wait.mjs';
import { makeStall } from '../lib/workspace.mjs';

const MILL = 'def grind(corn):\n    return corn\n\n\ndef bake(corn):\n    return grind(corn)\n';

/**
 * Opens a window on two folders, a stall and a mill, optionally with a file of the stall in an
 * editor.
 */
async function openBoth(scene, file) {
  const stall = scene.makeFolder('first', makeStall);
  const mill = scene.makeFolder('second', (folder) => {
    fs.mkdirSync(folder);
    fs.writeFileSync(path.join(folder, 'mill.py'), MILL);
  });
  const workspace = `${stall}.code-workspace`;
  fs.writeFileSync(workspace, JSON.stringify({ folders: [{ path: stall }, { path: mill }] }));
  const window = await scene.open({ workspace, file: file && path.join(stall, file) });
  await window.waitForIndex();
  return { window, mill: path.join(mill, 'mill.py') };
}

export const checks = [
  {
    name: 'lens: both folders of a window have their own numbers',
    window: false,
    async run(scene) {
      const { window, mill } = await openBoth(scene, 'orders/discount.go');
      await window.waitForLens('2 callers · 5 dependents');
      await window.openFile(mill);
      await window.waitForLens('1 caller · 1 dependent · 0 tests');
      await window.screenshot('folders');
    },
  },
  {
    name: 'pack: without an editor the user selects the folder',
    window: false,
    async run(scene) {
      const { window } = await openBoth(scene);
      await window.startCommand('kenning.copyTaskContext', 'grind the corn finer');
      await window.quick.select('second');
      const toast = await window.waitForToast(/Copied/);
      assertTrue(/Copied 2 symbols, \d+ tokens from second\b/.test(toast), toast);
      const copied = await window.clipboard();
      assertTrue(/`mill\.py:1` `grind`/.test(copied) && !/Discount/.test(copied), copied);
    },
  },
  {
    name: 'search: without an editor the user selects the folder',
    window: false,
    async run(scene) {
      const { window } = await openBoth(scene);
      await window.startCommand('kenning.searchWorkspace', 'grind the corn');
      await window.quick.select('second');
      await window.quick.waitForTitle('Search');
      await window.quick.waitForRow('mill.py:1');
      await window.quick.close();
    },
  },
];
