/**
 * The panel with the diagram of a blast radius. A window has at most one. It opens over the code,
 * so that it has enough space, and opens code next to itself.
 */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { BlastRadius, Location, LocatedSymbol } from '../protocol';
import type { CommandServer } from '../context/request';
import { messageOf } from '../server/errors';
import { parsePageMessage, buildDiagram } from './model';
import { renderPage } from './page';

/** Maximum distance in hops of the dependents, for a symbol that the user centers in a diagram. */
const DEPTH = 6;

export class DiagramPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private blast: BlastRadius | undefined;

  constructor(
    private readonly extensionUri: vscode.Uri,
    private readonly server: CommandServer,
  ) {}

  /** Shows a blast radius in the panel; opens the panel if necessary. */
  async show(blast: BlastRadius): Promise<void> {
    this.blast = blast;
    if (this.panel === undefined) {
      this.panel = this.createPanel();
    } else {
      this.panel.reveal(undefined, false);
      await this.sendDiagram();
    }
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private createPanel(): vscode.WebviewPanel {
    const panel = vscode.window.createWebviewPanel(
      'kenning.blastRadius',
      'Blast radius',
      { viewColumn: vscode.ViewColumn.Active, preserveFocus: false },
      {
        enableScripts: true,
        localResourceRoots: ['dist', 'media'].map((folder) => vscode.Uri.joinPath(this.extensionUri, folder)),
      },
    );
    const icon = (theme: string): vscode.Uri =>
      vscode.Uri.joinPath(this.extensionUri, 'media', `panel-${theme}.svg`);
    panel.iconPath = { light: icon('light'), dark: icon('dark') };
    panel.onDidDispose(() => {
      this.panel = undefined;
    });
    panel.webview.onDidReceiveMessage((message: unknown) => {
      void this.handleMessage(message);
    });
    const file = (...parts: string[]): string =>
      panel.webview.asWebviewUri(vscode.Uri.joinPath(this.extensionUri, ...parts)).toString();
    panel.webview.html = renderPage({
      source: panel.webview.cspSource,
      script: file('dist', 'diagram.js'),
      style: file('media', 'diagram.css'),
      nonce: randomBytes(16).toString('hex'),
    });
    return panel;
  }

  private async sendDiagram(): Promise<void> {
    if (this.panel !== undefined && this.blast !== undefined) {
      this.panel.title = `Blast radius of ${this.blast.target.name}`;
      await this.panel.webview.postMessage(buildDiagram(this.blast));
    }
  }

  private async handleMessage(message: unknown): Promise<void> {
    const request = parsePageMessage(message);
    if (request === undefined || this.blast === undefined) {
      return;
    }
    if (request.type === 'ready') {
      await this.sendDiagram();
      return;
    }
    const symbol = symbolsOf(this.blast).find(({ id }) => id === request.id);
    if (symbol?.location === undefined) {
      return;
    }
    try {
      await (request.type === 'open'
        ? this.revealLocation(symbol.location)
        : this.showSymbol(symbol, symbol.location));
    } catch (error) {
      void vscode.window.showErrorMessage(`Kenning: ${messageOf(error)}`);
    }
  }

  /**
   * Opens code in an editor group that shows code already, or next to the diagram if there is none.
   */
  private async revealLocation({ uri, range }: Location): Promise<void> {
    const start = new vscode.Position(range.start.line, range.start.character);
    const columns = vscode.window.visibleTextEditors.map((editor) => editor.viewColumn);
    const codeColumn = columns.find((column) => column !== undefined && column !== this.panel?.viewColumn);
    await vscode.window.showTextDocument(vscode.Uri.parse(uri), {
      selection: new vscode.Range(start, start),
      viewColumn: codeColumn ?? vscode.ViewColumn.Beside,
    });
  }

  private async showSymbol(symbol: LocatedSymbol, { uri }: Location): Promise<void> {
    const argument = { symbol: symbol.id, textDocument: { uri }, depth: DEPTH };
    await this.show(await this.server.ask('kenning.blastRadius', argument));
  }
}

function symbolsOf(blast: BlastRadius): LocatedSymbol[] {
  return [blast.target, ...blast.levels.flat(), ...blast.tests];
}
