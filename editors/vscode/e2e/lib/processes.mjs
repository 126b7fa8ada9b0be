// The processes of the machine, read from /proc.
import fs from 'node:fs';

/** The ids of the servers of a folder's windows: `kenning serve` whose working folder it is. */
export function serversIn(folder) {
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
