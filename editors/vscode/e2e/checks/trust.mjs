// A workspace that is not trusted: no program runs that the workspace names, everything else works.
import fs from 'node:fs';
import path from 'node:path';
import { holds, until } from '../lib/wait.mjs';
import { makeStall, writeSettings } from '../lib/workspace.mjs';

const FILE = 'orders/discount.go';
const SERVER = {
  trust: true,
  settings: {
    'security.workspace.trust.startupPrompt': 'never',
    'security.workspace.trust.banner': 'always',
  },
};

/** Writes a program that leaves a mark and then is another one, and returns its path. */
function writeMarking(file, mark, program) {
  fs.writeFileSync(file, `#!/bin/sh\necho ran >> "${mark}"\nexec ${program} "$@"\n`, { mode: 0o755 });
  return file;
}

/** Opens a stall whose settings and `kenning.toml` each name a program; returns the window and the marks of the two. */
async function openMarked(scene) {
  const marks = {};
  const folder = scene.makeFolder('untrusted', (folder) => {
    makeStall(folder);
    marks.setting = `${folder}-ran-setting`;
    marks.toml = `${folder}-ran-toml`;
    const { kenning } = scene.stage.config;
    const program = writeMarking(`${folder}-program`, marks.setting, `"${kenning}"`);
    writeSettings(folder, { 'kenning.server.path': program });
    const server = writeMarking(`${folder}-language-server`, marks.toml, 'false');
    fs.writeFileSync(path.join(folder, 'kenning.toml'), `[servers.gopls]\ncommand = "${server}"\n`);
  });
  const window = await scene.open({ folder, file: path.join(folder, FILE) });
  await window.indexed();
  return { window, marks };
}

export const checks = [
  {
    name: 'trust: without it the server answers and no program of the workspace runs',
    server: SERVER,
    window: false,
    async run(scene) {
      const { window, marks } = await openMarked(scene);
      const bar = (await window.statusBar()).join(' ');
      holds(/Restricted Mode/.test(bar), bar);
      await window.shot('restricted');
      holds(!fs.existsSync(marks.setting), 'the program of the setting ran');
      holds(!fs.existsSync(marks.toml), 'the program of kenning.toml ran');
    },
  },
  {
    name: 'trust: with it the programs of the workspace run',
    server: SERVER,
    window: false,
    async run(scene) {
      const { window, marks } = await openMarked(scene);
      await window.command('workbench.trust.manage');
      await window.page
        .locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust$/ })
        .first()
        .click();
      await until('the program of the setting', async () => fs.existsSync(marks.setting));
      await until('the program of kenning.toml', async () => fs.existsSync(marks.toml));
      await window.shot('trusted');
    },
  },
];
