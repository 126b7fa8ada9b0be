// mocha in the real extension host (`test/host`): what the screen need not show.
import fs from 'node:fs';
import path from 'node:path';
import { makeStall, writeSettings } from '../lib/repository.mjs';
import { Window } from '../lib/window.mjs';

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

export async function run(stage) {
  const { report } = stage;
  const folder = makeStall(stage.folder('host'));
  writeSettings(folder, { 'kenning.server.path': stage.kenning });
  const result = stage.folder('host-result.json');
  const server = await stage.serve({ env: { KENNING_HOST_RESULT: result } });
  const context = await stage.browse(server);
  const host = server.origin.replace('http://', '');
  const uri = (file) => ({ $mid: 1, scheme: 'vscode-remote', authority: host, path: file });
  const init = {
    script: develop,
    argument: [uri(stage.root), uri(path.join(stage.root, 'dist/test/host/index.js'))],
  };
  const window = await Window.open(context, server, { folder, shots: stage.shots, init });
  await report.check(window, 'the tests in the extension host were run', async () => {
    await window.until('the result', async () => fs.existsSync(result), 180_000);
  });
  if (fs.existsSync(result)) {
    for (const { title, error, figure } of JSON.parse(fs.readFileSync(result, 'utf8'))) {
      await report.check(undefined, `host: ${title}`, async () => {
        if (error !== undefined) {
          throw new Error(error);
        }
        return figure;
      });
    }
  }
  await context.close();
  server.stop();
}
