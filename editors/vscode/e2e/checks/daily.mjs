// What a person does every day: lenses, hovers, contexts, the view, the picture.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { equal, holds } from '../lib/report.mjs';
import { makeStall, writeSettings } from '../lib/repository.mjs';
import { Window } from '../lib/window.mjs';
import { changeChecks } from './daily/change.mjs';
import { contextChecks } from './daily/context.mjs';
import { pictureChecks } from './daily/picture.mjs';
import { viewChecks } from './daily/view.mjs';

export async function run(stage) {
  const { report } = stage;
  const folder = makeStall(stage.folder('stall'));
  // What was learned and where the cursor stands weigh in, and the command line knows neither: without learning, and
  // later without an editor, both give the same bytes.
  writeSettings(folder, { 'kenning.context.learning': false });
  const server = await stage.serve();
  const context = await stage.browse(server);
  const prices = path.join(folder, 'reports/prices.py');
  const open = { folder, files: [prices], shots: stage.shots };
  const window = await Window.open(context, server, open);
  const check = (name, run) => report.check(window, name, run);
  const kenning = (...args) =>
    execFileSync(stage.kenning, args, { cwd: folder, env: server.env, encoding: 'utf8' });
  const daily = { stage, server, window, check, folder, kenning };

  await check('the carried program is found and serves the lenses', async () => {
    await window.waitForLens('3 callers');
  });
  await check('lenses have the right numbers', async () => {
    // A lens that the workbench has just made stands at the top until it is laid out.
    await window.settles('the lenses', () => window.lenses(), [
      '3 callers · 11 dependents · 4 tests',
      '2 callers · 8 dependents · 3 tests',
      '3 callers · 5 dependents · 1 test',
    ]);
    await window.shot('lenses');
  });
  await check('an unsaved edit changes the lenses', async () => {
    await window.goTo(18, 40);
    await window.press('End');
    await window.type('\n\ndef rounded(price: float) -> float:\nreturn round(apply_tax(price))');
    await window.waitForLens('4 callers · 12 dependents · 4 tests');
    await window.shot('lenses-unsaved');
    await window.run('File: Revert File');
    await window.waitForLens('3 callers · 11 dependents · 4 tests');
  });
  await check('the hover stands beside the one of another language server', async () => {
    const cart = path.join(folder, 'web/cart.ts');
    const other = await Window.open(context, server, { ...open, files: [cart] });
    await other.waitForLens('1 caller');
    const hover = await other.until('both hovers', async () => {
      const text = await other.hover('export function cartTotal', 'cartTotal');
      return text.includes('Blast radius') && text.includes('function cartTotal(lines: Line[])') && text;
    });
    holds(hover.includes('What the cart costs.'), hover);
    await other.page.waitForTimeout(400);
    await other.shot('hover');
    await other.close();
  });
  await check('a click on a lens peeks the callers', async () => {
    await window.page.bringToFront();
    await window.lens('3 callers · 11').click();
    const rows = await window.until('the callers', async () => {
      const found = await window.texts('.zone-widget .ref-tree .monaco-list-row');
      return found.length >= 3 && found;
    });
    equal(rows.filter((row) => /apply_tax\(/.test(row)).length > 0, true, 'calls in the peek');
    const files = rows.join(' ');
    holds(/prices\.py/.test(files) && /sales\.py/.test(files), files);
    await window.page.waitForTimeout(500);
    await window.shot('peek');
    await window.press('Escape');
  });
  await contextChecks(daily);
  await viewChecks(daily);
  await changeChecks(daily);
  await pictureChecks(daily);
  await check('settings count without a reload', async () => {
    await window.run('View: Close All Editors');
    await window.openFile('prices.py');
    await window.waitForLens('3 callers');
    writeSettings(folder, { 'kenning.codeLens.minimumCallers': 3 });
    await window.until('fewer lenses', async () => (await window.lenses()).length === 2);
    writeSettings(folder, { 'kenning.codeLens.enabled': false });
    await window.until('no lens', async () => (await window.lenses()).length === 0);
    writeSettings(folder, {});
    await window.waitForLens('3 callers');
  });
  await check('what nobody set leaves the word to kenning.toml', async () => {
    const file = path.join(folder, 'kenning.toml');
    fs.writeFileSync(file, '[codeLens]\nkinds = ["class"]\n');
    await window.until('no lens of a function', async () => (await window.lenses()).length === 0);
    writeSettings(folder, { 'kenning.codeLens.kinds': ['function'] });
    await window.waitForLens('3 callers');
    fs.rmSync(file);
    writeSettings(folder, {});
  });
  await check('two windows on one folder both have lenses', async () => {
    const second = await Window.open(context, server, open);
    await second.waitForLens('3 callers · 11 dependents · 4 tests');
    await window.page.bringToFront();
    await window.waitForLens('3 callers · 11 dependents · 4 tests');
    await second.close();
  });
  await context.close();
  server.stop();
}
