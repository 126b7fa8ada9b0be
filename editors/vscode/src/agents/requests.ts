/**
 * Converts the inputs of the language model tools to commands of the server. A model may send
 * anything, so these functions check every field, and throw an error that explains a mistake to the
 * model.
 */
import { isRecord } from '../commands/arguments';
import type { CommandArgument } from '../commandTypes';
import type { TextDocument } from '../protocol';

/** The largest pack that a tool returns without asking the user, in tokens. */
export const LARGE_BUDGET = 32_000;

/** The tokens of an answer if a model names no budget, as in the MCP server. */
const DEFAULT_BUDGET = 4000;

/** Maximum length of the subject of a tool in a message, in characters. */
const MAX_LABEL = 60;

/** A command of the server that answers a tool. */
export type ToolRequest =
  | { command: 'kenning.taskContext'; argument: CommandArgument<'kenning.taskContext'> }
  | { command: 'kenning.fileContext'; argument: CommandArgument<'kenning.fileContext'> }
  | { command: 'kenning.changeContext'; argument: CommandArgument<'kenning.changeContext'> }
  | { command: 'kenning.blastRadius'; argument: CommandArgument<'kenning.blastRadius'> }
  | { command: 'kenning.affectedTests'; argument: CommandArgument<'kenning.affectedTests'> };

/** The folder in which a tool looks up files and symbols. */
export interface ToolFolder {
  /** A document that selects the folder; absent if only one folder is open. */
  textDocument?: TextDocument;
  /** Returns the URI of a file, from its absolute path or its path in the folder. */
  uriOf: (file: string) => string;
  /** Returns the column at which the text of a line begins; both from 0. */
  indentOf: (uri: string, line: number) => Promise<number>;
}

/** Thrown if the arguments of a tool are invalid. The message tells the model what to send. */
export class BadInputError extends Error {}

/** Returns the command that answers `kenning_pack`. */
export function taskContextRequest(input: unknown, folder: ToolFolder): ToolRequest {
  const fields = readFields(input);
  const common = { text: true, budget: readNumber(fields, 'budget') ?? DEFAULT_BUDGET };
  const document = folderDocument(folder);
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
      return { command: 'kenning.changeContext', argument: { ...readBase(fields), ...common, ...document } };
    default:
      throw new BadInputError('op: use task, files or change');
  }
}

/** Returns the command that answers `kenning_blast`. */
export async function blastRadiusRequest(input: unknown, folder: ToolFolder): Promise<ToolRequest> {
  const fields = readFields(input);
  const [symbol, file] = [readText(fields, 'symbol'), readText(fields, 'file')];
  const [line, depth] = [readNumber(fields, 'line'), readNumber(fields, 'depth')];
  const common = { ...readPage(fields), ...(depth === undefined ? {} : { depth }) };
  if (symbol === undefined && file !== undefined && line !== undefined) {
    const uri = folder.uriOf(file);
    // Use the column where the text of the line begins. In the indentation, the position belongs to
    // the enclosing definition.
    const position = { line: line - 1, character: await folder.indentOf(uri, line - 1) };
    const target = { textDocument: { uri }, position };
    return { command: 'kenning.blastRadius', argument: { ...target, ...common } };
  }
  const target = symbol ?? file;
  if (target === undefined) {
    throw new BadInputError('symbol: missing; name a symbol, or pass file and line');
  }
  return {
    command: 'kenning.blastRadius',
    argument: { symbol: target, ...common, ...folderDocument(folder) },
  };
}

/** Returns the command that answers `kenning_tests`. */
export function affectedTestsRequest(input: unknown, folder: ToolFolder): ToolRequest {
  const fields = readFields(input);
  const files = readTexts(fields, 'files');
  const common = readPage(fields);
  const subject =
    files === undefined
      ? { ...readBase(fields), ...folderDocument(folder) }
      : { uris: files.map(folder.uriOf), ...readBase(fields) };
  return { command: 'kenning.affectedTests', argument: { ...subject, ...common } };
}

/**
 * Returns the subject of a tool's input, for the message that the user sees while the tool runs.
 * Returns `fallback` if the input names none.
 */
export function describeInput(input: unknown, fallback: string): string {
  const fields = isRecord(input) ? input : {};
  const files = Array.isArray(fields.files) ? fields.files.filter((file) => typeof file === 'string') : [];
  const texts = [fields.task, fields.symbol, fields.file, files.join(', '), fields.base];
  const text = texts.find((text) => typeof text === 'string' && text.trim() !== '');
  const line = typeof text === 'string' ? text.replace(/\s+/g, ' ').trim() : '';
  const short = line.length > MAX_LABEL ? `${line.slice(0, MAX_LABEL - 1)}…` : line;
  return short === '' ? fallback : text === fields.task ? `"${short}"` : short;
}

/** Returns the budget that a model asks for; `undefined` if it names none. */
export function requestedBudget(input: unknown): number | undefined {
  return isRecord(input) && typeof input.budget === 'number' ? input.budget : undefined;
}

function folderDocument({ textDocument }: ToolFolder): { textDocument?: TextDocument } {
  return textDocument === undefined ? {} : { textDocument };
}

/** Returns the part of a command's argument that selects the text and its page. */
function readPage(fields: Record<string, unknown>): { format: 'markdown'; budget: number; page?: number } {
  const page = readNumber(fields, 'page');
  const budget = readNumber(fields, 'budget') ?? DEFAULT_BUDGET;
  return { format: 'markdown', budget, ...(page === undefined ? {} : { page }) };
}

function readBase(fields: Record<string, unknown>): { base?: string } {
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

/** Returns a whole number above 0, or `undefined` if it is absent or null. */
function readNumber(fields: Record<string, unknown>, name: string): number | undefined {
  const value = fields[name] ?? undefined;
  if (value !== undefined && !(typeof value === 'number' && Number.isInteger(value) && value > 0)) {
    throw new BadInputError(`${name}: not a whole number above 0`);
  }
  return value;
}
