// Checks Search: hits while typing, their order, the preview, and how hits are opened.
import fs from 'node:fs';
import path from 'node:path';
import { equal, assertTrue, until, untilEqual } from '../lib/wait.mjs';
import { makeLarge } from '../lib/workspace.mjs';

/** A query with one clear best hit, `format_price` in `reports/prices.py`. */
const QUERY = 'format a price with its currency';
/** The file in the editor before the search, and the cursor's line, from 1. */
const FILE = 'stock/shelf.go';
const LINE = 20;

/** Opens the quick pick and types a query. */
async function startSearch(window, query) {
  await window.startCommand('kenning.searchWorkspace');
  await window.quick.waitForTitle('Kenning: Search (All, Hybrid)');
  await window.quick.fill(query);
}

/** Returns the labels and the positions of the rows: `price_of reports/prices.py:11`. */
function shownHits(window) {
  return window.page.$$eval('.quick-input-widget .quick-input-list .monaco-list-row', (rows) =>
    rows
      .toSorted((a, b) => Number(a.dataset.index) - Number(b.dataset.index))
      .map((row) => {
        const text = (selector) => row.querySelector(selector)?.innerText.replace(/\u00a0/g, ' ') ?? '';
        // The name of the better hit that led to this hit may follow the position.
        const [position] = text('.label-description').split(' · ');
        return `${text('.label-name')} ${position}`;
      }),
  );
}

/** Returns the same texts for the hits that the command line prints. */
function printedHits(kenning, folder, ...flags) {
  const args = ['search', '--root', folder, '--refresh', 'never', '--json', '--max-results', '50', ...flags];
  const { hits } = JSON.parse(kenning(...args));
  return hits.map(({ name, file, line }) => `${name} ${line === undefined ? file : `${file}:${line}`}`);
}

/** Waits until the rows on the screen are the first of these hits, and returns the rows. */
function waitForHits(window, expected) {
  return until('the hits', async () => {
    const shown = await shownHits(window);
    equal(shown, expected.slice(0, shown.length), 'the hits');
    return shown.length > 0 && shown;
  });
}

/**
 * Returns the state of the active editor group: the file, the cursor, the first visible line and
 * the tabs. Also returns the number of groups.
 */
function readEditors(window) {
  return window.host.call((vscode) => {
    const editor = vscode.window.activeTextEditor;
    const tabs = vscode.window.tabGroups.activeTabGroup.tabs.map(
      (tab) => `${tab.label}${tab.isPreview ? ' (preview)' : ''}${tab.isActive ? ' (active)' : ''}`,
    );
    const visible = editor?.visibleRanges[0];
    return {
      file: editor?.document.uri.path.split('/').at(-1),
      cursor: editor?.selection.active.line,
      top: visible?.start.line,
      tabs,
      groups: vscode.window.tabGroups.all.length,
    };
  });
}

/** Waits until the preview tab shows a file in which the text is highlighted. */
function waitForPreview(window, file, text) {
  return until(`the preview of ${text}`, async () => {
    const { tabs } = await readEditors(window);
    assertTrue(tabs.includes(`${file} (preview) (active)`), tabs);
    const isHighlighted = await window.page.evaluate((text) => {
      const lines = [...document.querySelectorAll('.part.editor .view-line')];
      const line = lines.find((element) => element.innerText.replace(/\u00a0/g, ' ').includes(text));
      const top = line?.getBoundingClientRect().top;
      // Decorations of the editor that span whole lines, at the same height as the text.
      const marks = [...document.querySelectorAll('.part.editor .view-overlays [class*="ced-"]')];
      return marks.some((mark) => Math.abs(mark.getBoundingClientRect().top - top) < 2);
    }, text);
    return isHighlighted || Promise.reject(new Error(`${text} is not highlighted`));
  });
}

export const checks = [
  {
    name: 'search: hits appear in the order of `kenning search`, and Escape brings back the editor',
    history: true,
    async run({ window, folder, kenning }) {
      await window.openFile(path.join(folder, FILE), LINE);
      const before = await until('a settled editor', async () => {
        const state = await readEditors(window);
        return state.cursor === LINE - 1 && state;
      });
      await startSearch(window, QUERY);
      const hits = await waitForHits(window, printedHits(kenning, folder, QUERY));
      equal(hits[0], 'format_price reports/prices.py:16', 'the best hit');
      await waitForPreview(window, 'prices.py', 'def format_price');
      await window.screenshot('search');
      // The focus stays in the quick input, so the arrow key moves in its list.
      const fileOf = (hit) => path.basename(hit.split(' ').at(-1)).replace(/:\d+$/, '');
      const other = hits.findIndex((hit) => fileOf(hit) !== 'prices.py');
      for (let presses = 0; presses < other; presses += 1) {
        await window.quick.input.press('ArrowDown');
      }
      const file = fileOf(hits[other]);
      await until(`the preview of ${file}`, async () =>
        (await readEditors(window)).tabs.includes(`${file} (preview) (active)`),
      );
      // The workbench itself would sort these hits by the position of the word in the name.
      await window.quick.fill('price');
      await waitForHits(window, printedHits(kenning, folder, 'price'));
      await window.quick.close();
      await untilEqual('the editors', () => readEditors(window), before);
      return `${hits.length} hits`;
    },
  },
  {
    name: 'search: Escape also brings back the file in the preview tab, scrolled as before',
    async run({ window, folder }) {
      const file = path.join(folder, 'notes.txt');
      fs.writeFileSync(file, Array.from({ length: 300 }, (_, number) => `note ${number}`).join('\n'));
      await window.openFile(file, 120);
      await window.host.call((vscode) => {
        const top = new vscode.Range(100, 0, 100, 0);
        vscode.window.activeTextEditor.revealRange(top, vscode.TextEditorRevealType.AtTop);
      });
      const before = await until('a scrolled editor', async () => {
        const state = await readEditors(window);
        return state.top === 100 && state;
      });
      equal(before.tabs, ['notes.txt (preview) (active)'], 'the tabs');
      await startSearch(window, QUERY);
      await waitForPreview(window, 'prices.py', 'def format_price');
      await window.quick.close();
      await untilEqual('the editors', () => readEditors(window), before);
    },
  },
  {
    name: 'search: Enter opens the hit, also before the answer has arrived',
    file: FILE,
    async run({ window }) {
      await startSearch(window, QUERY);
      await window.quick.accept();
      const opened = { file: 'prices.py', cursor: 15 };
      const read = async () => {
        const { file, cursor } = await readEditors(window);
        return { file, cursor };
      };
      await untilEqual('the opened hit', read, opened);
      await startSearch(window, 'Shelf');
      await window.quick.waitForRow('stock/shelf.go:7');
      await window.quick.accept();
      await untilEqual('the opened type', read, { file: 'shelf.go', cursor: 6 });
      const { tabs } = await readEditors(window);
      assertTrue(tabs.includes('prices.py'), tabs);
    },
  },
  {
    name: 'search: a button and a key open the hit to the side, and the editor stays as it was',
    file: FILE,
    async run({ window }) {
      const left = () =>
        window.host.call((vscode) => vscode.window.tabGroups.all[0].tabs.map((tab) => tab.label).join());
      const right = () =>
        window.host.call((vscode) => vscode.window.tabGroups.all[1]?.tabs.map((tab) => tab.label).join());
      await startSearch(window, QUERY);
      await waitForPreview(window, 'prices.py', 'def format_price');
      await window.quick.input.press('Control+Backslash');
      await untilEqual('the editors at the right', right, 'prices.py');
      equal(await left(), 'shelf.go', 'the editors at the left');
      await window.command('workbench.action.focusFirstEditorGroup');
      await startSearch(window, 'Discount');
      const row = window.page.locator('.quick-input-widget .monaco-list-row', { hasText: 'discount.go:4' });
      await row.hover();
      await row.locator('.action-label[aria-label^="Open to the Side"]').click();
      await untilEqual('the editors at the right', right, 'prices.py,discount.go');
      equal(await left(), 'shelf.go', 'the editors at the left');
    },
  },
  {
    name: 'search: buttons and keys select the scope and the mode',
    file: FILE,
    history: true,
    async run({ window, folder, kenning }) {
      await startSearch(window, 'prices');
      await window.page.locator('.quick-input-widget .action-label[aria-label="Scope: Files"]').click();
      await window.quick.waitForTitle('(Files, Hybrid)');
      await waitForHits(window, printedHits(kenning, folder, '--scope', 'files', 'prices'));
      await window.quick.input.press('Control+Alt+m');
      await window.quick.waitForTitle('(Files, Keyword)');
      await waitForHits(
        window,
        printedHits(kenning, folder, '--scope', 'files', '--mode', 'keyword', 'prices'),
      );
      await window.quick.input.press('Control+Alt+s');
      await window.quick.waitForTitle('(Notes and tasks, Keyword)');
      await window.quick.input.press('Control+Alt+s');
      await window.quick.waitForTitle('(All, Keyword)');
      await window.quick.input.press('Control+Alt+s');
      await window.quick.waitForTitle('(Code, Keyword)');
      await waitForHits(
        window,
        printedHits(kenning, folder, '--scope', 'code', '--mode', 'keyword', 'prices'),
      );
      await window.quick.close();
    },
  },
  {
    name: 'search: an empty answer says so, and the selected text is the query',
    async run({ window, folder }) {
      await window.openFile(path.join(folder, 'orders/discount.go'), 4, 6);
      await window.command('cursorWordEndRightSelect');
      await window.startCommand('kenning.searchWorkspace');
      await window.quick.waitForRow('orders/discount.go:4');
      equal(await window.quick.input.inputValue(), 'Discount', 'the query');
      await window.quick.fill('zzzqx');
      await window.quick.waitForRow('Nothing in this workspace matches.');
      await window.quick.accept();
      // Until the session has read the commits, the row also contains the heading that says so.
      const rows = (await window.quick.rows()).map((row) => row.split('\n')[0]);
      equal(rows, ['Nothing in this workspace matches.'], 'the rows');
      await window.quick.close();
    },
  },
  {
    name: 'search: while the workspace is indexed the list says so, and is completed later',
    make: (folder) => makeLarge(folder, 1500),
    indexed: false,
    async run({ window }) {
      await startSearch(window, 'step_700_3');
      const row = await window.quick.waitForRow('Indexing: ');
      await window.quick.waitForRow('part0/module700.py');
      await until('the note to disappear', async () =>
        (await window.quick.rows()).every((row) => !row.includes('Indexing: ')),
      );
      await window.quick.close();
      return row.trim().split('\n').at(-1);
    },
  },
];
