/**
 * Virtual documents: read-only texts that the extension shows in an editor, such as packs and
 * explanations. They are lost when the window closes.
 */
import * as vscode from 'vscode';
import type { PackFormat } from './protocol';

const SCHEME = 'kenning';

/**
 * Maximum number of stored documents. The oldest document is removed first, and its editor then
 * shows a notice.
 */
const MAX_DOCUMENTS = 20;

const EXTENSIONS: Record<PackFormat, string> = {
  markdown: 'md',
  xml: 'xml',
  json: 'json',
  gcf: 'gcf',
  gcb: 'txt',
};

export class VirtualDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly registration: vscode.Disposable;
  private counter = 0;

  constructor() {
    this.registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? 'This text has expired. Run the command again.\n';
  }

  /**
   * Shows a text: Markdown rendered, other formats in a text editor. Returns the name of its
   * document, which is part of the title of the editor.
   */
  async show(title: string, text: string, format: PackFormat): Promise<string> {
    this.counter += 1;
    const name = title.replace(/[^\p{L}\p{N} ._-]+/gu, ' ').trim();
    const documentName = `${name.slice(0, 60).trim()}.${EXTENSIONS[format]}`;
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${this.counter}/${documentName}` });
    this.texts.set(uri.toString(), text);
    const [oldest] = this.texts.keys();
    if (this.texts.size > MAX_DOCUMENTS && oldest !== undefined) {
      this.texts.delete(oldest);
    }
    // VS Code lists the preview command only after its Markdown extension is active, so check for
    // the extension instead.
    const renderer = vscode.extensions.getExtension('vscode.markdown-language-features');
    if (format === 'markdown' && renderer !== undefined) {
      await vscode.commands.executeCommand('markdown.showPreview', uri);
    } else {
      await vscode.window.showTextDocument(uri, { preview: true });
    }
    return documentName;
  }

  dispose(): void {
    this.registration.dispose();
  }
}
