/**
 * **Kenning: Copy Task Context** copies the code that matters for a task.
 */
import { copyPack } from '../context/copy';
import { inputTask, selectedTask } from '../context/taskInput';
import type { Parts } from '../parts';
import { askedPlace } from '../place';
import type { Pack } from '../protocol';

/**
 * Copies the context of the passed task (from a key binding or another extension); without one,
 * asks the user for it.
 */
export async function copyTaskContext(parts: Parts, passed: unknown): Promise<Pack | undefined> {
  const given = typeof passed === 'string' ? passed.trim() : '';
  const task = given === '' ? await inputTask(parts.history, selectedTask()) : given;
  if (task === undefined) {
    return undefined;
  }
  const place = await askedPlace();
  if (place === undefined) {
    return undefined;
  }
  await parts.history.add(task);
  return copyPack(parts, { kind: 'task', task, place });
}
