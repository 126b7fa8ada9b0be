/**
 * The **Pack** view, which shows the last pack in groups and by file.
 */
import * as vscode from 'vscode';
import type { CopiedPack, ContextStore } from '../context/store';
import { requestTitle } from '../context/request';
import { countSymbols, describeSize } from '../context/size';
import { folderOf } from '../documentPosition';
import { formatCount, formatNumber } from '../words';
import { SYMBOL_ICONS } from './icons';
import {
  describeDetail,
  describeRank,
  groupByFile,
  groupSymbols,
  splitName,
  wrapSignature,
  type FileRow,
  type Row,
  type SymbolRow,
} from './items';

export class TaskContextView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly view: vscode.TreeView<Row>;
  private readonly watch: vscode.Disposable;

  constructor(private readonly store: ContextStore) {
    this.view = vscode.window.createTreeView('kenning.taskContext.view', { treeDataProvider: this });
    this.watch = store.onChange(() => {
      this.refresh();
    });
  }

  getChildren(row?: Row): Row[] {
    const current = this.store.current;
    if (row === undefined) {
      const removed = this.store.removed;
      const shown: Row[] = current === undefined ? [] : groupSymbols(current.pack.symbols);
      // The removed symbols come first, because a pack is longer than the view.
      return removed.length === 0 ? shown : [{ row: 'removed-group', removed }, ...shown];
    }
    switch (row.row) {
      case 'group':
        return groupByFile(row);
      case 'file':
        return row.symbols.map((symbol) => ({ row: 'symbol', symbol }));
      case 'removed-group':
        return row.removed.map((symbol) => ({ row: 'removed', symbol }));
      default:
        return [];
    }
  }

  getTreeItem(row: Row): vscode.TreeItem {
    switch (row.row) {
      case 'group': {
        const item = new vscode.TreeItem(row.label, vscode.TreeItemCollapsibleState.Expanded);
        item.description = formatCount(countSymbols(row.symbols), 'symbol');
        item.contextValue = 'group';
        return item;
      }
      case 'file':
        return fileItem(row);
      case 'removed-group': {
        const item = new vscode.TreeItem('Removed', vscode.TreeItemCollapsibleState.Collapsed);
        item.description = formatCount(row.removed.length, 'symbol');
        return item;
      }
      case 'removed': {
        const { own, container } = splitName(row.symbol);
        const item = new vscode.TreeItem(own);
        item.description = joinParts(container, `${row.symbol.file}:${row.symbol.line}`);
        item.iconPath = new vscode.ThemeIcon('circle-slash');
        item.contextValue = 'removed';
        return item;
      }
      case 'symbol':
        return this.symbolItem(row);
    }
  }

  dispose(): void {
    this.watch.dispose();
    this.view.dispose();
    this.changes.dispose();
  }

  private symbolItem(row: SymbolRow): vscode.TreeItem {
    const { symbol } = row;
    const pinned = this.store.isPinned(symbol.id);
    const feedback = this.store.feedbackOn(symbol.id);
    const marks = [pinned ? 'pinned' : '', feedback === undefined ? '' : feedback ? 'useful' : 'not useful'];
    const { own, container } = splitName(symbol);
    const item = new vscode.TreeItem(own);
    // The marks come first, because the end is cut off in a narrow view.
    item.description = joinParts(...marks, describeDetail(symbol), container);
    item.iconPath = new vscode.ThemeIcon(pinned ? 'pinned' : (SYMBOL_ICONS[symbol.kind] ?? 'symbol-misc'));
    item.tooltip = buildTooltip(row);
    item.contextValue = this.contextValue(pinned, feedback);
    item.accessibilityInformation = {
      label: [
        `${symbol.name}, ${symbol.kind}, ${describeDetail(symbol)}, ${symbol.file} line ${symbol.line}`,
        ...marks,
      ].join(' '),
    };
    item.command = { command: 'kenning.context.open', title: 'Open', arguments: [row] };
    return item;
  }

  /**
   * Returns the words that select the menu entries of a row, such as `symbol task pinned learning`.
   */
  private contextValue(pinned: boolean, feedback: boolean | undefined): string {
    const current = this.store.current;
    const words = ['symbol'];
    if (current?.request.kind === 'task') {
      words.push('task', pinned ? 'pinned' : 'unpinned');
    }
    if (current?.acceptsFeedback === true && feedback === undefined) {
      words.push('learning');
    }
    return words.join(' ');
  }

  private refresh(): void {
    const current = this.store.current;
    // An undefined message would leave the previous one visible.
    this.view.message = current === undefined ? '' : describePack(current, this.store);
    void vscode.commands.executeCommand('setContext', 'kenning.hasContext', current !== undefined);
    void vscode.commands.executeCommand('setContext', 'kenning.contextIsStale', this.store.isStale);
    this.changes.fire(undefined);
  }
}

/** Returns the message above the tree. */
function describePack({ request, pack }: CopiedPack, store: ContextStore): string {
  if (store.isStale) {
    return 'Re-pack to apply your pins and removals.';
  }
  if (pack.statement !== undefined) {
    return pack.statement;
  }
  const title = requestTitle(request);
  const size = `${describeSize(pack)} of ${formatNumber(pack.budget)}`;
  // Show the confidence only if it is not high.
  const isDoubtful = pack.confidence !== undefined && pack.confidence !== 'high';
  return isDoubtful ? `${title}: ${size}, ${pack.confidence} confidence` : `${title}: ${size}`;
}

function fileItem({ file, symbols }: FileRow): vscode.TreeItem {
  const end = file.lastIndexOf('/');
  const item = new vscode.TreeItem(file.slice(end + 1), vscode.TreeItemCollapsibleState.Expanded);
  const folder = file.slice(0, Math.max(end, 0));
  const count = countSymbols(symbols);
  item.description = joinParts(folder, count > 1 ? formatCount(count, 'symbol') : '');
  item.iconPath = vscode.ThemeIcon.File;
  item.tooltip = file;
  item.contextValue = 'file';
  return item;
}

/** Joins the parts that are not empty with dots. */
function joinParts(...parts: string[]): string {
  return parts.filter((part) => part !== '').join(' · ');
}

function buildTooltip(row: SymbolRow): vscode.MarkdownString {
  const { signature, doc } = row.symbol;
  const text = new vscode.MarkdownString();
  if (signature !== undefined && signature !== '') {
    text.appendCodeblock(wrapSignature(signature), '');
  }
  if (doc !== undefined && doc !== '') {
    text.appendText(doc);
    text.appendMarkdown('\n\n');
  }
  text.appendText(describeRank(row));
  text.appendMarkdown('\n\n');
  text.appendText(`${row.symbol.file}:${row.symbol.line}`);
  return text;
}

/** Returns the file of a symbol, or `undefined` if no folder is open. */
export function fileOf(current: CopiedPack, file: string): vscode.Uri | undefined {
  const { request } = current;
  const documentPosition =
    request.kind === 'files' ? firstFilePosition(request.uris) : request.documentPosition;
  const folder = folderOf(documentPosition);
  return folder === undefined ? undefined : vscode.Uri.joinPath(folder.uri, file);
}

function firstFilePosition(uris: string[]): { textDocument?: { uri: string } } {
  const [uri] = uris;
  return uri === undefined ? {} : { textDocument: { uri } };
}
