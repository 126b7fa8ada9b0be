/**
 * Turns the inputs of the language model tools into commands of the server. A model may send
 * anything, so every field is checked, and a mistake is explained to the model.
 */
import { isRecord } from '../commands/arguments';
import type { CommandArgument } from '../commandTypes';
import type { TextDocument } from '../protocol';

/** The largest pack that a tool returns without asking the user, in tokens. */
export const LARGE_BUDGET = 32_000;

/** Maximum length of what a message says that a tool is about, in characters. */
const MAX_LABEL = 60;

/** A command of the server that answers a tool. */
export type ToolRequest =
  | { command: 'kenning.taskContext'; argument: CommandArgument<'kenning.taskContext'> }
  | { command: 'kenning.fileContext'; argument: CommandArgument<'kenning.fileContext'> }
  | { command: 'kenning.changeContext'; argument: CommandArgument<'kenning.changeContext'> }
  | { command: 'kenning.blastRadius'; argument: CommandArgument<'kenning.blastRadius'> }
  | { command: 'kenning.affectedTests'; argument: CommandArgument<'kenning.affectedTests'> };

/** The folder that a tool is about. */
export interface ToolFolder {
  /** A document that selects the folder; absent if only one folder is open. */
  textDocument?: TextDocument;
  /** Returns the URI of a file, from its absolute path or its path in the folder. */
  uriOf: (file: string) => string;
  /** Returns the column at which the text of a line begins; both from 0. */
  indentOf: (uri: string, line: number) => Promise<number>;
}

/** Thrown if the arguments of a tool do not fit; the message tells the model what to send. */
export class BadInputError extends Error {}

/** Returns the command that answers `kenning_taskContext`. */
export function taskContextRequest(input: unknown, folder: ToolFolder): ToolRequest {
  const fields = readFields(input);
  const budget = readNumber(fields, 'budget');
  const common = { text: true, ...(budget === undefined ? {} : { budget }) };
  const document = documentOf(folder);
  switch (readText(fields, 'op') ?? 'task') {
    case 'task': {
      const task = readText(fields, 'task');
      if (task === undefined) {
        throw new BadInputError(
          'task: missing; say in words what you want to do, or use op files or op change',
        );
      }
      return { command: 'kenning.taskContext', argument: { task, ...common, ...document } };
    }
    case 'files': {
      const files = readTexts(fields, 'files');
      if (files === undefined) {
        throw new BadInputError('files: missing; list paths relative to the workspace');
      }
      return { command: 'kenning.fileContext', argument: { uris: files.map(folder.uriOf), ...common } };
    }
    case 'change':
      return { command: 'kenning.changeContext', argument: { ...baseOf(fields), ...common, ...document } };
    default:
      throw new BadInputError('op: use task, files or change');
  }
}

/** Returns the command that answers `kenning_blastRadius`. */
export async function blastRadiusRequest(input: unknown, folder: ToolFolder): Promise<ToolRequest> {
  const fields = readFields(input);
  const [symbol, file] = [readText(fields, 'symbol'), readText(fields, 'file')];
  const [line, depth] = [readNumber(fields, 'line'), readNumber(fields, 'depth')];
  const common = { format: 'markdown' as const, ...(depth === undefined ? {} : { depth }) };
  if (symbol === undefined && file !== undefined && line !== undefined) {
    const uri = folder.uriOf(file);
    // At the text of the line, because what encloses an indented definition begins before it.
    const position = { line: line - 1, character: await folder.indentOf(uri, line - 1) };
    const target = { textDocument: { uri }, position };
    return { command: 'kenning.blastRadius', argument: { ...target, ...common } };
  }
  const target = symbol ?? file;
  if (target === undefined) {
    throw new BadInputError('symbol: missing; name a symbol, or pass file and line');
  }
  return { command: 'kenning.blastRadius', argument: { symbol: target, ...common, ...documentOf(folder) } };
}

/** Returns the command that answers `kenning_affectedTests`. */
export function affectedTestsRequest(input: unknown, folder: ToolFolder): ToolRequest {
  const fields = readFields(input);
  const files = readTexts(fields, 'files');
  const common = { format: 'markdown' as const };
  const subject =
    files === undefined
      ? { ...baseOf(fields), ...documentOf(folder) }
      : { uris: files.map(folder.uriOf), ...baseOf(fields) };
  return { command: 'kenning.affectedTests', argument: { ...subject, ...common } };
}

/** Returns what a tool is about, for the message that people see while it runs. */
export function describeInput(input: unknown, otherwise: string): string {
  const fields = isRecord(input) ? input : {};
  const files = Array.isArray(fields.files) ? fields.files.filter((file) => typeof file === 'string') : [];
  const texts = [fields.task, fields.symbol, fields.file, files.join(', '), fields.base];
  const text = texts.find((text) => typeof text === 'string' && text.trim() !== '');
  const line = typeof text === 'string' ? text.replace(/\s+/g, ' ').trim() : '';
  const short = line.length > MAX_LABEL ? `${line.slice(0, MAX_LABEL - 1)}…` : line;
  return short === '' ? otherwise : text === fields.task ? `"${short}"` : short;
}

/** Returns the budget that a model asks for; `undefined` if it names none. */
export function requestedBudget(input: unknown): number | undefined {
  return isRecord(input) && typeof input.budget === 'number' ? input.budget : undefined;
}

function documentOf({ textDocument }: ToolFolder): { textDocument?: TextDocument } {
  return textDocument === undefined ? {} : { textDocument };
}

function baseOf(fields: Record<string, unknown>): { base?: string } {
  const base = readText(fields, 'base');
  return base === undefined ? {} : { base };
}

function readFields(input: unknown): Record<string, unknown> {
  if (!isRecord(input)) {
    throw new BadInputError('the input is not an object');
  }
  return input;
}

/** Returns a text, or `undefined` if it is absent, null or empty. */
function readText(fields: Record<string, unknown>, name: string): string | undefined {
  const value = fields[name] ?? '';
  if (typeof value !== 'string') {
    throw new BadInputError(`${name}: not a text`);
  }
  return value.trim() === '' ? undefined : value;
}

/** Returns a list of texts, or `undefined` if it is absent, null or empty. */
function readTexts(fields: Record<string, unknown>, name: string): string[] | undefined {
  const value = fields[name] ?? [];
  if (!Array.isArray(value) || !value.every((text) => typeof text === 'string')) {
    throw new BadInputError(`${name}: not a list of texts`);
  }
  return value.length === 0 ? undefined : value;
}

function readNumber(fields: Record<string, unknown>, name: string): number | undefined {
  const value = fields[name] ?? undefined;
  if (value !== undefined && !(typeof value === 'number' && Number.isInteger(value) && value > 0)) {
    throw new BadInputError(`${name}: not a whole number above 0`);
  }
  return value;
}
