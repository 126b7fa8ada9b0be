// Checks the blast radius in hovers.
import { until } from '../lib/wait.mjs';

/**
 * Returns the texts of the hovers at the start of `name` in the active editor. Runs in the
 * extension host.
 */
function readHovers(vscode, name) {
  const { document } = vscode.window.activeTextEditor;
  const position = document.positionAt(document.getText().indexOf(name));
  const read = (hovers) => hovers.flatMap(({ contents }) => contents.map(({ value }) => value)).join('\n');
  return vscode.commands.executeCommand('vscode.executeHoverProvider', document.uri, position).then(read);
}

/**
 * Whether the text has the hovers of both servers. The hover of TypeScript says "loading" until the
 * project is loaded.
 */
const hasBothHovers = (text) =>
  ['Blast radius', 'function cartTotal(lines: Line[])'].every((part) => text.includes(part)) &&
  !text.includes('(loading...)');

/** The task in the screenshot of the README. */
const OVERVIEW_TASK = 'apply a reduced tax to books';

export const checks = [
  {
    name: 'hover: the blast radius is next to the hover of another language server',
    file: 'web/cart.ts',
    async run({ window, folder }) {
      await until('the answers of both servers', async () =>
        hasBothHovers(await window.host.call(readHovers, 'cartTotal')),
      );
      await window.openFile(`${folder}/web/cart.ts`, 8, 17);
      await until('both hovers on the screen', async () => {
        await window.command('editor.action.showHover');
        const text = (await window.hovers()).join('\n');
        return hasBothHovers(text) && text.includes('Returns the total of the cart.')
          ? true
          : Promise.reject(new Error(text));
      });
      await window.screenshot('hover');
    },
  },
  {
    name: 'hover: a pack, lenses and a hover are on one screen',
    file: 'reports/prices.py',
    async run({ window, folder }) {
      await window.command('kenning.copyTaskContext', OVERVIEW_TASK);
      await window.command('kenning.taskContext.view.focus');
      await window.waitForTree('the rows of the pack', (rows) => rows.some((row) => /apply_tax/.test(row)));
      await window.openFile(`${folder}/reports/prices.py`, 6, 5);
      await window.waitForLens('3 callers · 11 dependents · 4 tests');
      await window.clearToasts();
      await until('the hover', async () => {
        await window.command('editor.action.showHover');
        return (await window.hovers()).join('\n').includes('Blast radius');
      });
      await window.screenshot('overview');
    },
  },
];
