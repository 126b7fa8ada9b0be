// Kenning: Copy Task Context, its message, and what it has in common with the command line.
import { equal, holds } from '../../lib/report.mjs';
import { writeSettings } from '../../lib/repository.mjs';

const TASK = 'give a discount for many apples';

/** Asks for the context of a task from the palette. */
export const askFor = (window, task) => window.ask('Copy Task Context', task, 'this task');

export async function contextChecks({ window, check, folder, kenning }) {
  await check('Copy Task Context copies what `kenning pack` prints, byte for byte', async () => {
    await window.run('View: Close All Editors');
    const args = ['--root', folder, '--refresh', 'never', '--no-learning', '--format', 'markdown', TASK];
    const pack = () => kenning('pack', ...args);
    // While language servers confirm edges the revision moves on: both must have seen the same one.
    const text = await window.until(
      'one revision for both',
      async () => {
        const before = pack();
        await window.clearClipboard();
        await window.clearToasts();
        await askFor(window, TASK);
        await window.waitForToast(/Copied/);
        const copied = await window.clipboard();
        holds(copied.startsWith('# Context: '), copied.slice(0, 80));
        return before === pack() && { before, copied };
      },
      120_000,
    );
    equal(text.copied, text.before, 'the copied text');
    writeSettings(folder, {});
    return `${Buffer.byteLength(text.copied)} bytes`;
  });
  await check('the message says how much was copied and opens a preview', async () => {
    const toast = await window.waitForToast(/Copied/);
    holds(/Copied \d+ symbols, [\d ]+ tokens/.test(toast), toast);
    await window.shot('copied');
    await window.clickToast('Open Preview');
    const frame = await window.frameWith('h1:has-text("Context:")');
    holds((await frame.locator('h1').innerText()).includes(TASK), 'the title of the preview');
    await window.page.waitForTimeout(500);
    await window.shot('preview');
    await window.run('View: Close All Editors');
  });
  await check('Explain says why a symbol stands where it stands', async () => {
    await window.clearToasts();
    await askFor(window, TASK);
    await window.waitForToast(/Copied/);
    await window.clickToast('Explain');
    const place = await window.choose('1. Discount');
    equal(place, 'orders/discount.go:4');
    const frame = await window.frameWith('body:has-text("discount.go")', async () => {
      await window.run('Kenning: Explain Ranking');
      await window.choose('1. Discount');
    });
    const text = await frame.locator('body').innerText();
    holds(/rank/i.test(text) && /Discount/.test(text), text);
    await window.page.waitForTimeout(500);
    await window.shot('explain');
    await window.run('View: Close All Editors');
    await window.clearToasts();
  });
  await check('tasks of before and the selected text are offered', async () => {
    await window.run('Kenning: Copy Task Context');
    await window.waitForRow(TASK);
    await window.shot('history');
    await window.closeQuick();
    await window.openFile('discount.go');
    await window.goTo(3);
    await window.press('Shift+End');
    await window.run('Kenning: Copy Task Context');
    const row = await window.waitForRow('the selected text');
    holds(row.includes('Discount is a tenth of the price'), row);
    await window.closeQuick();
  });
}
