/**
 * Reads the version of a Kenning program, and checks whether it is compatible with this extension.
 */
import { execFile } from 'node:child_process';

/** Timeout for `kenning --version`, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** The version of a program, or the reason why it is unknown. */
export type VersionResult = { kind: 'version'; version: string } | { kind: 'failed'; reason: string };

/** Runs `kenning --version` and parses its output. */
export function readVersion(program: string): Promise<VersionResult> {
  return new Promise((resolve) => {
    execFile(program, ['--version'], { timeout: TIMEOUT_MS, windowsHide: true }, (error, stdout) => {
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
 * Whether two versions are compatible: before 1.0 if their minor versions are equal, later if their
 * major versions are equal.
 */
export function isCompatible(extension: string, server: string): boolean {
  const compatibilityPart = (version: string): string => {
    const [major = '', minor = ''] = version.split('.');
    return major === '0' ? `0.${minor}` : major;
  };
  return compatibilityPart(extension) === compatibilityPart(server);
}
