// The blast radius in hovers.
import { until } from '../lib/wait.mjs';

/** The texts of the hovers at the start of `name`, which is in the active editor. */
function hoversAt(vscode, name) {
  const { document } = vscode.window.activeTextEditor;
  const at = document.positionAt(document.getText().indexOf(name));
  const read = (hovers) => hovers.flatMap(({ contents }) => contents.map(({ value }) => value)).join('\n');
  return vscode.commands.executeCommand('vscode.executeHoverProvider', document.uri, at).then(read);
}

/** Whether both servers answered: that of TypeScript says so while it is still loading the project. */
const hasBoth = (text) =>
  ['Blast radius', 'function cartTotal(lines: Line[])'].every((part) => text.includes(part)) &&
  !text.includes('(loading...)');

export const checks = [
  {
    name: 'hover: the blast radius stands beside the hover of another language server',
    file: 'web/cart.ts',
    async run({ window, folder }) {
      await until('the answers of both servers', async () =>
        hasBoth(await window.host.call(hoversAt, 'cartTotal')),
      );
      await window.openFile(`${folder}/web/cart.ts`, 8, 17);
      await until('both hovers on the screen', async () => {
        await window.command('editor.action.showHover');
        const text = (await window.hovers()).join('\n');
        return hasBoth(text) && text.includes('What the cart costs.')
          ? true
          : Promise.reject(new Error(text));
      });
      await window.shot('hover');
    },
  },
];
