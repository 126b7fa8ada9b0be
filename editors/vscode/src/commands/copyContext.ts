/**
 * `kenning.copyContext`: the command of the server's code action **Copy context for ...**.
 */
import { copyPack } from '../context/copy';
import type { ExtensionParts } from '../parts';
import type { Pack } from '../protocol';
import { parseActionArgument } from './arguments';

export async function copyContext(parts: ExtensionParts, value: unknown): Promise<Pack | undefined> {
  const argument = parseActionArgument(value);
  const task = argument?.task;
  if (argument === undefined || task === undefined) {
    throw new Error('The command kenning.copyContext needs a task and a position.');
  }
  await parts.history.add(task);
  const documentPosition = { textDocument: { uri: argument.uri }, position: argument.position };
  return copyPack(parts, { kind: 'task', task, documentPosition });
}
