// Finds processes of the machine in /proc.
import fs from 'node:fs';

/**
 * Returns the process ids of `kenning serve` with this working folder: the servers of the folder's
 * windows.
 */
export function findServers(folder) {
  const ids = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.filter((id) => {
    try {
      const command = fs.readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0');
      return command.includes('serve') && fs.readlinkSync(`/proc/${id}/cwd`) === folder;
    } catch {
      return false;
    }
  });
}
