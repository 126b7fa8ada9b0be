/**
 * Arguments of commands that the server's lenses and code actions run, checked: any extension can run any command.
 */
import type { Position } from '../protocol';

/** Where a lens or a code action stands, and which symbol it is about. */
export interface ActionArgument {
  uri: string;
  position: Position;
  symbol: string;
  task?: string;
}

/** The argument of a lens or code action; `undefined` where it is none. */
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
