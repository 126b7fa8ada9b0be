/**
 * Lets the user pick the base revision of a change. The branches come from VS Code's own git
 * extension.
 */
import * as vscode from 'vscode';

/** The part of the git extension's API (version 1) that Kenning uses. */
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
export interface ComparisonBase {
  base: string | undefined;
}

interface BaseItem extends vscode.QuickPickItem {
  base?: ComparisonBase;
}

/** Asks for a base. Returns `undefined` if the user cancels. */
export async function pickBase(
  folder: vscode.WorkspaceFolder | undefined,
  title: string,
): Promise<ComparisonBase | undefined> {
  const branches = folder === undefined ? undefined : await listBranches(folder.uri);
  if (branches === undefined) {
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
    ...branches.map((branch) => ({
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

async function inputBase(title: string): Promise<ComparisonBase | undefined> {
  const revision = await vscode.window.showInputBox({
    title,
    prompt: 'Branch, tag or commit to compare with. Leave empty for the default branch.',
    placeHolder: 'main',
  });
  if (revision === undefined) {
    return undefined;
  }
  return { base: revision.trim() === '' ? undefined : revision.trim() };
}

/**
 * Returns the branches with the most recent commit first, or `undefined` if the git extension
 * cannot answer.
 */
async function listBranches(folder: vscode.Uri): Promise<{ name: string; commit: string }[] | undefined> {
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  if (extension === undefined) {
    return undefined;
  }
  try {
    const git = (await extension.activate()).getAPI(1);
    const repository = git.getRepository(folder) ?? (await git.openRepository?.(folder)) ?? undefined;
    const branches = await repository?.getBranches({ remote: true, sort: 'committerdate' });
    return branches?.flatMap(({ name, commit }) =>
      name === undefined ? [] : [{ name, commit: commit?.slice(0, 8) ?? '' }],
    );
  } catch {
    // The git extension is disabled or absent; the user can still type a revision.
    return undefined;
  }
}
