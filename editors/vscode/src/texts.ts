/**
 * Texts that the extension shows in an editor: packs and explanations, read-only and gone with the window.
 */
import * as vscode from 'vscode';
import type { PackFormat } from './protocol';

const SCHEME = 'kenning';

/** Texts that are kept; an older one is gone when its editor is opened again. */
const MAX_TEXTS = 20;

const EXTENSIONS: Record<PackFormat, string> = { markdown: 'md', xml: 'xml', json: 'json' };

export class Texts implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly registration: vscode.Disposable;
  private counter = 0;

  constructor() {
    this.registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? 'This text is no longer kept. Ask for it again.\n';
  }

  /** Shows a text: Markdown rendered, the other forms as they are. */
  async show(title: string, text: string, format: PackFormat): Promise<void> {
    this.counter += 1;
    const name = title.replace(/[^\p{L}\p{N} ._-]+/gu, ' ').trim();
    const path = `/${this.counter}/${name.slice(0, 60).trim()}.${EXTENSIONS[format]}`;
    const uri = vscode.Uri.from({ scheme: SCHEME, path });
    this.texts.set(uri.toString(), text);
    const [oldest] = this.texts.keys();
    if (this.texts.size > MAX_TEXTS && oldest !== undefined) {
      this.texts.delete(oldest);
    }
    // The command itself is listed only after VS Code's Markdown extension was needed once.
    const renderer = vscode.extensions.getExtension('vscode.markdown-language-features');
    if (format === 'markdown' && renderer !== undefined) {
      await vscode.commands.executeCommand('markdown.showPreview', uri);
    } else {
      await vscode.window.showTextDocument(uri, { preview: true });
    }
  }

  dispose(): void {
    this.registration.dispose();
  }
}
