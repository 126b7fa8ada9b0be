// Runs the mocha tests of `test/host` in the real extension host, for behavior that is not visible
// on the screen.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { until } from '../lib/wait.mjs';
import { makeStall, writeSettings } from '../lib/workspace.mjs';

/**
 * Runs in the page before the workbench and makes it load an extension under development with its
 * tests.
 */
function loadTestExtension([extension, tests]) {
  const observer = new MutationObserver(() => {
    const meta = document.getElementById('vscode-workbench-web-configuration');
    if (meta === null) {
      return;
    }
    const settings = JSON.parse(meta.getAttribute('data-settings'));
    const options = { extensions: [extension], extensionTestsPath: tests };
    settings.developmentOptions = { ...settings.developmentOptions, ...options };
    meta.setAttribute('data-settings', JSON.stringify(settings));
    observer.disconnect();
  });
  observer.observe(document, { childList: true, subtree: true });
}

/** Converts the result of a test to an outcome. A figure may end the title. */
function asOutcome({ title, error }) {
  const [, name, figure] = /^(.*?)(?:: ([\d.]+ ms))?$/.exec(title);
  return { name: `host: ${name}`, figure, error: error && new Error(error) };
}

const RESULT = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'kenning-host-')), 'result.json');

export const checks = [
  {
    name: 'host: the tests in the extension host run',
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
      await scene.open({ folder, init: { script: loadTestExtension, argument } });
      await until('the result of the tests', async () => fs.existsSync(RESULT));
      const outcomes = JSON.parse(fs.readFileSync(RESULT, 'utf8'));
      fs.rmSync(path.dirname(RESULT), { recursive: true });
      return outcomes.map(asOutcome);
    },
  },
];
