// A workspace that is not trusted: no program runs that the workspace names, everything else works.
import fs from 'node:fs';
import path from 'node:path';
import { holds } from '../lib/report.mjs';
import { makeStall, writeSettings } from '../lib/repository.mjs';
import { Window } from '../lib/window.mjs';

/** A program that leaves a mark and then is another one. */
function marking(file, mark, program) {
  fs.writeFileSync(file, `#!/bin/sh\necho ran >> "${mark}"\nexec ${program} "$@"\n`, { mode: 0o755 });
  return file;
}

export async function run(stage) {
  const { report } = stage;
  const folder = makeStall(stage.folder('untrusted'));
  const [mark, tomlMark] = [stage.folder('ran-setting'), stage.folder('ran-toml')];
  const program = marking(stage.folder('from-workspace'), mark, `"${stage.kenning}"`);
  writeSettings(folder, { 'kenning.server.path': program });
  const other = marking(stage.folder('server-from-workspace'), tomlMark, 'gopls');
  fs.writeFileSync(path.join(folder, 'kenning.toml'), `[servers.gopls]\ncommand = "${other}"\n`);
  const settings = {
    'security.workspace.trust.startupPrompt': 'never',
    'security.workspace.trust.banner': 'always',
  };
  const server = await stage.serve({ trust: true, settings });
  const context = await stage.browse(server);
  const file = path.join(folder, 'orders/discount.go');
  const window = await Window.open(context, server, { folder, files: [file], shots: stage.shots });
  const check = (name, run) => report.check(window, name, run);

  await check('without trust the lenses are there and no program of the workspace ran', async () => {
    await window.waitForLens('2 callers');
    const bar = (await window.statusBar()).join(' ');
    holds(/Restricted Mode/.test(bar), bar);
    await window.shot('restricted');
    holds(!fs.existsSync(mark), 'the program of the setting ran');
    holds(!fs.existsSync(tomlMark), 'the program of kenning.toml ran');
  });
  await check('with trust the programs of the workspace count', async () => {
    await window.run('Workspaces: Manage Workspace Trust');
    await window.page
      .locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust$/ })
      .first()
      .click();
    await window.until('the program of the setting', async () => fs.existsSync(mark));
    await window.until('the program of kenning.toml', async () => fs.existsSync(tomlMark), 120_000);
    await window.shot('trusted');
  });
  await context.close();
  server.stop();
}
