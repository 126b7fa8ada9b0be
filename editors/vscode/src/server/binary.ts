/**
 * Finds the program `kenning`: by the setting, in the extension, or on PATH.
 */
import * as path from 'node:path';

/** The locations to search. Tests replace `isProgram`, which reads the file system. */
export interface SearchLocations {
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

/** The result of the search. */
export type BinaryLookup =
  | { kind: 'found'; program: string; from: 'setting' | 'extension' | 'path' }
  /** The setting does not name a program. The search ends, because the user chose that program. */
  | { kind: 'wrong'; setting: string }
  | { kind: 'missing' };

/** Finds the program to start. */
export function findBinary(locations: SearchLocations): BinaryLookup {
  const { setting, isProgram } = locations;
  const name = locations.platform === 'win32' ? 'kenning.exe' : 'kenning';
  if (setting.trim() !== '') {
    const program = resolveSetting(locations, name);
    return program === undefined ? { kind: 'wrong', setting } : { kind: 'found', program, from: 'setting' };
  }
  const bundled = path.join(locations.extension, 'server', name);
  if (isProgram(bundled)) {
    return { kind: 'found', program: bundled, from: 'extension' };
  }
  const program = findOnPath(locations, name);
  return program === undefined ? { kind: 'missing' } : { kind: 'found', program, from: 'path' };
}

function resolveSetting(locations: SearchLocations, name: string): string | undefined {
  const setting = locations.setting.trim();
  const expanded = setting.startsWith('~/') ? path.join(locations.home, setting.slice(2)) : setting;
  if (path.isAbsolute(expanded)) {
    return locations.isProgram(expanded) ? expanded : undefined;
  }
  // A relative path would depend on the workspace, so only a bare name is accepted, and found on
  // PATH.
  const isName = path.basename(expanded) === expanded;
  return isName ? findOnPath(locations, expanded === 'kenning' ? name : expanded) : undefined;
}

function findOnPath(locations: SearchLocations, name: string): string | undefined {
  const separator = locations.platform === 'win32' ? ';' : ':';
  const folders = locations.path.split(separator).filter((folder) => path.isAbsolute(folder));
  return folders.map((folder) => path.join(folder, name)).find((file) => locations.isProgram(file));
}
