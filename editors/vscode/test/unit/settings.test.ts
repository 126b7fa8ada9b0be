/** Tests which settings the server receives. */
import * as assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { type Inspected, serverOptions, setValues } from '../../src/server/settings';

const MANIFEST: unknown = JSON.parse(readFileSync(path.join(process.cwd(), 'package.json'), 'utf8'));

function sent(settings: Record<string, Inspected & { defaultValue?: unknown }>): unknown {
  return setValues(['codeLens.enabled', 'codeLens.kinds', 'servers'], (option) => settings[option]);
}

describe('the settings for the server', () => {
  it('are only those that somebody set: defaults would beat kenning.toml', () => {
    assert.deepEqual(sent({ 'codeLens.enabled': { defaultValue: true } }), {});
    assert.deepEqual(sent({ 'codeLens.enabled': { defaultValue: true, globalValue: false } }), {
      codeLens: { enabled: false },
    });
  });

  it('are the nearest of user, workspace and folder', () => {
    const levels = { globalValue: false, workspaceValue: true, workspaceFolderValue: false };
    assert.deepEqual(sent({ 'codeLens.enabled': levels }), { codeLens: { enabled: false } });
    assert.deepEqual(sent({ 'codeLens.enabled': { globalValue: false, workspaceValue: true } }), {
      codeLens: { enabled: true },
    });
  });

  it('join objects of several levels and replace lists', () => {
    const kinds = { globalValue: ['class'], workspaceValue: ['function'] };
    const servers = {
      globalValue: { gopls: { enabled: false, args: ['a'] } },
      workspaceValue: { gopls: { args: ['b'] } },
    };
    assert.deepEqual(sent({ 'codeLens.kinds': kinds, servers }), {
      codeLens: { kinds: ['function'] },
      servers: { gopls: { enabled: false, args: ['b'] } },
    });
  });

  it('are those that the server declares, and none of the extension alone', () => {
    const options = serverOptions(MANIFEST);
    assert.ok(options.includes('codeLens.enabled') && options.includes('servers'));
    assert.ok(!options.some((option) => /^(server\.|context\.|trace\.)/.test(option)));
    assert.ok(!options.includes('workspaceTrust') && !options.includes('pack.format'));
  });
});
