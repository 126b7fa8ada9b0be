// mocha in the real extension host (`test/host`): what the screen need not show.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { until } from '../lib/wait.mjs';
import { makeStall, writeSettings } from '../lib/workspace.mjs';

/** Runs in the page before the workbench: has it load an extension under development and its tests. */
function develop([extension, tests]) {
  const observer = new MutationObserver(() => {
    const meta = document.getElementById('vscode-workbench-web-configuration');
    if (meta === null) {
      return;
    }
    const settings = JSON.parse(meta.getAttribute('data-settings'));
    const given = { extensions: [extension], extensionTestsPath: tests };
    settings.developmentOptions = { ...settings.developmentOptions, ...given };
    meta.setAttribute('data-settings', JSON.stringify(settings));
    observer.disconnect();
  });
  observer.observe(document, { childList: true, subtree: true });
}

/** The outcome of a test; a figure may end its title. */
function asOutcome({ title, error }) {
  const [, name, figure] = /^(.*?)(?:: ([\d.]+ ms))?$/.exec(title);
  return { name: `host: ${name}`, figure, error: error && new Error(error) };
}

const RESULT = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'kenning-host-')), 'result.json');

export const checks = [
  {
    name: 'host: the tests in the extension host can be run',
    server: { env: { KENNING_HOST_RESULT: RESULT } },
    window: false,
    async run(scene) {
      const { kenning, root } = scene.stage.config;
      const folder = scene.makeFolder('stall', (folder) => {
        makeStall(folder);
        writeSettings(folder, { 'kenning.server.path': kenning });
      });
      const authority = scene.server.origin.replace('http://', '');
      const uri = (file) => ({ $mid: 1, scheme: 'vscode-remote', authority, path: file });
      const argument = [uri(root), uri(path.join(root, 'dist/test/host/index.js'))];
      await scene.open({ folder, init: { script: develop, argument } });
      await until('the result of the tests', async () => fs.existsSync(RESULT));
      const outcomes = JSON.parse(fs.readFileSync(RESULT, 'utf8'));
      fs.rmSync(path.dirname(RESULT), { recursive: true });
      return outcomes.map(asOutcome);
    },
  },
];
