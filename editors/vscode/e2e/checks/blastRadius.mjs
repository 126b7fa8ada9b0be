// Checks the blast radius as a list and as a picture, its colors in light and dark themes, and its keyboard controls.
import { equal, assertTrue, until } from '../lib/wait.mjs';

const FILE = 'orders/discount.go';
const TARGET = '#picture svg .node.target';
const FOCUSED = '.node:focus';

/** Shows the picture of `Discount` and returns its frame. */
async function showPicture(window, folder) {
  await window.openFile(`${folder}/${FILE}`, 4, 6);
  await window.command('kenning.showBlastRadiusPicture');
  return window.waitForFrame(TARGET);
}

export const checks = [
  {
    name: 'blast radius: the list has the dependents of the symbol by hops',
    async run({ window, folder }) {
      await window.openFile(`${folder}/${FILE}`, 4, 6);
      await window.startCommand('kenning.showBlastRadius');
      await window.quick.waitForRow('Show as a picture');
      const title = await window.quick.title();
      assertTrue(/Blast radius of Discount: 2 callers · 5 dependents · 2 tests/.test(title), title);
      await window.screenshot('blast-radius');
    },
  },
  {
    name: 'webview: the picture has the symbol in the middle and its dependents around it',
    async run({ window, folder }) {
      const frame = await showPicture(window, folder);
      const names = await frame
        .locator('.node')
        .evaluateAll((nodes) => nodes.map((node) => node.dataset.name));
      equal(names[0], 'Discount', 'the middle');
      equal(
        names.slice(1).sort(),
        ['Place', 'TestDiscount', 'TestPlaceTakesFromTheShelf', 'Total', 'main'].sort(),
      );
      equal(await frame.locator('.edge').count(), 5, 'lines');
      await window.screenshot('picture-light');
    },
  },
  {
    name: 'webview: the policy of the picture allows only its own style and script',
    async run({ window, folder }) {
      const frame = await showPicture(window, folder);
      const policy = await frame.locator('meta[http-equiv]').getAttribute('content');
      assertTrue(/default-src 'none'/.test(policy) && !/unsafe/.test(policy), policy);
      const color = await frame
        .locator('.node.target circle')
        .evaluate((circle) => getComputedStyle(circle).fill);
      assertTrue(color !== 'rgb(0, 0, 0)', `expected a color of the theme, not ${color}`);
    },
  },
  {
    name: 'webview: the keyboard moves through the picture and opens a symbol',
    async run({ window, folder }) {
      const frame = await showPicture(window, folder);
      const focusedName = () => frame.locator(FOCUSED).getAttribute('data-name');
      const press = (key) => frame.locator(FOCUSED).press(key);
      await frame.locator('.node.target').focus();
      equal(await focusedName(), 'Discount');
      await press('ArrowDown');
      const first = await focusedName();
      await press('ArrowRight');
      const second = await focusedName();
      assertTrue(first !== second && second !== 'Discount', [first, second]);
      await press('ArrowUp');
      equal(await focusedName(), 'Discount');
      await press('+');
      await press('0');
      await press('ArrowDown');
      const name = await focusedName();
      await press('Enter');
      await window.waitForTab(name === 'TestDiscount' ? 'order_test.go' : 'order.go');
    },
  },
  {
    name: 'webview: the picture follows the theme',
    async run({ window, folder }) {
      const frame = await showPicture(window, folder);
      const background = () =>
        frame.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);
      const light = await background();
      await window.set('workbench.colorTheme', 'Default Dark Modern');
      const dark = await until('a dark page', async () => {
        const color = await background();
        return /rgb\([1-6]?\d, [1-6]?\d, [1-6]?\d\)/.test(color) && color;
      });
      await window.screenshot('picture-dark');
      return `${light}, then ${dark}`;
    },
  },
];
