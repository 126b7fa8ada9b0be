/**
 * The panel with the picture of a blast radius. A window has at most one, in place of the code, so
 * that it has room; the code that it opens appears beside it.
 */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { BlastRadius, Location, LocatedSymbol } from '../protocol';
import type { Asks } from '../context/request';
import { messageOf } from '../server/errors';
import { fromPage, pictureOf } from './model';
import { page } from './page';

/** Maximum distance in hops for a picture that is requested from within a picture. */
const DEPTH = 6;

export class Pictures implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private blast: BlastRadius | undefined;

  constructor(
    private readonly extension: vscode.Uri,
    private readonly server: Asks,
  ) {}

  /** Shows a blast radius in the panel; opens the panel if necessary. */
  async show(blast: BlastRadius): Promise<void> {
    this.blast = blast;
    if (this.panel === undefined) {
      this.panel = this.open();
    } else {
      this.panel.reveal(undefined, false);
      await this.send();
    }
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private open(): vscode.WebviewPanel {
    const panel = vscode.window.createWebviewPanel(
      'kenning.blastRadius',
      'Blast Radius',
      { viewColumn: vscode.ViewColumn.Active, preserveFocus: false },
      {
        enableScripts: true,
        localResourceRoots: ['dist', 'media'].map((folder) => vscode.Uri.joinPath(this.extension, folder)),
      },
    );
    const icon = (theme: string): vscode.Uri =>
      vscode.Uri.joinPath(this.extension, 'media', `panel-${theme}.svg`);
    panel.iconPath = { light: icon('light'), dark: icon('dark') };
    panel.onDidDispose(() => {
      this.panel = undefined;
    });
    panel.webview.onDidReceiveMessage((message: unknown) => {
      void this.receive(message);
    });
    const file = (...parts: string[]): string =>
      panel.webview.asWebviewUri(vscode.Uri.joinPath(this.extension, ...parts)).toString();
    panel.webview.html = page({
      source: panel.webview.cspSource,
      script: file('dist', 'picture.js'),
      style: file('media', 'picture.css'),
      nonce: randomBytes(16).toString('hex'),
    });
    return panel;
  }

  private async send(): Promise<void> {
    if (this.panel !== undefined && this.blast !== undefined) {
      this.panel.title = `Blast Radius: ${this.blast.target.name}`;
      await this.panel.webview.postMessage(pictureOf(this.blast));
    }
  }

  private async receive(message: unknown): Promise<void> {
    const said = fromPage(message);
    if (said === undefined || this.blast === undefined) {
      return;
    }
    if (said.type === 'ready') {
      await this.send();
      return;
    }
    const symbol = symbolsOf(this.blast).find(({ id }) => id === said.id);
    if (symbol?.location === undefined) {
      return;
    }
    try {
      await (said.type === 'open' ? this.reveal(symbol.location) : this.centre(symbol, symbol.location));
    } catch (error) {
      void vscode.window.showErrorMessage(`Kenning: ${messageOf(error)}`);
    }
  }

  /** Opens the code in another group than that of the picture: in one with code, else beside it. */
  private async reveal({ uri, range }: Location): Promise<void> {
    const start = new vscode.Position(range.start.line, range.start.character);
    const columns = vscode.window.visibleTextEditors.map((editor) => editor.viewColumn);
    const other = columns.find((column) => column !== undefined && column !== this.panel?.viewColumn);
    await vscode.window.showTextDocument(vscode.Uri.parse(uri), {
      selection: new vscode.Range(start, start),
      viewColumn: other ?? vscode.ViewColumn.Beside,
    });
  }

  private async centre(symbol: LocatedSymbol, { uri }: Location): Promise<void> {
    const question = { symbol: symbol.id, textDocument: { uri }, depth: DEPTH };
    await this.show(await this.server.ask('kenning.blastRadius', question));
  }
}

function symbolsOf(blast: BlastRadius): LocatedSymbol[] {
  return [blast.target, ...blast.levels.flat(), ...blast.tests];
}
