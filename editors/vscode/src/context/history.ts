/**
 * The tasks that the user asked about in this workspace, the latest first.
 */
import type { Memento } from 'vscode';

const KEY = 'kenning.tasks';

/** Maximum number of tasks in the history. */
const MAX_TASKS = 30;

/** Stores the tasks in the state of the workspace. */
export class TaskHistory {
  constructor(private readonly memory: Memento) {}

  get tasks(): string[] {
    return this.memory.get<string[]>(KEY, []);
  }

  async add(task: string): Promise<void> {
    const others = this.tasks.filter((other) => other !== task);
    await this.memory.update(KEY, [task, ...others].slice(0, MAX_TASKS));
  }

  async remove(task: string): Promise<void> {
    await this.memory.update(
      KEY,
      this.tasks.filter((other) => other !== task),
    );
  }
}
