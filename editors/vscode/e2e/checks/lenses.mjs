// Checks code lenses: their numbers, unsaved edits, clicks and settings.
import fs from 'node:fs';
import path from 'node:path';
import { repeatUntil, equal, assertTrue } from '../lib/wait.mjs';

const FILE = 'reports/prices.py';
const ALL_LENSES = [
  '3 callers · 11 dependents · 4 tests',
  '2 callers · 8 dependents · 3 tests',
  '3 callers · 5 dependents · 1 test',
];

export const checks = [
  {
    name: 'lens: lenses have the right numbers',
    file: FILE,
    async run({ window }) {
      await window.waitForLenses(ALL_LENSES);
      await window.screenshot('lenses');
    },
  },
  {
    name: 'lens: an unsaved edit counts until it is reverted',
    file: FILE,
    async run({ window }) {
      await window.waitForLenses(ALL_LENSES);
      await window.append('\n\ndef rounded(price: float) -> float:\n    return round(apply_tax(price))\n');
      await window.waitForLens('4 callers · 12 dependents · 4 tests');
      await window.screenshot('lenses-unsaved');
      await window.command('workbench.action.files.revert');
      await window.waitForLenses(ALL_LENSES);
    },
  },
  {
    name: 'lens: a click peeks the callers',
    file: FILE,
    async run({ window }) {
      await window.waitForLenses(ALL_LENSES);
      const findRows = async () => {
        const rows = await window.texts('.zone-widget .ref-tree .monaco-list-row');
        return rows.length >= 3 && rows;
      };
      const click = async () => (await findRows()) || window.lens('3 callers · 11').click({ timeout: 3000 });
      const rows = await repeatUntil('the callers', click, findRows);
      equal(rows.filter((row) => /apply_tax\(/.test(row)).length > 0, true, 'calls in the peek');
      const files = rows.join(' ');
      assertTrue(/prices\.py/.test(files) && /sales\.py/.test(files), files);
      await window.screenshot('peek');
    },
  },
  {
    name: 'lens: settings take effect without a reload',
    file: FILE,
    async run({ window }) {
      await window.waitForLenses(ALL_LENSES);
      await window.set('kenning.codeLens.minimumCallers', 3);
      await window.waitForLenses([ALL_LENSES[0], ALL_LENSES[2]]);
      await window.set('kenning.codeLens.enabled', false);
      await window.waitForLenses([]);
      await window.set('kenning.codeLens.enabled', undefined);
      await window.set('kenning.codeLens.minimumCallers', undefined);
      await window.waitForLenses(ALL_LENSES);
    },
  },
  {
    name: 'lens: kenning.toml applies unless a setting overrides it',
    file: FILE,
    async run({ window, folder }) {
      await window.waitForLenses(ALL_LENSES);
      fs.writeFileSync(path.join(folder, 'kenning.toml'), '[codeLens]\nkinds = ["class"]\n');
      await window.waitForLenses([]);
      await window.set('kenning.codeLens.kinds', ['function']);
      await window.waitForLenses(ALL_LENSES);
    },
  },
  {
    name: 'lens: two windows on one folder both have lenses',
    file: FILE,
    async run({ window, folder, open }) {
      await window.waitForLenses(ALL_LENSES);
      const second = await open({ file: path.join(folder, FILE) });
      await second.waitForLenses(ALL_LENSES);
      await window.append('\n\ndef rounded(price: float) -> float:\n    return round(apply_tax(price))\n');
      await window.waitForLens('4 callers · 12 dependents · 4 tests');
    },
  },
];
