/**
 * **Kenning: Search**, and the commands behind the key bindings of its quick pick.
 */
import * as vscode from 'vscode';
import { registerCommand, reportError } from '../commands/register';
import { pickPosition } from '../documentPosition';
import type { ExtensionParts } from '../parts';
import { SearchPicker } from './searchPicker';

/** The context key that enables the key bindings of the search. */
const CONTEXT_KEY = 'kenning.searching';

export function registerSearchCommands(parts: ExtensionParts): void {
  let open: SearchPicker | undefined;
  const setOpen = (picker: SearchPicker | undefined): void => {
    open = picker;
    void vscode.commands.executeCommand('setContext', CONTEXT_KEY, picker !== undefined);
  };
  const run = (act: (picker: SearchPicker) => void) => () => {
    if (open !== undefined) {
      act(open);
    }
    return Promise.resolve();
  };
  registerCommand(parts, 'kenning.searchWorkspace', async (_, query) => {
    const position = await pickPosition();
    if (position === undefined) {
      return;
    }
    const picker = new SearchPicker(
      parts.connection,
      position.textDocument,
      (error) => {
        reportError(parts, error);
      },
      () => {
        // A newer search may have replaced this one.
        if (open === picker) {
          setOpen(undefined);
        }
      },
    );
    setOpen(picker);
    picker.open(typeof query === 'string' ? query : selectedWords());
  });
  registerCommand(
    parts,
    'kenning.search.nextScope',
    run((picker) => {
      picker.selectNextScope();
    }),
  );
  registerCommand(
    parts,
    'kenning.search.nextMode',
    run((picker) => {
      picker.selectNextMode();
    }),
  );
  registerCommand(
    parts,
    'kenning.search.openBeside',
    run((picker) => {
      void picker.openBeside();
    }),
  );
}

/** Returns the text selected in the editor, if it is within one line. */
function selectedWords(editor = vscode.window.activeTextEditor): string {
  return editor?.selection.isSingleLine === true ? editor.document.getText(editor.selection).trim() : '';
}
