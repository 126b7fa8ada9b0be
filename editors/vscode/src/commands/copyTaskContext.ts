/**
 * **Kenning: Copy Pack for a Task** copies the code that matters for a task.
 */
import { copyPack } from '../context/copy';
import { inputTask, selectedTask } from '../context/taskInput';
import type { ExtensionParts } from '../parts';
import { pickPosition } from '../documentPosition';
import type { Pack } from '../protocol';

/**
 * Copies the context of the task that a key binding or another extension passes, or else of a task
 * that the user enters.
 */
export async function copyTaskContext(parts: ExtensionParts, value: unknown): Promise<Pack | undefined> {
  const argument = typeof value === 'string' ? value.trim() : '';
  const task = argument === '' ? await inputTask(parts, selectedTask()) : argument;
  if (task === undefined) {
    return undefined;
  }
  const documentPosition = await pickPosition();
  if (documentPosition === undefined) {
    return undefined;
  }
  await parts.history.add(task);
  return copyPack(parts, { kind: 'task', task, documentPosition });
}
