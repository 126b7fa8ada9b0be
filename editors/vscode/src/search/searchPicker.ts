/**
 * The quick pick of **Kenning: Search**: asks the server while the user types, shows the
 * hits in the server's order, and previews the highlighted hit.
 */
import * as vscode from 'vscode';
import type { CommandServer } from '../context/request';
import type { SearchAnswer, SearchHit, SearchScopeName, TextDocument } from '../protocol';
import { messageOf } from '../server/errors';
import { SYMBOL_ICONS } from '../views/icons';
import { HitPreview, locateHit } from './hitPreview';
import { LiveSearch } from './liveSearch';
import {
  describeHit,
  describeMissing,
  describeLocation,
  escapeIcons,
  MODES,
  nextKey,
  NOTHING_MATCHES,
  SCOPES,
  searchTitle,
  type SearchChoice,
} from './words';

/** Maximum number of requested hits. */
const MAX_HITS = 50;

/** Time for which a hit is highlighted before its preview opens, in milliseconds. */
const PREVIEW_DELAY_MS = 80;

interface HitItem extends vscode.QuickPickItem {
  hit?: SearchHit;
}

interface ScopeButton extends vscode.QuickInputButton {
  scope?: SearchScopeName;
}

const OPEN_BESIDE: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('split-horizontal'),
  tooltip: 'Open to the Side',
};

/** One run of the search. */
export class SearchPicker {
  // VS Code has the property `sortByLabel` without declaring it for extensions.
  private readonly input = vscode.window.createQuickPick<HitItem>() as vscode.QuickPick<HitItem> & {
    sortByLabel: boolean;
  };
  private readonly search: LiveSearch;
  private readonly preview = new HitPreview();
  private previewTimer: NodeJS.Timeout | undefined;
  private choice: SearchChoice = { scope: 'all', mode: 'hybrid' };
  private isAccepted = false;
  /** Whether to open the best hit of the next answer. */
  private opensBest = false;

  /**
   * Creates the quick pick. `document` is in the folder to search, if several folders are open.
   * `onProblem` reports an error to the user; `onHide` is called when the quick pick has
   * disappeared.
   */
  constructor(
    server: CommandServer,
    private readonly document: TextDocument | undefined,
    private readonly onProblem: (error: unknown) => void,
    private readonly onHide: () => void,
  ) {
    this.search = new LiveSearch(
      server,
      {
        onBusy: (busy) => {
          this.input.busy = busy;
        },
        onAnswer: (answer, isRepeated) => {
          this.showAnswer(answer, isRepeated);
        },
        onError: (error) => {
          this.showError(error);
        },
      },
      () => new vscode.CancellationTokenSource(),
    );
  }

  /** Opens the quick pick with a query. */
  open(query: string): void {
    const { input } = this;
    input.placeholder = 'Words, a name, or the name of a file';
    // The server ranks; VS Code must neither filter nor sort.
    input.sortByLabel = false;
    input.value = query;
    input.onDidChangeValue(() => {
      this.ask();
    });
    input.onDidChangeActive(([item]) => {
      this.schedulePreview(item?.hit);
    });
    input.onDidTriggerButton((button: ScopeButton) => {
      if (button.scope === undefined) {
        this.selectNextMode();
      } else {
        this.selectChoice({ ...this.choice, scope: button.scope });
      }
    });
    input.onDidTriggerItemButton(({ item }) => this.openHit(item.hit, vscode.ViewColumn.Beside));
    input.onDidAccept(() => this.accept());
    input.onDidHide(() => this.close());
    this.selectChoice(this.choice);
    input.show();
  }

  selectNextScope(): void {
    this.selectChoice({ ...this.choice, scope: nextKey(SCOPES, this.choice.scope) });
  }

  selectNextMode(): void {
    this.selectChoice({ ...this.choice, mode: nextKey(MODES, this.choice.mode) });
  }

  openBeside(): Promise<void> {
    return this.openHit(this.highlighted, vscode.ViewColumn.Beside);
  }

  private get highlighted(): SearchHit | undefined {
    return this.input.activeItems[0]?.hit;
  }

  /**
   * Opens the highlighted hit. A fast typist may accept before the answer to the last letters
   * arrives; in that case, opens the best hit of that answer.
   */
  private async accept(): Promise<void> {
    const [active] = this.input.activeItems;
    this.opensBest = this.search.isPending && (active === undefined || active === this.input.items[0]);
    if (!this.opensBest) {
      await this.openHit(active?.hit);
    }
  }

  /** Searches with this scope and mode. */
  private selectChoice(choice: SearchChoice): void {
    this.choice = choice;
    this.input.title = searchTitle(choice);
    this.input.buttons = choiceButtons(choice);
    this.ask();
  }

  private ask(): void {
    this.opensBest = false;
    const document = this.document === undefined ? {} : { textDocument: this.document };
    this.search.ask({ query: this.input.value, ...this.choice, maxResults: MAX_HITS, ...document });
  }

  private showAnswer(answer: SearchAnswer | undefined, isRepeated: boolean): void {
    const active = isRepeated ? hitKey(this.highlighted) : undefined;
    this.input.items = answer === undefined ? [] : answerItems(answer);
    if (this.opensBest) {
      this.opensBest = false;
      void this.openHit(answer?.hits[0]);
      return;
    }
    const same = this.input.items.find((item) => active !== undefined && hitKey(item.hit) === active);
    if (same !== undefined) {
      this.input.activeItems = [same];
    }
  }

  private showError(error: unknown): void {
    const label = escapeIcons(messageOf(error));
    this.input.items = [{ label, iconPath: new vscode.ThemeIcon('error'), alwaysShow: true }];
  }

  private schedulePreview(hit: SearchHit | undefined): void {
    clearTimeout(this.previewTimer);
    if (hit?.location !== undefined) {
      this.previewTimer = setTimeout(() => {
        this.preview.show(locateHit(hit));
      }, PREVIEW_DELAY_MS);
    }
  }

  /** Opens a hit in an editor, in the active column or beside it, and closes the quick pick. */
  private async openHit(hit: SearchHit | undefined, column = vscode.ViewColumn.Active): Promise<void> {
    if (hit === undefined) {
      return;
    }
    this.isAccepted = true;
    this.stop();
    this.input.hide();
    try {
      const { uri, name } = locateHit(hit);
      // If the hit opens beside the editor, the editor shows its former file again.
      await (column === vscode.ViewColumn.Beside ? this.preview.restore() : this.preview.finish());
      const selection = new vscode.Range(name.start, name.start);
      await vscode.window.showTextDocument(uri, { viewColumn: column, selection, preview: false });
    } catch (error) {
      this.onProblem(error);
    } finally {
      this.dispose();
    }
  }

  /** Ends the search when the quick pick has disappeared. */
  private async close(): Promise<void> {
    this.onHide();
    if (this.isAccepted) {
      return;
    }
    this.stop();
    try {
      await this.preview.restore();
    } catch (error) {
      this.onProblem(error);
    } finally {
      this.dispose();
    }
  }

  private stop(): void {
    clearTimeout(this.previewTimer);
    this.search.stop();
  }

  private dispose(): void {
    this.preview.dispose();
    this.input.dispose();
  }
}

/** Returns the buttons of all scopes, and the button of the next mode. */
function choiceButtons(choice: SearchChoice): ScopeButton[] {
  const scopes = Object.entries(SCOPES).map(([scope, { label, icon }]) => ({
    iconPath: new vscode.ThemeIcon(icon),
    tooltip: scope === choice.scope ? `Scope: ${label} (selected)` : `Scope: ${label}`,
    scope: scope as SearchScopeName,
  }));
  const mode = MODES[nextKey(MODES, choice.mode)];
  return [...scopes, { iconPath: new vscode.ThemeIcon(mode.icon), tooltip: `Mode: ${mode.label}` }];
}

/** Returns the items of an answer: a heading if it is incomplete, then its hits. */
function answerItems({ hits, freshness }: SearchAnswer): HitItem[] {
  const missing = describeMissing(freshness);
  const heading = { label: missing ?? '', kind: vscode.QuickPickItemKind.Separator };
  const rows = hits.length === 0 ? [{ label: NOTHING_MATCHES, alwaysShow: true }] : hits.map(hitItem);
  return missing === undefined ? rows : [heading, ...rows];
}

function hitItem(hit: SearchHit): HitItem {
  return {
    label: escapeIcons(hit.name),
    description: describeLocation(hit),
    detail: describeHit(hit),
    iconPath: new vscode.ThemeIcon(SYMBOL_ICONS[hit.kind] ?? 'symbol-misc'),
    buttons: [OPEN_BESIDE],
    alwaysShow: true,
    hit,
  };
}

/** Returns a key that identifies a hit across answers. */
function hitKey(hit: SearchHit | undefined): string | undefined {
  return hit && (hit.id ?? `file ${hit.file}`);
}
