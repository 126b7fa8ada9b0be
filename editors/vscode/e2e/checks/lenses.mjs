// Checks code lenses: their numbers, unsaved edits, clicks and settings.
import fs from 'node:fs';
import path from 'node:path';
import { repeatUntil, equal, assertTrue, until } from '../lib/wait.mjs';

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
    name: 'lens: a click opens the users as a tree, which leads to the diagram, the tests and a peek view',
    file: FILE,
    async run({ window }) {
      await window.waitForLenses(ALL_LENSES);
      const hasUsers = async () => (await window.treeRows()).some((row) => row.startsWith('Callers'));
      const click = async () => (await hasUsers()) || window.lens('3 callers · 11').click({ timeout: 3000 });
      await repeatUntil('the users', click, hasUsers);
      const rows = await window.waitForTree('callers by file', (rows) =>
        rows.some((row) => /calls it/.test(row)),
      );
      const text = rows.join('\n');
      assertTrue(/^Callers\s*3\n/.test(text), text);
      assertTrue(/prices\.py/.test(text) && /sales\.py/.test(text) && /Tests\s*4/.test(text), text);
      await window.screenshot('users');
      // A user expands to its own users.
      const isExpanded = async () =>
        (await window.treeRows()).some((row) => /reports\/\w+\.py:\d+ · calls it/.test(row));
      const expand = async () => {
        const row = await window.findTreeRow('price_of');
        await row.locator('.monaco-tl-twistie').click({ timeout: 3000 });
      };
      await repeatUntil('the users of a user', expand, isExpanded);
      await window.screenshot('users-expanded');
      // A click on a test opens it at its use.
      const open = async () => (await window.findTreeRow('test_')).click({ timeout: 3000 });
      await repeatUntil('a test', open, async () =>
        (await window.tabs()).some((tab) => /test_\w+\.py/.test(tab)),
      );
      await window.command('kenning.users.peekCallers');
      await until(
        'the peek view',
        async () => (await window.texts('.zone-widget .ref-tree .monaco-list-row')).length > 0,
      );
      await window.screenshot('peek');
      await window.command('kenning.users.showDiagram');
      const frame = await window.waitForFrame('.node.target');
      equal(await frame.locator('.node.target').getAttribute('data-name'), 'apply_tax', 'the diagram');
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
