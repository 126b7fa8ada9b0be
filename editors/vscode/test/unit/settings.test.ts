/** Tests the settings that the server receives. */
import * as assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { PACK_FORMATS } from '../../src/protocol';
import { type InspectedSetting, serverOptions, collectSetValues } from '../../src/server/settings';

const MANIFEST: unknown = JSON.parse(readFileSync(path.join(process.cwd(), 'package.json'), 'utf8'));

function collectValues(settings: Record<string, InspectedSetting & { defaultValue?: unknown }>): unknown {
  return collectSetValues(['codeLens.enabled', 'codeLens.kinds', 'servers'], (option) => settings[option]);
}

describe('the settings for the server', () => {
  it('contain no defaults, which would override kenning.toml', () => {
    assert.deepEqual(collectValues({ 'codeLens.enabled': { defaultValue: true } }), {});
    assert.deepEqual(collectValues({ 'codeLens.enabled': { defaultValue: true, globalValue: false } }), {
      codeLens: { enabled: false },
    });
  });

  it('have the most specific value of user, workspace and folder', () => {
    const levels = { globalValue: false, workspaceValue: true, workspaceFolderValue: false };
    assert.deepEqual(collectValues({ 'codeLens.enabled': levels }), { codeLens: { enabled: false } });
    assert.deepEqual(collectValues({ 'codeLens.enabled': { globalValue: false, workspaceValue: true } }), {
      codeLens: { enabled: true },
    });
  });

  it('merge objects of several levels and replace lists', () => {
    const kinds = { globalValue: ['class'], workspaceValue: ['function'] };
    const servers = {
      globalValue: { gopls: { enabled: false, args: ['a'] } },
      workspaceValue: { gopls: { args: ['b'] } },
    };
    assert.deepEqual(collectValues({ 'codeLens.kinds': kinds, servers }), {
      codeLens: { kinds: ['function'] },
      servers: { gopls: { enabled: false, args: ['b'] } },
    });
  });

  it('are the options that the server declares, without the options of the extension', () => {
    const options = serverOptions(MANIFEST);
    assert.ok(options.includes('codeLens.enabled') && options.includes('servers'));
    assert.ok(!options.some((option) => /^(server\.|context\.|trace\.)/.test(option)));
    assert.ok(!options.includes('workspaceTrust') && !options.includes('pack.format'));
  });

  it('offer the formats that the server has', () => {
    const manifest = MANIFEST as {
      contributes: { configuration: { properties: Record<string, { enum?: string[] }> }[] };
    };
    const sections = manifest.contributes.configuration;
    const format = sections.find((section) => 'kenning.context.format' in section.properties);
    assert.deepEqual(format?.properties['kenning.context.format']?.enum, PACK_FORMATS);
  });
});
