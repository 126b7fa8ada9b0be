/**
 * Parses the arguments of commands that the server's lenses and code actions run. The arguments may
 * be invalid, because any extension can run any command.
 */
import type { Position } from '../protocol';

/** The symbol of a lens or a code action, and its position. */
export interface ActionArgument {
  uri: string;
  position: Position;
  symbol: string;
  task?: string;
}

/** Returns the value as the argument of a lens or code action, or `undefined` if it is not one. */
export function parseActionArgument(value: unknown): ActionArgument | undefined {
  if (!isRecord(value)) {
    return undefined;
  }
  const { uri, symbol, task } = value;
  const position = parsePosition(value.position);
  if (typeof uri !== 'string' || typeof symbol !== 'string' || position === undefined) {
    return undefined;
  }
  return { uri, symbol, position, ...(typeof task === 'string' ? { task } : {}) };
}

/**
 * Returns the document and the symbol of a lens whose command the server runs itself, or
 * `undefined` if the value names none.
 */
export function parseServerArgument(value: unknown): { uri: string; symbol: string } | undefined {
  if (!isRecord(value) || !isRecord(value.textDocument)) {
    return undefined;
  }
  const { symbol } = value;
  const { uri } = value.textDocument;
  return typeof uri === 'string' && typeof symbol === 'string' ? { uri, symbol } : undefined;
}

function parsePosition(value: unknown): Position | undefined {
  if (!isRecord(value) || typeof value.line !== 'number' || typeof value.character !== 'number') {
    return undefined;
  }
  return { line: value.line, character: value.character };
}

/** Whether a value is an object with fields. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
