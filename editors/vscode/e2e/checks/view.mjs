// The Task Context view: groups, opening, feedback, pins, removing and packing again.
import { actUntil, equal, holds, until } from '../lib/wait.mjs';
import { TASK } from './context.mjs';

/** Copies the context of the task, and shows the view with its rows. */
async function showView(window) {
  await window.command('kenning.copyTaskContext', TASK);
  await window.command('kenning.taskContext.view.focus');
  return window.waitForTree('the rows of the pack', (rows) => rows.some((row) => /Discount/.test(row)));
}

/** Uses the pointer on a row until that has its effect. */
function useRow(window, text, what, click, hasEffect) {
  const act = async () => {
    const row = await window.treeRow(text);
    await row.hover({ timeout: 3000 });
    await click(row);
  };
  return actUntil(`the effect of ${what} on ${text}`, act, hasEffect);
}

function press(window, text, title, holds) {
  const click = (row) => row.locator(`.action-label[aria-label="${title}"]`).click({ timeout: 3000 });
  return useRow(window, text, title, click, async () => holds((await window.tree()).join('\n')));
}

export const checks = [
  {
    name: 'view: it lists the pack in groups, and opens a symbol',
    async run({ window }) {
      const rows = await showView(window);
      holds(/Target/.test(rows[0]) && /Discount/.test(rows[1]), rows);
      const isOpen = async () => (await window.tabs()).some((tab) => tab.includes('discount.go'));
      await useRow(window, 'Discount', 'a click', (row) => row.click({ timeout: 3000 }), isOpen);
      await window.clearToasts();
      await window.shot('view');
    },
  },
  {
    name: 'view: the server keeps a thumb',
    async run({ window, kenning }) {
      await showView(window);
      await press(window, 'TestDiscount', 'Useful', (rows) => /TestDiscount.*\buseful/.test(rows));
      const kept = kenning('debug', 'feedback');
      holds(/TestDiscount/.test(kept), kept);
      await press(window, 'Total', 'Not Useful', (rows) => /Total.*not useful/.test(rows));
      await window.shot('thumbs');
    },
  },
  {
    name: 'view: after packing again a pinned symbol is first and a removed one is gone',
    async run({ window }) {
      await showView(window);
      const first = await window.clipboard();
      holds(first.includes('`Total`'), first);
      await press(window, 'Shelf.Count', 'Pin', (rows) => /Shelf\.Count.*pinned/.test(rows));
      await press(window, 'Total', 'Remove', (rows) => /Removed/.test(rows));
      await window.shot('pinned');
      await window.command('kenning.context.repack');
      const again = await window.clipboard();
      const names = [...again.matchAll(/^- `[^`]+` `([^`]+)`/gm)].map((match) => match[1]);
      equal(names[0], 'Shelf.Count', 'the first symbol');
      holds(!names.includes('Total'), names);
      await window.shot('repacked');
    },
  },
  {
    name: 'view: a removed symbol comes back, and Clear empties the view',
    async run({ window }) {
      await showView(window);
      await press(window, 'Total', 'Remove', (rows) => /Removed/.test(rows));
      await window.command('kenning.context.repack');
      const isExpanded = async () => (await window.tree()).join('\n').split('Removed')[1].includes('Total');
      await useRow(window, 'Removed', 'a click', (row) => row.click({ timeout: 3000 }), isExpanded);
      await press(window, 'Total', 'Restore', (rows) => !/Removed/.test(rows));
      await window.command('kenning.context.clear');
      const texts = () => window.texts('.part.sidebar .welcome-view-content');
      await until('the welcome', async () => (await texts()).some((text) => /Which code matters/.test(text)));
      await window.shot('welcome');
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
