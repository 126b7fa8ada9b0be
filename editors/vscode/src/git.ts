/**
 * Lets the user pick the base revision of a change. The branches come from VS Code's own git
 * extension.
 */
import * as vscode from 'vscode';

/** The part of the git extension's interface (version 1) that is used here. */
interface GitExtension {
  getAPI(version: 1): GitApi;
}

interface GitApi {
  getRepository(uri: vscode.Uri): Repository | null;
  openRepository?(root: vscode.Uri): Promise<Repository | null>;
}

interface Repository {
  state: { HEAD?: { name?: string } };
  getBranches(query: { remote?: boolean; sort?: 'alphabetically' | 'committerdate' }): Promise<Branch[]>;
}

interface Branch {
  name?: string;
  remote?: string;
  commit?: string;
}

/** The revision to compare with; `base` is undefined if the server should choose. */
export interface Base {
  base: string | undefined;
}

interface BaseItem extends vscode.QuickPickItem {
  base?: Base;
}

/** Asks for a base. Returns `undefined` if the user cancels. */
export async function pickBase(
  folder: vscode.WorkspaceFolder | undefined,
  title: string,
): Promise<Base | undefined> {
  const found = folder === undefined ? undefined : await branches(folder.uri);
  if (found === undefined) {
    return inputBase(title);
  }
  const other: BaseItem = { label: 'Another revision...', iconPath: new vscode.ThemeIcon('edit') };
  const items: BaseItem[] = [
    {
      label: 'Default branch',
      description: 'of the remote, otherwise main or master',
      iconPath: new vscode.ThemeIcon('git-merge'),
      base: { base: undefined },
    },
    ...found.map((branch) => ({
      label: branch.name,
      description: branch.commit,
      iconPath: new vscode.ThemeIcon('git-branch'),
      base: { base: branch.name },
    })),
    other,
  ];
  const picked = await vscode.window.showQuickPick(items, { title, placeHolder: 'Compare with' });
  return picked === other ? inputBase(title) : picked?.base;
}

async function inputBase(title: string): Promise<Base | undefined> {
  const typed = await vscode.window.showInputBox({
    title,
    prompt: 'Branch, tag or commit to compare with. Leave empty for the default branch.',
    placeHolder: 'main',
  });
  if (typed === undefined) {
    return undefined;
  }
  return { base: typed.trim() === '' ? undefined : typed.trim() };
}

/** Returns the branches, the latest first, or `undefined` if the git extension cannot answer. */
async function branches(folder: vscode.Uri): Promise<{ name: string; commit: string }[] | undefined> {
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  if (extension === undefined) {
    return undefined;
  }
  try {
    const git = (await extension.activate()).getAPI(1);
    const repository = git.getRepository(folder) ?? (await git.openRepository?.(folder)) ?? undefined;
    const found = await repository?.getBranches({ remote: true, sort: 'committerdate' });
    return found?.flatMap(({ name, commit }) =>
      name === undefined ? [] : [{ name, commit: commit?.slice(0, 8) ?? '' }],
    );
  } catch {
    // The git extension is disabled or absent; the user can still type a revision.
    return undefined;
  }
}
