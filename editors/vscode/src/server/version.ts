/**
 * Reads the version of a Kenning program, and checks whether it fits this extension.
 */
import { execFile } from 'node:child_process';

/** Timeout for reading the version. */
const WAIT_MS = 10_000;

export type Spoken = { kind: 'version'; version: string } | { kind: 'failed'; reason: string };

/** Runs `kenning --version` and parses its output. */
export function readVersion(program: string): Promise<Spoken> {
  return new Promise((resolve) => {
    execFile(program, ['--version'], { timeout: WAIT_MS, windowsHide: true }, (error, stdout) => {
      if (error !== null) {
        resolve({ kind: 'failed', reason: error.message.split('\n')[0] ?? 'it does not run' });
        return;
      }
      const version = /^kenning (\d+\.\d+\.\d+\S*)\s*$/.exec(stdout)?.[1];
      resolve(
        version === undefined
          ? { kind: 'failed', reason: 'it does not identify itself as Kenning' }
          : { kind: 'version', version },
      );
    });
  });
}

/**
 * Whether the two versions fit: before 1.0 with equal minor versions, later with equal major
 * versions.
 */
export function fits(extension: string, server: string): boolean {
  const parts = (version: string): string => {
    const [major = '', minor = ''] = version.split('.');
    return major === '0' ? `0.${minor}` : major;
  };
  return parts(extension) === parts(server);
}
