// The picture of a blast radius, in light and dark, by keyboard.
import { equal, holds } from '../../lib/report.mjs';
import { writeSettings } from '../../lib/repository.mjs';

const FOCUS = '.node:focus';

export async function pictureChecks({ window, check, folder }) {
  const show = async () => {
    await window.goTo(4, 6);
    await window.run('Kenning: Show Blast Radius as a Picture');
  };

  await check('Show Blast Radius lists what depends on the symbol by hops', async () => {
    await window.goTo(4, 6);
    await window.run('Kenning: Show Blast Radius');
    await window.waitForRow('Show as a picture');
    const [title] = await window.quickTitle();
    holds(/Blast radius of Discount: 2 callers · 5 dependents · 2 tests/.test(title), title);
    await window.shot('blast-radius');
    await window.closeQuick();
  });
  await check('the picture shows the symbol in the middle and what depends on it around', async () => {
    await show();
    const frame = await window.frameWith('#picture svg .node.target', async () => {
      await window.openFile('discount.go');
      await show();
    });
    const names = await frame.locator('.node').evaluateAll((all) => all.map((one) => one.dataset.name));
    equal(names[0], 'Discount', 'the middle');
    equal(
      names.slice(1).sort(),
      ['Place', 'TestDiscount', 'TestPlaceTakesFromTheShelf', 'Total', 'main'].sort(),
    );
    equal(await frame.locator('.edge').count(), 5, 'lines');
    await window.page.waitForTimeout(500);
    await window.shot('picture-light');
  });
  await check('no style or script of the page is refused, and none comes from outside', async () => {
    const frame = await window.frameWith('#picture svg .node.target');
    const policy = await frame.locator('meta[http-equiv]').getAttribute('content');
    holds(/default-src 'none'/.test(policy) && !/unsafe/.test(policy), policy);
    const colour = await frame.locator('.node.target circle').evaluate((one) => getComputedStyle(one).fill);
    holds(colour !== 'rgb(0, 0, 0)', `the theme's colour, not ${colour}`);
  });
  await check('the keyboard moves through the picture and opens a symbol', async () => {
    const frame = await window.frameWith('#picture svg .node.target');
    const focused = () => frame.locator(FOCUS).getAttribute('data-name');
    await frame.locator('.node.target').focus();
    equal(await focused(), 'Discount');
    await window.press('ArrowDown');
    const first = await focused();
    await window.press('ArrowRight');
    const second = await focused();
    holds(first !== second && second !== 'Discount', [first, second]);
    await window.press('ArrowUp');
    equal(await focused(), 'Discount');
    await window.press('+');
    await window.press('0');
    await window.press('ArrowDown');
    const name = await focused();
    await window.press('Enter');
    const file = name === 'TestDiscount' ? 'order_test.go' : 'order.go';
    await window.until('the file', async () => (await window.tabs()).some((tab) => tab.includes(file)));
  });
  await check('the picture follows the theme', async () => {
    writeSettings(folder, { 'workbench.colorTheme': 'Default Dark Modern' });
    await window.until(
      'a dark workbench',
      async () => (await window.page.locator('.monaco-workbench.vs-dark').count()) > 0,
    );
    const frame = await window.frameWith('#picture svg .node.target');
    const dark = await window.until('a dark page', async () => {
      const colour = await frame.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);
      return /rgb\([1-6]?\d, [1-6]?\d, [1-6]?\d\)/.test(colour) && colour;
    });
    await window.page.waitForTimeout(500);
    await window.shot('picture-dark');
    writeSettings(folder, {});
    await window.until(
      'a light workbench',
      async () => (await window.page.locator('.monaco-workbench.vs-dark').count()) === 0,
    );
    return dark;
  });
}
