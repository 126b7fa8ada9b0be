// Checks the contexts of files and of a change, and the affected tests of a change.
import { repeatUntil, equal, assertTrue, until } from '../lib/wait.mjs';
import { copyFreshContext } from './context.mjs';

const FILE = 'orders/discount.go';

export const checks = [
  {
    name: 'pack: Copy Pack for the Change offers the branches and compares with the chosen one',
    file: FILE,
    settings: { 'kenning.context.learning': false },
    history: true,
    async run({ window, folder, kenning }) {
      const copied = await copyFreshContext(window, async () => {
        await window.clearToasts();
        await window.startCommand('kenning.copyChangeContext');
        await window.quick.waitForRow('cheaper');
        await window.screenshot('branches');
        await window.quick.select('main');
        await window.waitForToast(/Copied/);
      });
      assertTrue(/changes since main/.test(copied) && /Discount/.test(copied), copied.slice(0, 300));
      const args = ['--root', folder, '--base', 'main', '--no-learning', '--refresh', 'never'];
      equal(copied, kenning('changes', ...args), 'the copied text');
    },
  },
  {
    name: 'affected tests: each test is listed with its call path to the change',
    file: FILE,
    async run({ window }) {
      await window.startCommand('kenning.showAffectedTests');
      const row = await window.quick.waitForRow('TestDiscount');
      assertTrue(/\.go:\d+ · TestDiscount → Discount/.test(row), row);
      await window.quick.waitForRow('TestPlaceTakesFromTheShelf');
      await window.screenshot('affected-tests');
      await window.quick.clickButton('Compare with a different branch or commit');
      await window.quick.select('main');
      await window.quick.waitForTitle('since main');
      await window.quick.waitForRow('TestDiscount');
    },
  },
  {
    name: 'affected tests: a button opens a terminal in the folder to run all tests',
    file: FILE,
    async run({ window, folder }) {
      await window.startCommand('kenning.showAffectedTests');
      await window.quick.waitForRow('TestDiscount');
      await window.quick.clickButton('Run all tests in a terminal');
      // The tested VS Code cannot start shells, so the commands do not run here.
      const terminals = (vscode) =>
        vscode.window.terminals.map(({ name, creationOptions }) => ({
          name,
          folder: creationOptions.cwd?.fsPath,
        }));
      const opened = await until('a terminal', async () => {
        const found = await window.host.call(terminals);
        return found.length > 0 ? found : Promise.reject(new Error('none'));
      });
      equal(opened, [{ name: 'Kenning: affected tests', folder }], 'the terminals');
    },
  },
  {
    name: 'affected tests: the Testing view lists them by file, opens them and runs some of them',
    file: FILE,
    async run({ window, folder }) {
      await window.command('workbench.view.testing.focus');
      const hasTest = async () =>
        (await window.treeRows()).some((row) => row.trimStart().startsWith('TestDiscount'));
      const expand = async () => {
        const row = await window.findTreeRow('orders/order_test.go');
        await row.locator('.monaco-tl-twistie').click({ timeout: 3000 });
      };
      await repeatUntil('the tests of the file', async () => (await hasTest()) || expand(), hasTest);
      const rows = await window.treeRows();
      assertTrue(
        rows.some((row) => /TestDiscount\s*TestDiscount → Discount/.test(row)),
        rows,
      );
      await window.screenshot('testing-view');
      const open = async () => (await window.findTreeRow('TestDiscount')).dblclick({ timeout: 3000 });
      await repeatUntil('the file of the test', open, async () =>
        (await window.tabs()).some((tab) => tab.includes('order_test.go')),
      );
      const run = async () => {
        const row = await window.findTreeRow('TestDiscount');
        await row.hover({ timeout: 3000 });
        await row.locator('.action-label[aria-label^="Run"]').first().click({ timeout: 3000 });
      };
      const terminals = (vscode) =>
        vscode.window.terminals.map(({ name, creationOptions }) => ({
          name,
          folder: creationOptions.cwd?.fsPath,
        }));
      const started = async () => (await window.host.call(terminals)).length > 0;
      await repeatUntil('a terminal', run, started);
      const [terminal] = await window.host.call(terminals);
      equal(terminal, { name: 'Kenning: affected tests', folder }, 'the terminal');
      await window.screenshot('testing-run');
    },
  },
  {
    name: 'pack: Copy Pack for Files copies the context of the open file',
    file: FILE,
    settings: { 'kenning.context.learning': false },
    history: true,
    async run({ window, folder, kenning }) {
      const copied = await copyFreshContext(window, () => window.command('kenning.copyFileContext'));
      assertTrue(/^# Context: orders\/discount\.go/.test(copied), copied.slice(0, 80));
      equal(
        copied,
        kenning('files', '--root', folder, '--no-learning', '--refresh', 'never', FILE),
        'the copied text',
      );
    },
  },
];
