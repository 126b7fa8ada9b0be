/**
 * Shows a hit in a preview editor without moving the focus, and restores the editors afterwards.
 */
import * as vscode from 'vscode';
import type { SearchHit } from '../protocol';

/** The location of a hit in the editor. */
export interface HitLocation {
  uri: vscode.Uri;
  /** The range of the name. */
  name: vscode.Range;
  /** The lines of the symbol; `undefined` for a file. */
  lines: vscode.Range | undefined;
}

/** The state of the active editor group before the first preview. */
interface EditorState {
  editor: vscode.TextEditor | undefined;
  column: vscode.ViewColumn;
  selections: readonly vscode.Selection[];
  /** The first visible line. */
  top: vscode.Range | undefined;
  /** The files of all tabs of the group. */
  files: Set<string>;
  /** The file in the preview tab, which a preview replaces. */
  previewed: vscode.Uri | undefined;
}

/** Returns the location of a hit. Throws an error if the server has none. */
export function locateHit({ file, name, line, end_line, location }: SearchHit): HitLocation {
  if (location === undefined) {
    throw new Error(`${name} cannot be opened, because ${file} has changed. Search again.`);
  }
  const { start, end } = location.range;
  return {
    uri: vscode.Uri.parse(location.uri),
    name: new vscode.Range(start.line, start.character, end.line, end.character),
    lines: line === undefined ? undefined : new vscode.Range(line - 1, 0, (end_line ?? line) - 1, 0),
  };
}

/** Previews hits in the active editor group. */
export class HitPreview implements vscode.Disposable {
  private readonly highlight = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
    isWholeLine: true,
  });
  private readonly before = readEditorState();
  private readonly shown = new Set<string>();
  private highlighted: vscode.TextEditor | undefined;
  private wanted: HitLocation | undefined;
  private running: Promise<void> = Promise.resolve();
  private isRunning = false;

  /** Shows a hit. Skips a hit if another hit supersedes it before it appears. */
  show(location: HitLocation): void {
    this.wanted = location;
    if (!this.isRunning) {
      this.isRunning = true;
      this.running = this.showWanted().finally(() => {
        this.isRunning = false;
      });
    }
  }

  /** Waits for the last preview and removes the highlight. Keeps the editor. */
  async finish(): Promise<void> {
    this.wanted = undefined;
    await this.running;
    this.highlighted?.setDecorations(this.highlight, []);
    this.highlighted = undefined;
  }

  /** Restores the editor that was active, with its selections and its scroll position. */
  async restore(): Promise<void> {
    await this.finish();
    if (this.shown.size === 0) {
      return;
    }
    const { editor, column, selections, top, previewed } = this.before;
    if (previewed !== undefined) {
      // Replace the tab of the preview. Closing that tab first could close the group.
      await vscode.window.showTextDocument(previewed, {
        viewColumn: column,
        preview: true,
        preserveFocus: true,
      });
    }
    await vscode.window.tabGroups.close(this.openedTabs(), true);
    if (editor === undefined) {
      return;
    }
    const isPreview = previewed?.toString() === editor.document.uri.toString();
    const restored = await vscode.window.showTextDocument(editor.document, {
      viewColumn: column,
      preview: isPreview,
    });
    restored.selections = selections;
    if (top !== undefined) {
      restored.revealRange(top, vscode.TextEditorRevealType.AtTop);
    }
  }

  dispose(): void {
    this.highlight.dispose();
  }

  /** Returns the open tabs that the previews opened. */
  private openedTabs(): vscode.Tab[] {
    const { column, files } = this.before;
    const group = vscode.window.tabGroups.all.find(({ viewColumn }) => viewColumn === column);
    return (group?.tabs ?? []).filter((tab) => {
      const file = fileOfTab(tab)?.toString();
      return tab.isPreview && file !== undefined && this.shown.has(file) && !files.has(file);
    });
  }

  private async showWanted(): Promise<void> {
    for (let location = this.wanted; location !== undefined; location = this.wanted) {
      this.wanted = undefined;
      await this.reveal(location);
    }
  }

  private async reveal({ uri, name, lines }: HitLocation): Promise<void> {
    this.highlighted?.setDecorations(this.highlight, []);
    this.highlighted = undefined;
    const options = { viewColumn: this.before.column, preview: true, preserveFocus: true };
    let editor: vscode.TextEditor;
    try {
      editor = await vscode.window.showTextDocument(uri, options);
    } catch {
      // The file was deleted or is not text. Opening the hit reports the reason.
      return;
    }
    this.shown.add(uri.toString());
    editor.setDecorations(this.highlight, lines === undefined ? [] : [lines]);
    editor.revealRange(name, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    this.highlighted = editor;
  }
}

function readEditorState(): EditorState {
  const group = vscode.window.tabGroups.activeTabGroup;
  const active = vscode.window.activeTextEditor;
  const editor = active?.viewColumn === group.viewColumn ? active : undefined;
  const [visible] = editor?.visibleRanges ?? [];
  const preview = group.tabs.find((tab) => tab.isPreview);
  return {
    editor,
    column: group.viewColumn,
    selections: editor?.selections ?? [],
    top: visible && new vscode.Range(visible.start, visible.start),
    files: new Set(group.tabs.flatMap((tab) => fileOfTab(tab)?.toString() ?? [])),
    previewed: preview && fileOfTab(preview),
  };
}

function fileOfTab(tab: vscode.Tab): vscode.Uri | undefined {
  return tab.input instanceof vscode.TabInputText ? tab.input.uri : undefined;
}
