// Code lenses: their numbers, unsaved edits, what a click does, and the settings that are about them.
import fs from 'node:fs';
import path from 'node:path';
import { actUntil, equal, holds } from '../lib/wait.mjs';

const FILE = 'reports/prices.py';
const ALL = [
  '3 callers · 11 dependents · 4 tests',
  '2 callers · 8 dependents · 3 tests',
  '3 callers · 5 dependents · 1 test',
];

export const checks = [
  {
    name: 'lens: the program in the package serves the right numbers',
    file: FILE,
    async run({ window }) {
      await window.waitForLenses(ALL);
      await window.shot('lenses');
    },
  },
  {
    name: 'lens: an unsaved edit counts until it is reverted',
    file: FILE,
    async run({ window }) {
      await window.waitForLenses(ALL);
      await window.append('\n\ndef rounded(price: float) -> float:\n    return round(apply_tax(price))\n');
      await window.waitForLens('4 callers · 12 dependents · 4 tests');
      await window.shot('lenses-unsaved');
      await window.command('workbench.action.files.revert');
      await window.waitForLenses(ALL);
    },
  },
  {
    name: 'lens: a click peeks the callers',
    file: FILE,
    async run({ window }) {
      await window.waitForLenses(ALL);
      const findRows = async () => {
        const found = await window.texts('.zone-widget .ref-tree .monaco-list-row');
        return found.length >= 3 && found;
      };
      const click = async () => (await findRows()) || window.lens('3 callers · 11').click({ timeout: 3000 });
      const rows = await actUntil('the callers', click, findRows);
      equal(rows.filter((row) => /apply_tax\(/.test(row)).length > 0, true, 'calls in the peek');
      const files = rows.join(' ');
      holds(/prices\.py/.test(files) && /sales\.py/.test(files), files);
      await window.shot('peek');
    },
  },
  {
    name: 'lens: settings take effect without a reload',
    file: FILE,
    async run({ window }) {
      await window.waitForLenses(ALL);
      await window.set('kenning.codeLens.minimumCallers', 3);
      await window.waitForLenses([ALL[0], ALL[2]]);
      await window.set('kenning.codeLens.enabled', false);
      await window.waitForLenses([]);
      await window.set('kenning.codeLens.enabled', undefined);
      await window.set('kenning.codeLens.minimumCallers', undefined);
      await window.waitForLenses(ALL);
    },
  },
  {
    name: 'lens: kenning.toml decides what the settings leave open',
    file: FILE,
    async run({ window, folder }) {
      await window.waitForLenses(ALL);
      fs.writeFileSync(path.join(folder, 'kenning.toml'), '[codeLens]\nkinds = ["class"]\n');
      await window.waitForLenses([]);
      await window.set('kenning.codeLens.kinds', ['function']);
      await window.waitForLenses(ALL);
    },
  },
  {
    name: 'lens: two windows on one folder both have them',
    file: FILE,
    async run({ window, folder, open }) {
      await window.waitForLenses(ALL);
      const second = await open({ file: path.join(folder, FILE) });
      await second.waitForLenses(ALL);
      await window.append('\n\ndef rounded(price: float) -> float:\n    return round(apply_tax(price))\n');
      await window.waitForLens('4 callers · 12 dependents · 4 tests');
    },
  },
];
