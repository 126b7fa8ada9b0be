/**
 * Which version of Kenning a program is, and whether this extension can speak to it.
 */
import { execFile } from 'node:child_process';

/** How long a program may take to say its version. */
const WAIT_MS = 10_000;

export type Spoken = { kind: 'version'; version: string } | { kind: 'failed'; reason: string };

/** What `kenning --version` says. */
export function readVersion(program: string): Promise<Spoken> {
  return new Promise((resolve) => {
    execFile(program, ['--version'], { timeout: WAIT_MS, windowsHide: true }, (error, stdout) => {
      if (error !== null) {
        resolve({ kind: 'failed', reason: error.message.split('\n')[0] ?? 'it cannot be run' });
        return;
      }
      const version = /^kenning (\d+\.\d+\.\d+\S*)\s*$/.exec(stdout)?.[1];
      resolve(
        version === undefined
          ? { kind: 'failed', reason: 'it does not say that it is Kenning' }
          : { kind: 'version', version },
      );
    });
  });
}

/** Whether the two can work together: before 1.0 the same minor version, later the same major one. */
export function fits(extension: string, server: string): boolean {
  const parts = (version: string): string => {
    const [major = '', minor = ''] = version.split('.');
    return major === '0' ? `0.${minor}` : major;
  };
  return parts(extension) === parts(server);
}
