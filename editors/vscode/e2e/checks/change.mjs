// Contexts of files and of a change, and the tests that a change reaches.
import { equal, holds } from '../lib/wait.mjs';
import { copySettled } from './context.mjs';

const FILE = 'orders/discount.go';

export const checks = [
  {
    name: 'pack: Copy Change Context offers the branches and compares with the chosen one',
    file: FILE,
    settings: { 'kenning.context.learning': false },
    history: true,
    async run({ window, folder, kenning }) {
      const copied = await copySettled(window, async () => {
        await window.clearToasts();
        await window.begin('kenning.copyChangeContext');
        await window.quick.waitForRow('cheaper');
        await window.shot('branches');
        await window.quick.choose('main');
        await window.waitForToast(/Copied/);
      });
      holds(/changes since main/.test(copied) && /Discount/.test(copied), copied.slice(0, 300));
      const args = ['--root', folder, '--base', 'main', '--no-learning', '--refresh', 'never'];
      equal(copied, kenning('changes', ...args), 'the copied text');
    },
  },
  {
    name: 'affected tests: each is listed with the path by which it reaches the change',
    file: FILE,
    async run({ window }) {
      await window.begin('kenning.showAffectedTests');
      await window.quick.choose('main');
      const row = await window.quick.waitForRow('TestDiscount');
      holds(/TestDiscount → Discount/.test(row), row);
      await window.quick.waitForRow('TestPlaceTakesFromTheShelf');
      await window.shot('affected-tests');
    },
  },
  {
    name: 'pack: Copy File Context copies the context of the open file',
    file: FILE,
    settings: { 'kenning.context.learning': false },
    history: true,
    async run({ window, folder, kenning }) {
      const copied = await copySettled(window, () => window.command('kenning.copyFileContext'));
      holds(/^# Context: orders\/discount\.go/.test(copied), copied.slice(0, 80));
      equal(
        copied,
        kenning('files', '--root', folder, '--no-learning', '--refresh', 'never', FILE),
        'the copied text',
      );
    },
  },
];
