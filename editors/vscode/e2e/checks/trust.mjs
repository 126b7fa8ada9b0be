// Checks an untrusted workspace: no program that the workspace names runs, and everything else
// works.
import fs from 'node:fs';
import path from 'node:path';
import { assertTrue, until } from '../lib/wait.mjs';
import { makeStall, writeSettings } from '../lib/workspace.mjs';

const FILE = 'orders/discount.go';
const SERVER = {
  trust: true,
  settings: {
    'security.workspace.trust.startupPrompt': 'never',
    'security.workspace.trust.banner': 'always',
  },
};

/**
 * Writes a program that records in the file `mark` that it ran and then executes another program.
 * Returns its path.
 */
function writeRecordingProgram(file, mark, program) {
  fs.writeFileSync(file, `#!/bin/sh\necho ran >> "${mark}"\nexec ${program} "$@"\n`, { mode: 0o755 });
  return file;
}

/**
 * Opens a stall whose settings and `kenning.toml` each name a program. Returns the window and the
 * marks of both programs.
 */
async function openWithPrograms(scene) {
  const marks = {};
  const folder = scene.makeFolder('untrusted', (folder) => {
    makeStall(folder);
    marks.setting = `${folder}-ran-setting`;
    marks.toml = `${folder}-ran-toml`;
    const { kenning } = scene.stage.config;
    const program = writeRecordingProgram(`${folder}-program`, marks.setting, `"${kenning}"`);
    writeSettings(folder, { 'kenning.server.path': program });
    const server = writeRecordingProgram(`${folder}-language-server`, marks.toml, 'false');
    fs.writeFileSync(path.join(folder, 'kenning.toml'), `[servers.gopls]\ncommand = "${server}"\n`);
  });
  const window = await scene.open({ folder, file: path.join(folder, FILE) });
  await window.waitForIndex();
  return { window, marks };
}

export const checks = [
  {
    name: 'trust: in an untrusted workspace the server answers and no program of the workspace runs',
    server: SERVER,
    window: false,
    async run(scene) {
      const { window, marks } = await openWithPrograms(scene);
      const bar = (await window.statusBar()).join(' ');
      assertTrue(/Restricted Mode/.test(bar), bar);
      await window.screenshot('restricted');
      assertTrue(!fs.existsSync(marks.setting), 'the program of the setting ran');
      assertTrue(!fs.existsSync(marks.toml), 'the program of kenning.toml ran');
    },
  },
  {
    name: 'trust: in a trusted workspace its programs run',
    server: SERVER,
    window: false,
    async run(scene) {
      const { window, marks } = await openWithPrograms(scene);
      await window.command('workbench.trust.manage');
      await window.page
        .locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust$/ })
        .first()
        .click();
      await until('the program of the setting', async () => fs.existsSync(marks.setting));
      await until('the program of kenning.toml', async () => fs.existsSync(marks.toml));
      await window.screenshot('trusted');
    },
  },
];
