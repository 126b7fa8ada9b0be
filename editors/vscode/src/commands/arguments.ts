/**
 * Checks the arguments of commands that the server's lenses and code actions run, because any
 * extension can run any command.
 */
import type { Position } from '../protocol';

/** The symbol of a lens or a code action, and its position. */
export interface ActionArgument {
  uri: string;
  position: Position;
  symbol: string;
  task?: string;
}

/** Returns the argument of a lens or code action, or `undefined` if the value is not one. */
export function actionArgument(passed: unknown): ActionArgument | undefined {
  if (!isRecord(passed)) {
    return undefined;
  }
  const { uri, symbol, task } = passed;
  const position = positionOf(passed.position);
  if (typeof uri !== 'string' || typeof symbol !== 'string' || position === undefined) {
    return undefined;
  }
  return { uri, symbol, position, ...(typeof task === 'string' ? { task } : {}) };
}

function positionOf(value: unknown): Position | undefined {
  if (!isRecord(value) || typeof value.line !== 'number' || typeof value.character !== 'number') {
    return undefined;
  }
  return { line: value.line, character: value.character };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
