// Kenning: Copy Task Context: how it is reached, its message, and what it has in common with the command line.
import { equal, holds, until } from '../lib/wait.mjs';

export const TASK = 'give a discount for many apples';

/** What was learned weighs in, and the command line knows nothing of it: without learning both give the same bytes. */
const NO_LEARNING = { 'kenning.context.learning': false };

/** Asks for the context of a task in the box that the command opens. */
async function answer(window, task) {
  await window.quick.waitForTitle('Copy Task Context');
  await window.quick.fill(task);
  await window.quick.waitForRow('this task');
  await window.quick.accept();
  return window.waitForToast(/Copied/);
}

/**
 * Copies until the copied text says nothing of its freshness, and returns it: what the watchers of the window report may come late,
 * and an answer that is given meanwhile says that the disk is being looked at.
 */
export function copySettled(window, copy) {
  return until('a context of a settled index', async () => {
    await copy();
    const copied = await window.clipboard();
    return copied.includes('> Freshness:') ? Promise.reject(new Error(copied.slice(0, 200))) : copied;
  });
}

export const checks = [
  {
    name: 'pack: Copy Task Context copies what `kenning pack` prints, byte for byte',
    settings: NO_LEARNING,
    history: true,
    async run({ window, folder, kenning }) {
      const flags = ['--root', folder, '--refresh', 'never', '--no-learning', '--format', 'markdown'];
      const copied = await copySettled(window, async () => {
        await window.clearToasts();
        await window.begin('kenning.copyTaskContext');
        const toast = await answer(window, TASK);
        holds(/Copied \d+ symbols, [\d,]+ tokens/.test(toast), toast);
      });
      equal(copied, kenning('pack', ...flags, TASK), 'the copied text');
      holds(copied.startsWith(`# Context: ${TASK}`) && copied.includes('`Discount`'), copied);
      await window.shot('copied');
      return `${Buffer.byteLength(copied)} bytes`;
    },
  },
  {
    name: 'pack: the palette and the key both ask for a task',
    file: 'orders/discount.go',
    async run({ window }) {
      await window.command('workbench.action.quickOpen', '>Kenning: Copy Task');
      await window.quick.waitForRow('Kenning: Copy Task Context');
      await window.quick.accept();
      await answer(window, TASK);
      await window.clearToasts();
      await window.command('workbench.action.focusActiveEditorGroup');
      await window.page
        .locator('.part.editor .editor-instance textarea, .part.editor .native-edit-context')
        .first()
        .press('Control+Alt+k');
      await answer(window, 'sell pears');
      holds((await window.clipboard()).startsWith('# Context: sell pears'), await window.clipboard());
    },
  },
  {
    name: 'webview: the message of a copied pack opens a preview',
    async run({ window }) {
      await window.begin('kenning.copyTaskContext', TASK);
      await window.waitForToast(/Copied/);
      await window.clickToast('Open Preview');
      const frame = await window.frameWith('h1:has-text("Context:")');
      holds((await frame.locator('h1').innerText()).includes(TASK), 'the title of the preview');
      await window.shot('preview');
    },
  },
  {
    name: 'webview: Explain says why a symbol ranks where it does',
    async run({ window }) {
      await window.begin('kenning.copyTaskContext', TASK);
      await window.waitForToast(/Copied/);
      await window.clickToast('Explain');
      equal(await window.quick.choose('1. Discount'), 'orders/discount.go:4');
      const frame = await window.frameWith('body:has-text("discount.go")');
      const text = await frame.locator('body').innerText();
      holds(/rank/i.test(text) && /Discount/.test(text), text);
      await window.shot('explain');
    },
  },
  {
    name: 'pack: earlier tasks and the selected text are offered',
    async run({ window, folder }) {
      await window.command('kenning.copyTaskContext', TASK);
      await window.begin('kenning.copyTaskContext');
      await window.quick.waitForRow(TASK);
      await window.shot('history');
      await window.quick.close();
      await window.openFile(`${folder}/orders/discount.go`, 3);
      await window.command('cursorEndSelect');
      await window.begin('kenning.copyTaskContext');
      const row = await window.quick.waitForRow('selected text');
      holds(row.includes('Discount is a tenth of the price'), row);
    },
  },
];
