/**
 * The budget and the format of packs, which the input for a task shows and changes.
 */
import * as vscode from 'vscode';
import type { PackFormat } from '../protocol';
import { formatCount, formatNumber } from '../words';

const BUDGET = 'pack.budget';
const FORMAT = 'context.format';

/** Budgets to choose from, in tokens. */
const BUDGETS = [2_000, 4_000, 8_000, 16_000, 32_000];

/** A format, with its description from the manifest of the extension. */
export interface DescribedFormat {
  format: PackFormat;
  description: string;
}

/** Returns the formats that the manifest of the extension declares. */
export function readFormats(manifest: unknown): DescribedFormat[] {
  const { contributes } = manifest as { contributes: { configuration: { properties: object }[] } };
  const declared = contributes.configuration
    .flatMap(({ properties }) => Object.entries(properties))
    .find(([name]) => name === `kenning.${FORMAT}`)?.[1] as {
    enum: PackFormat[];
    enumDescriptions: string[];
  };
  return declared.enum.map((format, at) => ({ format, description: declared.enumDescriptions[at] ?? '' }));
}

/**
 * Returns the budget of the next pack. A setting in the editor takes precedence. Without one, the
 * server may read a budget from `kenning.toml`, which the last pack contains.
 */
function currentBudget(lastBudget: number | undefined): number {
  const settings = vscode.workspace.getConfiguration('kenning');
  const { globalValue, workspaceValue, workspaceFolderValue, defaultValue } =
    settings.inspect<number>(BUDGET) ?? {};
  return workspaceFolderValue ?? workspaceValue ?? globalValue ?? lastBudget ?? defaultValue ?? 0;
}

function currentFormat(): string {
  return vscode.workspace.getConfiguration('kenning').get<string>(FORMAT, 'markdown');
}

/** Describes the size and the format of the next pack: `up to 8,000 tokens, markdown`. */
export function describePackSettings(lastBudget: number | undefined): string {
  return `up to ${formatCount(currentBudget(lastBudget), 'token')}, ${currentFormat()}`;
}

/** Lets the user choose the budget of packs, and stores it in the settings. */
export async function pickBudget(lastBudget: number | undefined): Promise<void> {
  const current = currentBudget(lastBudget);
  const budgets = [...new Set([...BUDGETS, current])].sort((a, b) => a - b);
  const items = budgets.map((budget) => ({
    label: `${formatNumber(budget)} tokens`,
    description: budget === current ? 'current' : '',
    budget,
  }));
  const picked = await vscode.window.showQuickPick(items, { title: 'Kenning: Maximum size of a context' });
  if (picked !== undefined) {
    await storeSetting(BUDGET, picked.budget);
  }
}

/** Lets the user choose the format of packs, and stores it in the settings. */
export async function pickFormat(formats: DescribedFormat[]): Promise<void> {
  const current = currentFormat();
  const items = formats.map(({ format, description }) => ({
    label: format,
    description: format === current ? 'current' : '',
    detail: description,
  }));
  const picked = await vscode.window.showQuickPick(items, { title: 'Kenning: Format of a context' });
  if (picked !== undefined) {
    await storeSetting(FORMAT, picked.label);
  }
}

/** Stores a setting in the workspace if it is set there, or else for the user. */
async function storeSetting(name: string, value: unknown): Promise<void> {
  const settings = vscode.workspace.getConfiguration('kenning');
  const isSetInWorkspace = settings.inspect(name)?.workspaceValue !== undefined;
  const target = isSetInWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await settings.update(name, value, target);
}
