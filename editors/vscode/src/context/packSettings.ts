/**
 * The budget and the format of packs, as the input for a task shows and changes them.
 */
import * as vscode from 'vscode';
import type { PackFormat } from '../protocol';
import { formatCount, formatNumber } from '../words';

const BUDGET = 'pack.budget';
const FORMAT = 'context.format';

/** Budgets to choose from, in tokens. */
const BUDGETS = [2_000, 4_000, 8_000, 16_000, 32_000];

/** A format with the description that the manifest of the extension has. */
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
 * Returns the budget of the next pack. A setting of the editor counts first; without one, the server
 * may have another from `kenning.toml`, which the last pack shows.
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
    await store(BUDGET, picked.budget);
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
    await store(FORMAT, picked.label);
  }
}

/** Stores a setting where it is set already, or else for the user. */
async function store(name: string, value: unknown): Promise<void> {
  const settings = vscode.workspace.getConfiguration('kenning');
  const isOfWorkspace = settings.inspect(name)?.workspaceValue !== undefined;
  const target = isOfWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await settings.update(name, value, target);
}
