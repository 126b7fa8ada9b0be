// Contexts of files and of a change, and the tests that a change reaches.
import { equal, holds } from '../../lib/report.mjs';

export async function changeChecks({ window, check, folder, kenning }) {
  await check('Copy Change Context offers the branches and compares with the chosen one', async () => {
    await window.clearToasts();
    await window.clearClipboard();
    await window.run('Kenning: Copy Change Context');
    await window.waitForRow('cheaper');
    await window.shot('branches');
    await window.choose('main');
    await window.waitForToast(/Copied/);
    const copied = await window.clipboard();
    holds(/changes since main/.test(copied) && /Discount/.test(copied), copied.slice(0, 300));
    const args = ['--root', folder, '--base', 'main', '--no-learning', '--refresh', 'never'];
    const names = (text) => [...text.matchAll(/^- `([^`]+)` `([^`]+)`/gm)].map((match) => match[2]);
    equal(names(copied)[0], names(kenning('changes', ...args))[0], 'the first symbol');
    await window.clearToasts();
  });
  await check('Show Affected Tests lists the tests with their ways', async () => {
    await window.run('Kenning: Show Affected Tests');
    await window.choose('main');
    const row = await window.waitForRow('TestDiscount');
    holds(/TestDiscount → Discount/.test(row), row);
    await window.waitForRow('TestPlaceTakesFromTheShelf');
    await window.page.waitForTimeout(300);
    await window.shot('affected-tests');
    await window.closeQuick();
  });
  await check('Copy File Context copies the context of the open file', async () => {
    await window.clearClipboard();
    await window.run('Kenning: Copy File Context');
    await window.waitForToast(/Copied/);
    const copied = await window.clipboard();
    holds(/^# Context: orders\/discount\.go/.test(copied), copied.slice(0, 80));
    await window.clearToasts();
  });
}
