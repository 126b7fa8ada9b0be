// Checks the blast radius as a tree and as a diagram: its numbers, colors, keyboard controls and
// readability at three sizes.
import { CROWDS, makeCrowd } from '../lib/workspace.mjs';
import { equal, assertTrue, until } from '../lib/wait.mjs';

const FILE = 'orders/discount.go';
const TARGET = '#diagram .node.target';
const FOCUSED = '.node:focus';

/** Shows the diagram of `Discount` and returns its frame. */
async function showDiagram(window, folder) {
  await window.openFile(`${folder}/${FILE}`, 4, 6);
  await window.command('kenning.showBlastRadiusDiagram');
  return window.waitForFrame(TARGET);
}

/**
 * Returns descriptions of the items of the diagram that overlap another item or leave their
 * surroundings. Runs in the page.
 */
function findMisplaced() {
  const boxOf = (element) => ({ element, rect: element.getBoundingClientRect() });
  const boxes = [...document.querySelectorAll('.stage > button')].map(boxOf);
  const stage = document.querySelector('.stage').getBoundingClientRect();
  const problems = [];
  for (const { element, rect } of boxes) {
    const label = element.querySelector('.label').getBoundingClientRect();
    const isInside = (inner, outer) => inner.left >= outer.left - 1 && inner.right <= outer.right + 1;
    if (
      !isInside(label, rect) ||
      !isInside(rect, stage) ||
      rect.top < stage.top ||
      rect.bottom > stage.bottom + 1
    ) {
      problems.push(`outside: ${element.innerText}`);
    }
  }
  const sorted = boxes.toSorted((a, b) => a.rect.left - b.rect.left || a.rect.top - b.rect.top);
  sorted.slice(1).forEach(({ element, rect }, index) => {
    const previous = sorted[index];
    if (previous.rect.right > rect.left && previous.rect.bottom > rect.top + 0.5) {
      problems.push(`overlap: ${previous.element.innerText}, ${element.innerText}`);
    }
  });
  return problems;
}

export const checks = [
  {
    name: 'blast radius: the command lists the users of the symbol by role and file',
    async run({ window, folder }) {
      await window.openFile(`${folder}/${FILE}`, 4, 6);
      await window.command('kenning.showBlastRadius');
      const rows = await window.waitForTree('the users', (found) => found.some((row) => /Total/.test(row)));
      assertTrue(/^Callers\s*2/.test(rows[0]) && rows.some((row) => /^Tests\s*2/.test(row)), rows);
      const headers = await window.texts('.part.sidebar .pane-header');
      assertTrue(
        headers.some((header) => /Users of Discount/i.test(header)),
        headers,
      );
      await window.screenshot('blast-radius');
    },
  },
  {
    name: 'blast radius: constants and types have users',
    async run({ window, folder }) {
      await window.openFile(`${folder}/reports/prices.py`, 3, 1);
      await window.command('kenning.showBlastRadius');
      const rows = await window.waitForTree('uses', (found) => found.some((row) => /apply_tax/.test(row)));
      assertTrue(/^Uses\s*1/.test(rows[0]), rows);
      await window.openFile(`${folder}/orders/order.go`, 7, 6);
      await window.command('kenning.showBlastRadius');
      await window.waitForTree('uses of a type', (found) => found.some((row) => /^~?\s*Place/.test(row)));
    },
  },
  {
    name: 'blast radius: a symbol without users has a sentence of the server',
    async run({ window, folder }) {
      await window.openFile(`${folder}/cmd/stall/main.go`, 1, 1);
      const location = await window.host.call(async (vscode) => {
        const { document } = vscode.window.activeTextEditor;
        const position = document.positionAt(document.getText().indexOf('func main') + 6);
        return {
          textDocument: { uri: document.uri.toString() },
          position: { line: position.line, character: position.character },
        };
      });
      await window.openFile(
        `${folder}/cmd/stall/main.go`,
        location.position.line + 1,
        location.position.character + 1,
      );
      await window.command('kenning.showBlastRadius');
      const message = await until('the sentence', async () =>
        (await window.texts('.part.sidebar .pane-body .message')).find((text) =>
          /^0 callers.*\. No users found\.$/.test(text),
        ),
      );
      await window.screenshot('no-users');
      return message;
    },
  },
  {
    name: 'webview: the diagram has the symbol and its dependents in columns by hop, with a list next to it',
    async run({ window, folder }) {
      const frame = await showDiagram(window, folder);
      const names = await frame
        .locator('.node')
        .evaluateAll((nodes) => nodes.map((node) => node.dataset.name));
      equal(names[0], 'Discount', 'the first node');
      const dependents = ['Place', 'TestDiscount', 'TestPlaceTakesFromTheShelf', 'Total', 'main'].sort();
      equal(names.slice(1).sort(), dependents);
      equal(await frame.locator('.edge').count(), 5, 'arrows');
      equal(await frame.locator('.edge[marker-end]').count(), 5, 'arrow heads');
      const headings = await frame.locator('.heading').allInnerTexts();
      assertTrue(/^Symbol$/.test(headings[0]) && /^1 hop\s*2$/.test(headings[1]), headings);
      const listed = await frame.locator('#list .label').allInnerTexts();
      equal(listed.toSorted(), dependents, 'the list');
      const legend = (await frame.locator('#legend li').allInnerTexts()).join();
      assertTrue(/resolved from imports/.test(legend) && !/language server/.test(legend), legend);
      await window.screenshot('diagram-light');
    },
  },
  {
    name: 'webview: the filter filters the list and the diagram',
    async run({ window, folder }) {
      const frame = await showDiagram(window, folder);
      await frame.locator('#filter').fill('TestPlace');
      await until('one row', async () => (await frame.locator('#list .row').count()) === 1);
      const names = await frame
        .locator('.node')
        .evaluateAll((nodes) => nodes.map((node) => node.dataset.name));
      equal(names, ['Discount', 'Total', 'Place', 'TestPlaceTakesFromTheShelf'], 'the path to the match');
      await frame.locator('#list .row').press('Enter');
      await window.waitForTab('order_test.go');
    },
  },
  {
    name: 'webview: diagrams of 10, 100 and 1,000 dependents are readable in both themes',
    make: makeCrowd,
    async run({ window, folder }) {
      const figures = [];
      for (const [index, crowd] of CROWDS.entries()) {
        await window.openFile(`${folder}/core/base.py`, 1 + index * 4, 6);
        await window.command('kenning.showBlastRadiusDiagram');
        const frame = await window.waitForFrame(TARGET);
        const targetName = () => frame.locator('.node.target').getAttribute('data-name');
        await until(`the diagram of ${crowd}`, async () => (await targetName()) === `used_by_${crowd}`);
        equal(await frame.locator('#list .row').count(), crowd, 'rows of the list');
        equal(await frame.evaluate(findMisplaced), [], `a diagram of ${crowd}`);
        const initialNodes = await frame.locator('.node').count();
        for (const theme of ['Default Light Modern', 'Default Dark Modern']) {
          await window.set('workbench.colorTheme', theme);
          const isDark = theme.includes('Dark');
          const color = () =>
            frame.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);
          await until(theme, async () => /rgb\([1-6]?\d,/.test(await color()) === isDark);
          await window.screenshot(`diagram-${crowd}-${isDark ? 'dark' : 'light'}`);
        }
        if (crowd > 10) {
          const more = frame.locator('#more');
          assertTrue(/^Show [\d,]+ more$/.test(await more.innerText()), await more.innerText());
          await more.click();
        }
        await until('all nodes', async () => (await frame.locator('.node').count()) === crowd + 1);
        equal(await frame.evaluate(findMisplaced), [], `an open diagram of ${crowd}`);
        await window.screenshot(`diagram-${crowd}-open`);
        figures.push(`${crowd}: ${initialNodes - 1} at the start`);
      }
      return figures.join(', ');
    },
  },
  {
    name: 'webview: the policy of the diagram allows only its own style and script',
    async run({ window, folder }) {
      const frame = await showDiagram(window, folder);
      const policy = await frame.locator('meta[http-equiv]').getAttribute('content');
      assertTrue(/default-src 'none'/.test(policy) && !/unsafe/.test(policy), policy);
      const color = await frame
        .locator('.node.target .dot')
        .evaluate((dot) => getComputedStyle(dot).backgroundColor);
      assertTrue(color !== 'rgba(0, 0, 0, 0)', `expected a color of the theme, not ${color}`);
    },
  },
  {
    name: 'webview: the keyboard moves through the diagram and opens a symbol',
    async run({ window, folder }) {
      const frame = await showDiagram(window, folder);
      const focusedName = () => frame.locator(FOCUSED).getAttribute('data-name');
      const press = (key) => frame.locator(FOCUSED).press(key);
      await frame.locator('.node.target').focus();
      equal(await focusedName(), 'Discount');
      await press('ArrowRight');
      const first = await focusedName();
      await press('ArrowDown');
      await press('ArrowUp');
      equal(await focusedName(), first);
      await press('ArrowLeft');
      equal(await focusedName(), 'Discount');
      await press('+');
      await press('0');
      await press('/');
      equal(await frame.evaluate(() => document.activeElement.id), 'filter');
      await frame.locator('.node.target').focus();
      await press('ArrowRight');
      const name = await focusedName();
      await press('Enter');
      await window.waitForTab(name === 'TestDiscount' ? 'order_test.go' : 'order.go');
    },
  },
  {
    name: 'webview: the diagram follows the theme',
    async run({ window, folder }) {
      const frame = await showDiagram(window, folder);
      const background = () =>
        frame.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);
      const light = await background();
      await window.set('workbench.colorTheme', 'Default Dark Modern');
      const dark = await until('a dark page', async () => {
        const color = await background();
        return /rgb\([1-6]?\d, [1-6]?\d, [1-6]?\d\)/.test(color) && color;
      });
      await window.screenshot('diagram-dark');
      return `${light}, then ${dark}`;
    },
  },
];
