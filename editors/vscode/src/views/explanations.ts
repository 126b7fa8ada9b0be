/**
 * Explanations of ranks in an editor: in sentences, or with the numbers of every stage. Buttons in
 * the title of the editor switch between the two.
 */
import * as vscode from 'vscode';
import { explanationArgument, type ExplainedSymbol, type ExplanationForm } from '../context/explanation';
import type { CommandServer } from '../context/request';
import type { VirtualDocuments } from '../virtualDocuments';

/** The context key that chooses the button: the form in the active editor, or else empty. */
const CONTEXT_KEY = 'kenning.explanation';

interface ShownExplanation {
  symbol: ExplainedSymbol;
  form: ExplanationForm;
  /** The name of its document, which the title of the editor contains. */
  documentName: string;
}

/** Shows explanations, and keeps the context key up to date. */
export class Explanations implements vscode.Disposable {
  private last: ShownExplanation | undefined;
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly server: CommandServer,
    private readonly documents: VirtualDocuments,
  ) {
    const update = (): void => {
      this.updateContext();
    };
    const { tabGroups } = vscode.window;
    this.subscriptions = [tabGroups.onDidChangeTabs(update), tabGroups.onDidChangeTabGroups(update)];
  }

  /** The symbol whose explanation the active editor shows. */
  get active(): ExplainedSymbol | undefined {
    return this.findActive()?.symbol;
  }

  async show(symbol: ExplainedSymbol, form: ExplanationForm): Promise<void> {
    const explanation = await this.server.ask('kenning.explain', explanationArgument(symbol, form));
    const title = `Why ${symbol.name}`;
    const documentName = await this.documents.show(title, explanation.text ?? '', 'markdown');
    this.last = { symbol, form, documentName };
    this.updateContext();
  }

  dispose(): void {
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
  }

  private findActive(): ShownExplanation | undefined {
    const label = vscode.window.tabGroups.activeTabGroup.activeTab?.label;
    return this.last !== undefined && label?.includes(this.last.documentName) === true
      ? this.last
      : undefined;
  }

  private updateContext(): void {
    void vscode.commands.executeCommand('setContext', CONTEXT_KEY, this.findActive()?.form ?? '');
  }
}
