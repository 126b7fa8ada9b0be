/**
 * Finds the program `kenning`: by the setting, in the extension, or on PATH.
 */
import * as path from 'node:path';

/** The places to search. `isProgram` stands for the file system. */
export interface Places {
  /** The setting `kenning.server.path`; empty if not set. */
  setting: string;
  /** The folder of the extension. */
  extension: string;
  /** The environment variable PATH. */
  path: string;
  home: string;
  platform: NodeJS.Platform;
  isProgram: (file: string) => boolean;
}

export type Found =
  | { kind: 'found'; program: string; from: 'setting' | 'extension' | 'path' }
  /**
   * The setting does not name a program. The search ends here, because the user chose that program.
   */
  | { kind: 'wrong'; setting: string }
  | { kind: 'missing' };

/** Returns the program to start. */
export function findBinary(places: Places): Found {
  const { setting, isProgram } = places;
  const name = places.platform === 'win32' ? 'kenning.exe' : 'kenning';
  if (setting.trim() !== '') {
    const program = settingPath(places, name);
    return program === undefined ? { kind: 'wrong', setting } : { kind: 'found', program, from: 'setting' };
  }
  const bundled = path.join(places.extension, 'server', name);
  if (isProgram(bundled)) {
    return { kind: 'found', program: bundled, from: 'extension' };
  }
  const program = onPath(places, name);
  return program === undefined ? { kind: 'missing' } : { kind: 'found', program, from: 'path' };
}

function settingPath(places: Places, name: string): string | undefined {
  const setting = places.setting.trim();
  const expanded = setting.startsWith('~/') ? path.join(places.home, setting.slice(2)) : setting;
  if (path.isAbsolute(expanded)) {
    return places.isProgram(expanded) ? expanded : undefined;
  }
  // A relative path would depend on the workspace, so only a bare name is looked up on PATH.
  const isName = path.basename(expanded) === expanded;
  return isName ? onPath(places, expanded === 'kenning' ? name : expanded) : undefined;
}

function onPath(places: Places, name: string): string | undefined {
  const separator = places.platform === 'win32' ? ';' : ':';
  const folders = places.path.split(separator).filter((folder) => path.isAbsolute(folder));
  return folders.map((folder) => path.join(folder, name)).find((file) => places.isProgram(file));
}
