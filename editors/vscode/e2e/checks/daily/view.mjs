// The Task Context view: groups, opening, feedback, pins, removing and packing again.
import { equal, holds } from '../../lib/report.mjs';
import { askFor } from './context.mjs';

export async function viewChecks({ window, check, kenning }) {
  const action = (row, title) => row.locator(`.action-label[aria-label="${title}"]`);
  const some = async (pattern) => (await window.tree()).some((row) => pattern.test(row));
  // The rows are made anew after each change, also under the pointer: a click that hit an old one is made again.
  const press = async (text, title, done) => {
    await window.until(`the effect of ${title} on ${text}`, async () => {
      const row = window.treeRow(text);
      await row.hover({ timeout: 3000 });
      await action(row, title).click({ timeout: 3000 });
      await window.until('the effect', done, 5000);
      return true;
    });
  };

  await check('the view lists the pack in its groups, and opens a symbol', async () => {
    await window.clearToasts();
    await askFor(window, 'give a discount for many apples');
    await window.waitForToast(/Copied/);
    await window.run('Kenning: Focus on Task Context View');
    const rows = await window.until('the tree', async () => {
      const tree = await window.tree();
      return tree.some((row) => /Target/.test(row)) && tree;
    });
    holds(/Target/.test(rows[0]) && /Discount/.test(rows[1]), rows);
    await window.treeRow('Discount').click();
    await window.until('the file', async () =>
      (await window.tabs()).some((tab) => tab.includes('discount.go')),
    );
    await window.clearToasts();
    await window.shot('view');
  });
  await check('a thumb is kept by the server', async () => {
    await press('TestDiscount', 'Useful', () => some(/TestDiscount[^]*useful/));
    const kept = kenning('debug', 'feedback');
    holds(/TestDiscount/.test(kept), kept);
    await press('Total', 'Not Useful', () => some(/not useful/));
    await window.shot('thumbs');
  });
  await check('what is pinned comes first and what is removed is gone after packing again', async () => {
    const first = await window.clipboard();
    holds(first.includes('`Total`'), first);
    await press('Shelf.Count', 'Pin', () => some(/Shelf\.Count[^]*pinned/));
    await press('Total', 'Remove', () => some(/Removed/));
    await window.shot('pinned');
    await window.run('Kenning: Re-pack');
    await window.waitForToast(/Copied/);
    const again = await window.until('the new pack', async () => {
      const text = await window.clipboard();
      return text !== first && text;
    });
    const names = [...again.matchAll(/^- `[^`]+` `([^`]+)`/gm)].map((match) => match[1]);
    equal(names[0], 'Shelf.Count', 'the first symbol');
    holds(!names.includes('Total'), names);
    await window.clearToasts();
    await window.shot('repacked');
  });
  await check('a removed symbol comes back, and Copy Again copies the same text', async () => {
    const text = await window.clipboard();
    await window.clearClipboard();
    await window.run('Kenning: Copy Again');
    await window.until('the text', async () => (await window.clipboard()) === text);
    await window.treeRow('Removed').click();
    await press('Total', 'Restore', async () => !(await some(/Removed/)));
    await window.run('Kenning: Clear Task Context');
    await window.until('the welcome', async () =>
      (await window.texts('.part.sidebar .welcome-view-content')).some((t) => /Which code matters/.test(t)),
    );
    await window.shot('welcome');
  });
}
