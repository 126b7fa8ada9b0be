/**
 * The reasons why the server cannot run, with their descriptions for the user.
 */

/** A reason why the server cannot run. */
export type ServerProblem =
  | { kind: 'missing' }
  | { kind: 'wrong'; setting: string }
  | { kind: 'no-kenning'; program: string; reason: string }
  | { kind: 'crashed' }
  | { kind: 'failed'; reason: string };

/** Describes a problem for the user. */
export function describeProblem(problem: ServerProblem): string {
  switch (problem.kind) {
    case 'missing':
      return (
        'The program "kenning" was not found. This build of the extension does not include it, and it is not on PATH. ' +
        'Install it, or choose its location.'
      );
    case 'wrong':
      return `The setting kenning.server.path names "${problem.setting}", which is not an executable program.`;
    case 'no-kenning':
      return `${problem.program} cannot be used: ${problem.reason}.`;
    case 'crashed':
      return 'Kenning crashed several times in a row and will not restart automatically. See the log for the cause.';
    case 'failed':
      return `Kenning could not start: ${problem.reason}`;
  }
}
