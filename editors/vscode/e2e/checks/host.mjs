// mocha in the real extension host (`test/host`): what the screen need not show.
import fs from 'node:fs';
import path from 'node:path';
import { holds } from '../lib/report.mjs';
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

/** Processor time that loading and activating may take, in milliseconds, in the best of so many starts. */
const ACTIVATION_MS = 100;
const STARTS = 3;

/** Starts an extension host with the tests in it, and gives what came out; nothing when they could not be run. */
async function start(stage, number) {
  const folder = makeStall(stage.folder(`host${number}`));
  writeSettings(folder, { 'kenning.server.path': stage.kenning });
  const result = stage.folder(`host${number}-result.json`);
  const server = await stage.serve({ env: { KENNING_HOST_RESULT: result } });
  const context = await stage.browse(server);
  const host = server.origin.replace('http://', '');
  const uri = (file) => ({ $mid: 1, scheme: 'vscode-remote', authority: host, path: file });
  const init = {
    script: develop,
    argument: [uri(stage.root), uri(path.join(stage.root, 'dist/test/host/index.js'))],
  };
  const window = await Window.open(context, server, { folder, shots: stage.shots, init });
  await stage.report.check(window, 'the tests in the extension host were run', async () => {
    await window.until('the result', async () => fs.existsSync(result), 180_000);
  });
  await context.close();
  server.stop();
  return fs.existsSync(result) ? JSON.parse(fs.readFileSync(result, 'utf8')) : [];
}

const milliseconds = (outcomes) =>
  outcomes.map(({ title }) => Number(/activate: ([\d.]+) ms$/.exec(title)?.[1])).find((all) => all > 0);

export async function run(stage) {
  const { report } = stage;
  const outcomes = await start(stage, 1);
  for (const { title, error } of outcomes) {
    await report.check(undefined, `host: ${title}`, async () => {
      if (error !== undefined) {
        throw new Error(error);
      }
    });
  }
  await report.check(undefined, `loading and activating takes less than ${ACTIVATION_MS} ms`, async () => {
    const all = [milliseconds(outcomes)];
    while (all.length < STARTS && !(all.at(-1) < ACTIVATION_MS)) {
      all.push(milliseconds(await start(stage, all.length + 1)));
    }
    holds(
      all.some((one) => one < ACTIVATION_MS),
      `${all.join(', ')} ms`,
    );
    return `${all.join(', ')} ms of processor time`;
  });
}
