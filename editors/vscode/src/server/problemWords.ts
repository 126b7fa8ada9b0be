/**
 * The reasons why the server cannot run, and their descriptions.
 */
export type Problem =
  | { kind: 'missing' }
  | { kind: 'wrong'; setting: string }
  | { kind: 'no-kenning'; program: string; reason: string }
  | { kind: 'crashed' }
  | { kind: 'failed'; reason: string };

/** Describes a problem for the user. */
export function words(problem: Problem): string {
  switch (problem.kind) {
    case 'missing':
      return (
        'The program "kenning" was not found: this build of the extension carries none, and there is none on PATH. ' +
        'Install it, or say where it is.'
      );
    case 'wrong':
      return `The setting kenning.server.path names "${problem.setting}", which is no program that can be run.`;
    case 'no-kenning':
      return `${problem.program} cannot be used: ${problem.reason}.`;
    case 'crashed':
      return 'Kenning ended several times in a row and is not started again by itself. The log says what happened.';
    case 'failed':
      return `Kenning could not be started: ${problem.reason}`;
  }
}
