// Several folders in one window.
import fs from 'node:fs';
import path from 'node:path';
import { holds } from '../lib/report.mjs';
import { makeStall } from '../lib/repository.mjs';
import { Window } from '../lib/window.mjs';

export async function run(stage) {
  const { report } = stage;
  const [one, two] = [makeStall(stage.folder('first')), stage.folder('second')];
  fs.mkdirSync(two, { recursive: true });
  const mill = path.join(two, 'mill.py');
  fs.writeFileSync(mill, 'def grind(corn):\n    return corn\n\n\ndef bake(corn):\n    return grind(corn)\n');
  const workspace = stage.folder('both.code-workspace');
  fs.writeFileSync(workspace, JSON.stringify({ folders: [{ path: one }, { path: two }] }));
  const server = await stage.serve();
  const context = await stage.browse(server);
  const files = [path.join(one, 'orders/discount.go'), mill];
  const window = await Window.open(context, server, { workspace, files: [files[0]], shots: stage.shots });
  const check = (name, run) => report.check(window, name, run);

  await check('each folder has its lenses', async () => {
    await window.waitForLens('2 callers · 5 dependents');
    await window.openFile('mill.py');
    await window.waitForLens('1 caller · 1 dependent · 0 tests');
    await window.shot('folders');
  });
  await check('without an editor the folder is asked for', async () => {
    await window.run('View: Close All Editors');
    await window.ask('Copy Task Context', 'grind the corn finer', 'this task');
    await window.choose('second');
    const toast = await window.waitForToast(/Copied/);
    holds(/Copied 2 symbols, \d+ tokens from second\b/.test(toast), toast);
    const copied = await window.clipboard();
    holds(/`mill\.py:1` `grind`/.test(copied) && !/Discount/.test(copied), copied);
  });
  await context.close();
  server.stop();
}
