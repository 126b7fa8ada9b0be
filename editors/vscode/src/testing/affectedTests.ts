/**
 * **Affected by your change** in the Testing view: the tests that reach the change, by file, with a
 * profile that runs them in a terminal. The list is filled when the view is opened, on its Refresh
 * button, by **Show Tests of the Change**, and with each new pack.
 */
import * as vscode from 'vscode';
import type { ContextStore, CopiedPack } from '../context/store';
import { documentInside, folderOf, servedFolders } from '../documentPosition';
import type { AffectedTest, AffectedTests } from '../protocol';
import type { Connection } from '../server/connection';
import { isCancelled, messageOf } from '../server/errors';
import { collectTests, describeCallPath, describeTest, groupTests } from './rows';
import { runInTerminal } from './terminal';

/** The tests of a folder, and the base of the change. */
interface FolderTests {
  folder: vscode.WorkspaceFolder;
  base: string | undefined;
  files: vscode.TestItem[];
}

/** The test behind an item. */
interface ListedTest {
  id: string;
  folder: vscode.WorkspaceFolder;
}

export class AffectedTestsView implements vscode.Disposable {
  private readonly controller: vscode.TestController;
  private readonly watch: vscode.Disposable;
  /** The last list of each folder, by the folder's URI. */
  private readonly lists = new Map<string, FolderTests>();
  private readonly tests = new WeakMap<vscode.TestItem, ListedTest>();
  private lastPack: CopiedPack | undefined;

  constructor(
    private readonly connection: Connection,
    private readonly store: ContextStore,
    private readonly report: (error: unknown) => void,
  ) {
    this.controller = vscode.tests.createTestController('kenning.affectedTests', 'Affected by your change');
    // VS Code asks for the first items without a user's command, so an error is only logged.
    this.controller.resolveHandler = async (item) => {
      if (item === undefined) await this.refreshQuietly(servedFolders());
    };
    this.controller.refreshHandler = async (token) => {
      try {
        await this.refresh(servedFolders(), token);
      } catch (error) {
        this.report(error);
      }
    };
    const run = async (request: vscode.TestRunRequest): Promise<void> => {
      try {
        await this.run(request);
      } catch (error) {
        this.report(error);
      }
    };
    this.controller.createRunProfile('Run in a Terminal', vscode.TestRunProfileKind.Run, run, true);
    this.watch = store.onChange(() => void this.followPack());
  }

  /** Lists the tests of an answer about the change since `base`. */
  fill(folder: vscode.WorkspaceFolder, base: string | undefined, { tests }: AffectedTests): void {
    const files = groupTests(tests).map(({ file, tests }, index) => {
      const label = servedFolders().length > 1 ? `${folder.name}/${file}` : file;
      const uri = vscode.Uri.joinPath(folder.uri, file);
      const item = this.controller.createTestItem(uri.toString(), label, uri);
      item.sortText = sortText(index);
      item.children.replace(tests.map((test, index) => this.createTest(folder, test, index)));
      return item;
    });
    this.lists.set(folder.uri.toString(), { folder, base, files });
    this.showLists();
  }

  /** Requests the tests of folders again, each for the change since its last base. */
  async refresh(folders: readonly vscode.WorkspaceFolder[], token?: vscode.CancellationToken): Promise<void> {
    for (const folder of folders) {
      const base = this.lists.get(folder.uri.toString())?.base;
      this.fill(folder, base, await this.request(folder, base, {}, token));
    }
    this.showLists();
  }

  dispose(): void {
    this.watch.dispose();
    this.controller.dispose();
  }

  private request(
    folder: vscode.WorkspaceFolder,
    base: string | undefined,
    more: { runOnly?: string[] },
    token?: vscode.CancellationToken,
  ): Promise<AffectedTests> {
    const change = base === undefined ? {} : { base };
    const argument = { ...change, ...more, textDocument: documentInside(folder) };
    return this.connection.ask('kenning.affectedTests', argument, token);
  }

  private createTest(folder: vscode.WorkspaceFolder, test: AffectedTest, index: number): vscode.TestItem {
    const { location } = test;
    const uri = location === undefined ? undefined : vscode.Uri.parse(location.uri);
    const item = this.controller.createTestItem(
      `${folder.uri.toString()}#${test.id}`,
      describeTest(test),
      uri,
    );
    if (location !== undefined) {
      const { start, end } = location.range;
      item.range = new vscode.Range(start.line, start.character, end.line, end.character);
    }
    item.description = describeCallPath(test);
    item.sortText = sortText(index);
    this.tests.set(item, { id: test.id, folder });
    return item;
  }

  /** Shows the lists of the folders that are open. */
  private showLists(): void {
    const isOpen = ({ folder }: FolderTests): boolean =>
      servedFolders().some(({ uri }) => uri.toString() === folder.uri.toString());
    const files = [...this.lists.values()].filter(isOpen).flatMap((list) => list.files);
    this.controller.items.replace(files);
  }

  /** Updates the lists after a new pack: with the base of a pack for a change, or if one is shown. */
  private async followPack(): Promise<void> {
    const { current } = this.store;
    if (current === this.lastPack) {
      return;
    }
    this.lastPack = current;
    if (current === undefined || current.request.kind === 'files') {
      return;
    }
    const { request } = current;
    const folder = folderOf(request.documentPosition);
    if (folder === undefined) {
      return;
    }
    const key = folder.uri.toString();
    if (request.kind === 'change') {
      this.lists.set(key, { folder, base: request.base, files: this.lists.get(key)?.files ?? [] });
    }
    if (this.lists.has(key)) {
      await this.refreshQuietly([folder]);
    }
  }

  private async refreshQuietly(folders: readonly vscode.WorkspaceFolder[]): Promise<void> {
    try {
      await this.refresh(folders);
    } catch (error) {
      if (!isCancelled(error)) {
        this.connection.log.info(`The affected tests were not listed: ${messageOf(error)}`);
      }
    }
  }

  /** Runs the tests of a request in a terminal for each folder. */
  private async run(request: vscode.TestRunRequest): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      throw new Error('Tests run only in a trusted workspace.');
    }
    const all: vscode.TestItem[] = [];
    this.controller.items.forEach((item) => all.push(item));
    const chosen = collectTests<vscode.TestItem>(request.include ?? all, request.exclude ?? []);
    const listed = chosen.flatMap((item) => this.tests.get(item) ?? []);
    let found = 0;
    for (const { folder, base } of this.lists.values()) {
      const isInside = (test: ListedTest): boolean => test.folder.uri.toString() === folder.uri.toString();
      const ids = listed.filter(isInside).map(({ id }) => id);
      const { commands } =
        ids.length === 0 ? { commands: [] } : await this.request(folder, base, { runOnly: ids });
      if (commands.length > 0) {
        runInTerminal(commands, folder);
      }
      found += commands.length;
    }
    if (found === 0) {
      throw new Error('No command is known that runs these tests, or they are no longer affected.');
    }
    // The results are in the terminal. Ending the run tells VS Code that none will follow.
    const run = this.controller.createTestRun(request, 'Affected tests', false);
    run.appendOutput('The tests run in the terminal "Kenning: affected tests".\r\n');
    run.end();
  }
}

/** Returns a text by which VS Code sorts items in their given order. */
function sortText(index: number): string {
  return String(index).padStart(6, '0');
}
