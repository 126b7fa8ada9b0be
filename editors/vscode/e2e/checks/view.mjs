// Checks the Pack view: its groups, opening symbols, feedback, pins, removals and packing
// again.
import { repeatUntil, equal, assertTrue, until } from '../lib/wait.mjs';
import { TASK } from './context.mjs';

/** Copies the context of the task, shows the view and returns its rows. */
async function showView(window) {
  await window.command('kenning.copyTaskContext', TASK);
  await window.command('kenning.taskContext.view.focus');
  return window.waitForTree('the rows of the pack', (rows) => rows.some((row) => /Discount/.test(row)));
}

/** Clicks on the row with this text, or one of its buttons, until it has its effect. */
function clickRow(window, text, what, click, hasEffect) {
  const act = async () => {
    const row = await window.findTreeRow(text);
    await row.hover({ timeout: 3000 });
    await click(row);
  };
  return repeatUntil(`the effect of ${what} on ${text}`, act, hasEffect);
}

/** Clicks the button `title` of a row until the condition on the view's text is true. */
function clickButton(window, text, title, condition) {
  const click = (row) => row.locator(`.action-label[aria-label="${title}"]`).click({ timeout: 3000 });
  return clickRow(window, text, title, click, async () => condition((await window.treeRows()).join('\n')));
}

export const checks = [
  {
    name: 'view: the pack is listed in groups, and a click opens a symbol',
    async run({ window }) {
      const rows = await showView(window);
      assertTrue(/Change here/.test(rows[0]) && /^\s*discount\.go/.test(rows[1]), rows);
      assertTrue(/^\s*Discount\s*body/.test(rows[2]), rows);
      // The simple name of a method is the label, and its type is in the description.
      assertTrue(
        rows.some((row) => /^\s*Count\s*(body|signature).*Shelf/.test(row)),
        rows,
      );
      const isOpen = async () => (await window.tabs()).some((tab) => tab.includes('discount.go'));
      await clickRow(window, 'Discount', 'a click', (row) => row.click({ timeout: 3000 }), isOpen);
      await window.clearToasts();
      await window.screenshot('view');
      const tooltip = await until('the tooltip', async () => {
        // After the click the pointer is already on the row, and a tooltip needs a movement.
        await window.page.mouse.move(800, 500);
        await (await window.findTreeRow('Discount')).hover({ timeout: 3000 });
        await until('a tooltip', async () => (await window.hovers()).length > 0, 3000);
        const text = (await window.hovers()).join('\n');
        return /Rank 1/.test(text) && text;
      });
      assertTrue(/Rank 1: body, \d+ tokens/.test(tooltip) && !/bm25/.test(tooltip), tooltip);
      await window.screenshot('view-hover');
    },
  },
  {
    name: 'view: the server stores feedback',
    async run({ window, kenning }) {
      await showView(window);
      await clickButton(window, 'Place', 'Useful', (rows) => /Place\s*useful · body/.test(rows));
      const feedback = kenning('debug', 'feedback');
      assertTrue(/Place/.test(feedback), feedback);
      await clickButton(window, 'Total', 'Not Useful', (rows) => /Total.*not useful/.test(rows));
      await window.screenshot('feedback');
    },
  },
  {
    name: 'view: packing again puts a pinned symbol first and omits a removed one',
    async run({ window }) {
      await showView(window);
      const first = await window.clipboard();
      assertTrue(first.includes('`Total`'), first);
      await clickButton(window, 'Count', 'Pin', (rows) => /Count\s*pinned · \w+ · Shelf/.test(rows));
      await clickButton(window, 'Total', 'Remove', (rows) => /Removed/.test(rows));
      await window.screenshot('pinned');
      await window.command('kenning.context.repack');
      const repacked = await window.clipboard();
      const names = [...repacked.matchAll(/^- `[^`]+` `([^`]+)`/gm)].map((match) => match[1]);
      equal(names[0], 'Shelf.Count', 'the first symbol');
      assertTrue(!names.includes('Total'), names);
      await window.screenshot('repacked');
    },
  },
  {
    name: 'view: a removed symbol can be restored, and Clear empties the view',
    async run({ window }) {
      await showView(window);
      await clickButton(window, 'Total', 'Remove', (rows) => /Removed/.test(rows));
      await window.command('kenning.context.repack');
      const isExpanded = async () =>
        (await window.treeRows()).join('\n').split('Removed')[1].includes('Total');
      await clickRow(window, 'Removed', 'a click', (row) => row.click({ timeout: 3000 }), isExpanded);
      await clickButton(window, 'Total', 'Restore', (rows) => !/Removed/.test(rows));
      await window.command('kenning.context.clear');
      const texts = () => window.texts('.part.sidebar .welcome-view-content');
      await until('the welcome text', async () =>
        (await texts()).some((text) => /Which code matters/.test(text)),
      );
      await window.screenshot('welcome');
    },
  },
  {
    name: 'view: Copy Again copies the same text',
    async run({ window }) {
      await showView(window);
      const text = await window.clipboard();
      await window.clearClipboard();
      await window.command('kenning.context.copyAgain');
      equal(await window.clipboard(), text, 'the copied text');
    },
  },
];
