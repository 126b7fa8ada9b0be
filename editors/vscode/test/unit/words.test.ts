/** Tests how numbers and states are described. */
import * as assert from 'node:assert/strict';
import { stated, title } from '../../src/context/request';
import type { FolderStatus, PackSymbol, ServerReport, SessionStatus } from '../../src/protocol';
import { fits } from '../../src/server/version';
import { isUnsettled, statusWords } from '../../src/status/words';
import { groups } from '../../src/views/items';
import { count, evidence, grouped } from '../../src/words';
import { part } from './part';

const READY = part<FolderStatus>({
  root: '/w',
  files: 3,
  symbols: 4210,
  edges: 1,
  phase: 'ready',
  problem: null,
  pending_files: 0,
  unsaved_files: 0,
  enrichment: [],
});

function shown(...folders: Partial<FolderStatus>[]): string {
  const status = part<SessionStatus>({ folders: folders.map((folder) => ({ ...READY, ...folder })) });
  const { text, detail, level, busy } = statusWords({ kind: 'running', version: '0.1.0' }, status);
  return `${level}${busy ? ' busy' : ''}: ${text}; ${detail}`;
}

describe('numbers', () => {
  it('are grouped by three, with their words', () => {
    assert.equal(grouped(4210), '4,210');
    assert.equal(grouped(999), '999');
    assert.equal(grouped(1234567), '1,234,567');
    assert.equal(count(1, 'symbol'), '1 symbol');
    assert.equal(count(0, 'symbol'), '0 symbols');
    assert.equal(evidence('lsp_resolved'), 'confirmed by a language server');
    assert.equal(evidence('of_a_newer_server'), 'of_a_newer_server');
  });
});

describe('the status', () => {
  it('says what is indexed and how the language servers are', () => {
    const server = { confirmed: 1, waiting_files: 0 };
    const enrichment = [
      part<ServerReport>({ ...server, name: 'gopls', state: 'ready' }),
      part<ServerReport>({ ...server, name: 'gopls', state: 'busy' }),
      part<ServerReport>({ ...server, name: 'jdtls', state: 'absent' }),
    ];
    assert.equal(shown({}), 'fine: 4,210 symbols; ');
    assert.equal(shown({ enrichment }), 'fine busy: 4,210 symbols; gopls busy');
  });

  it('says what is going on and what is wrong', () => {
    assert.equal(shown({ phase: 'indexing' }), 'fine busy: Indexing; ');
    assert.equal(shown({ pending_files: 2 }), 'fine busy: 2 files pending; ');
    assert.equal(
      shown({}, { phase: 'failed', problem: 'the disk is full' }),
      'error: No index; the disk is full',
    );
    assert.equal(shown({ desynchronised_files: 1 }), 'warning: 4,210 symbols; 1 open file out of sync');
    assert.match(shown({ phase: 'cancelled' }), /^warning: No index; indexing was cancelled/);
  });

  it('is asked for again while something is going on', () => {
    assert.equal(isUnsettled({ folders: [READY] }), false);
    assert.equal(isUnsettled({ folders: [{ ...READY, pending_files: 1 }] }), true);
  });
});

describe('versions', () => {
  it('fit by their minor number before 1.0, by their major one later', () => {
    assert.equal(fits('0.1.0', '0.1.7'), true);
    assert.equal(fits('0.1.0', '0.2.0'), false);
    assert.equal(fits('1.2.0', '1.9.0'), true);
    assert.equal(fits('1.2.0', '2.0.0'), false);
  });
});

describe('requests', () => {
  it('are named by their first line, their files or their base', () => {
    assert.equal(title({ kind: 'task', task: '\n\nmend it\nsoon', place: {} }), 'mend it');
    assert.equal(title({ kind: 'change', base: undefined, place: {} }), 'current change');
  });

  it('state only wishes that there are', () => {
    assert.deepEqual(stated({ pinned: [], excluded: ['a'] }), { excluded: ['a'] });
  });
});

describe('the view', () => {
  it('has the groups of the Markdown form and no empty one', () => {
    const symbol = { id: 'a', qualified_name: 'a', name: 'a', kind: 'function', file: 'a.py', line: 1 };
    const rest = { signature: '', doc: '', score: 1, confidence: 1, provenance: 'structural', channels: [] };
    const at = (distance: number): PackSymbol =>
      part<PackSymbol>({ ...symbol, ...rest, distance, detail: 'name', tokens: 1 });
    const found = groups([at(0), at(3), at(7)]).map((group) => `${group.label} ${group.symbols.length}`);
    assert.deepEqual(found, ['Target 1', 'Extended 2']);
  });
});
