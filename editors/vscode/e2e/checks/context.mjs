// Checks Copy Pack for a Task: how it is started, its message, and that its text equals the output of
// the command line.
import { repeatUntil, equal, assertTrue, until } from '../lib/wait.mjs';

export const TASK = 'give a discount for many apples';

/**
 * Disables learning, which affects packs in the session but not on the command line. Without it,
 * both return equal bytes.
 */
const NO_LEARNING = { 'kenning.context.learning': false };

/** Enters a task in the quick input that the command opens. */
async function enterTask(window, task, screenshot) {
  await window.quick.waitForTitle('Copy Pack for a Task');
  await window.quick.fill(task);
  await window.quick.waitForRow('this task');
  if (screenshot !== undefined) {
    await window.screenshot(screenshot);
  }
  await window.quick.accept();
  return window.waitForToast(/Copied/);
}

/**
 * Copies until the text has no note about freshness, and returns it. The window's file watchers may
 * report late, and an answer in the meantime notes that the disk is being checked.
 */
export function copyFreshContext(window, copy) {
  return until('a context without a note about freshness', async () => {
    await copy();
    const copied = await window.clipboard();
    return copied.includes('> Freshness:') ? Promise.reject(new Error(copied.slice(0, 200))) : copied;
  });
}

export const checks = [
  {
    name: 'pack: Copy Pack for a Task copies what `kenning pack` prints, byte for byte',
    settings: NO_LEARNING,
    history: true,
    async run({ window, folder, kenning }) {
      const flags = ['--root', folder, '--refresh', 'never', '--no-learning', '--format', 'markdown'];
      const copied = await copyFreshContext(window, async () => {
        await window.clearToasts();
        await window.startCommand('kenning.copyTaskContext');
        const toast = await enterTask(window, TASK, 'input');
        assertTrue(/Copied \d+ symbols, [\d,]+ tokens for "give a discount/.test(toast), toast);
      });
      equal(copied, kenning('pack', ...flags, TASK), 'the copied text');
      assertTrue(copied.startsWith(`# Context: ${TASK}`) && copied.includes('`Discount`'), copied);
      await window.screenshot('copied');
      return `${Buffer.byteLength(copied)} bytes`;
    },
  },
  {
    name: 'pack: the command palette and the key binding ask for a task',
    file: 'orders/discount.go',
    async run({ window }) {
      await window.command('workbench.action.quickOpen', '>Kenning: Copy Pack for a');
      await window.quick.waitForRow('Kenning: Copy Pack for a Task');
      await window.quick.accept();
      await enterTask(window, TASK);
      await window.clearToasts();
      await window.command('workbench.action.focusActiveEditorGroup');
      await window.page
        .locator('.part.editor .editor-instance textarea, .part.editor .native-edit-context')
        .first()
        .press('Control+Alt+k');
      await enterTask(window, 'sell pears');
      assertTrue((await window.clipboard()).startsWith('# Context: sell pears'), await window.clipboard());
    },
  },
  {
    name: 'webview: the message of a copied pack opens a preview',
    async run({ window }) {
      await window.startCommand('kenning.copyTaskContext', TASK);
      await window.waitForToast(/Copied/);
      await window.clickToast('Open Preview');
      const frame = await window.waitForFrame('h1:has-text("Context:")');
      assertTrue((await frame.locator('h1').innerText()).includes(TASK), 'the title of the preview');
      await window.screenshot('preview');
    },
  },
  {
    name: 'webview: Why This Rank shows why a symbol ranks where it does',
    async run({ window }) {
      await window.startCommand('kenning.copyTaskContext', TASK);
      await window.waitForToast(/Copied/);
      await window.clickToast('Why This Rank');
      equal(await window.quick.select('1. Discount'), 'orders/discount.go:4');
      const frame = await window.waitForFrame('body:has-text("discount.go")');
      const text = await frame.locator('body').innerText();
      assertTrue(/Ranked 1st of \d+ candidates because/.test(text) && /Discount/.test(text), text);
      assertTrue(!/bm25|\d\.\d{2}/.test(text), `no numbers: ${text}`);
      await window.screenshot('explain');
      const clickTitle = (title) =>
        window.page.locator(`.editor-actions .action-label[aria-label="${title}"]`).click({ timeout: 3000 });
      const hasNumbers = async () => {
        const preview = await window.waitForFrame('body:has-text("discount.go")');
        return /rank 1 of \d+ \(config \w+\)/.test(await preview.locator('body').innerText());
      };
      await repeatUntil('the numbers', () => clickTitle('Show Numbers'), hasNumbers);
      await window.screenshot('explain-numbers');
      const isHidden = async () => !(await hasNumbers());
      await repeatUntil('the sentences', () => clickTitle('Hide Numbers'), isHidden);
    },
  },
  {
    name: 'pack: the input shows the budget and the format, and its buttons change them',
    async run({ window }) {
      await window.startCommand('kenning.copyTaskContext');
      await window.quick.waitForTitle('up to 8,000 tokens, markdown');
      await window.quick.clickButton('Change the maximum size of the context');
      await window.quick.select('2,000 tokens');
      await window.quick.waitForTitle('up to 2,000 tokens, markdown');
      await window.quick.clickButton('Change the format of the context');
      await window.quick.select('xml');
      await window.quick.waitForTitle('up to 2,000 tokens, xml');
      await enterTask(window, TASK);
      const copied = await window.clipboard();
      assertTrue(/^<context tokens_used="\d+" token_budget="2000"/.test(copied), copied.slice(0, 200));
    },
  },
  {
    name: 'pack: the quick input lists earlier tasks and the selected text',
    async run({ window, folder }) {
      await window.command('kenning.copyTaskContext', TASK);
      await window.startCommand('kenning.copyTaskContext');
      await window.quick.waitForRow(TASK);
      await window.screenshot('history');
      await window.quick.close();
      await window.openFile(`${folder}/orders/discount.go`, 3);
      await window.command('cursorEndSelect');
      await window.startCommand('kenning.copyTaskContext');
      const row = await window.quick.waitForRow('selected text');
      assertTrue(row.includes('Discount is a tenth of the price'), row);
    },
  },
];
