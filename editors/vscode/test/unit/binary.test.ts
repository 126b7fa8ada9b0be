/** Tests the search for the program that the extension starts. */
import * as assert from 'node:assert/strict';
import { findBinary, type SearchLocations } from '../../src/server/binary';

const LOCATIONS: SearchLocations = {
  setting: '',
  extension: '/ext',
  path: '/usr/bin:relative:/opt/bin',
  home: '/people/ada',
  platform: 'linux',
  isProgram: () => false,
};

function findProgram(programs: string[], changes: Partial<SearchLocations> = {}): string {
  const isProgram = (file: string): boolean => programs.includes(file);
  const result = findBinary({ ...LOCATIONS, ...changes, isProgram });
  return result.kind === 'found' ? `${result.from} ${result.program}` : result.kind;
}

describe('the program', () => {
  it('comes from the setting, else from the extension, else from PATH', () => {
    const all = ['/people/ada/kenning', '/ext/server/kenning', '/opt/bin/kenning'];
    assert.equal(findProgram(all, { setting: '~/kenning' }), 'setting /people/ada/kenning');
    assert.equal(findProgram(all), 'extension /ext/server/kenning');
    assert.equal(findProgram(['/opt/bin/kenning']), 'path /opt/bin/kenning');
    assert.equal(findProgram([]), 'missing');
  });

  it('is never a different one if the setting names one', () => {
    const others = ['/ext/server/kenning', '/opt/bin/kenning'];
    assert.equal(findProgram(others, { setting: '/nowhere/kenning' }), 'wrong');
    assert.equal(findProgram(others, { setting: 'bin/kenning' }), 'wrong');
    assert.equal(findProgram(others, { setting: 'kenning' }), 'setting /opt/bin/kenning');
  });

  it('is never searched in relative folders of PATH', () => {
    assert.equal(findProgram(['relative/kenning']), 'missing');
  });

  it('has the extension .exe on Windows', () => {
    const changes = { platform: 'win32' as const };
    assert.equal(findProgram(['/ext/server/kenning.exe'], changes), 'extension /ext/server/kenning.exe');
  });
});
