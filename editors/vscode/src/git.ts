/**
 * Picking the revision that a change is measured against: branches come from VS Code's own git extension.
 */
import * as vscode from 'vscode';

/** What is used of the git extension's interface (version 1). */
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

/** The revision to compare with; `base` is absent for the server's own choice. */
export interface Base {
  base: string | undefined;
}

interface BaseItem extends vscode.QuickPickItem {
  base?: Base;
}

/** Asks for a base; `undefined` when the person wants none. */
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
      description: "the remote's, else main or master",
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
  const picked = await vscode.window.showQuickPick(items, { title, placeHolder: 'Changed since ...' });
  return picked === other ? inputBase(title) : picked?.base;
}

async function inputBase(title: string): Promise<Base | undefined> {
  const typed = await vscode.window.showInputBox({
    title,
    prompt: 'Changed since which branch, tag or commit? Empty: the default branch.',
    placeHolder: 'main',
  });
  if (typed === undefined) {
    return undefined;
  }
  return { base: typed.trim() === '' ? undefined : typed.trim() };
}

/** The branches, the latest first; `undefined` where git cannot be asked. */
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
    // Git is switched off or absent: the person can still name a revision.
    return undefined;
  }
}
