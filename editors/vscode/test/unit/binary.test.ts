/** Tests which program is started. */
import * as assert from 'node:assert/strict';
import { findBinary, type Places } from '../../src/server/binary';

const PLACES: Places = {
  setting: '',
  extension: '/ext',
  path: '/usr/bin:relative:/opt/bin',
  home: '/people/ada',
  platform: 'linux',
  isProgram: () => false,
};

function found(programs: string[], changes: Partial<Places> = {}): string {
  const isProgram = (file: string): boolean => programs.includes(file);
  const result = findBinary({ ...PLACES, ...changes, isProgram });
  return result.kind === 'found' ? `${result.from} ${result.program}` : result.kind;
}

describe('the program', () => {
  it('is the one of the setting, else the carried one, else the one on PATH', () => {
    const all = ['/people/ada/kenning', '/ext/server/kenning', '/opt/bin/kenning'];
    assert.equal(found(all, { setting: '~/kenning' }), 'setting /people/ada/kenning');
    assert.equal(found(all), 'extension /ext/server/kenning');
    assert.equal(found(['/opt/bin/kenning']), 'path /opt/bin/kenning');
    assert.equal(found([]), 'missing');
  });

  it('is never another one than the setting names', () => {
    const others = ['/ext/server/kenning', '/opt/bin/kenning'];
    assert.equal(found(others, { setting: '/nowhere/kenning' }), 'wrong');
    assert.equal(found(others, { setting: 'bin/kenning' }), 'wrong');
    assert.equal(found(others, { setting: 'kenning' }), 'setting /opt/bin/kenning');
  });

  it('is never looked for in folders relative to the workspace', () => {
    assert.equal(found(['relative/kenning']), 'missing');
  });

  it('has another name on Windows', () => {
    const changes = { platform: 'win32' as const };
    assert.equal(found(['/ext/server/kenning.exe'], changes), 'extension /ext/server/kenning.exe');
  });
});
