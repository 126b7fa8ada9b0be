// Checks that a language server confirms edges and that the status item names it.
import { assertTrue, until } from '../lib/wait.mjs';

/**
 * Returns the callers of a symbol with their provenance, through the API of the extension. Runs in
 * the extension host.
 */
async function callersOf(vscode, symbol) {
  const { connection } = await vscode.extensions.getExtension('kenning-lsp.kenning').activate();
  const { callers } = await connection.ask('kenning.blastRadius', { symbol });
  return callers.map(({ name, provenance }) => `${name} ${provenance}`);
}

export const checks = [
  {
    name: 'enrichment: pyright confirms callers and the status item names it',
    file: 'reports/prices.py',
    server: { languageServers: true },
    async run({ window }) {
      await until('confirmed callers', async () => {
        const callers = await window.host.call(callersOf, 'apply_tax');
        const confirmed = callers.filter((caller) => caller.endsWith(' lsp_resolved'));
        return confirmed.length === callers.length && callers.length === 3
          ? true
          : Promise.reject(new Error(callers));
      });
      await until('pyright in the status', async () => /pyright ready/.test(await window.languageStatus()));
      await window.screenshot('status');
      assertTrue(/Kenning: \d+ symbols/.test(await window.languageStatus()), await window.languageStatus());
    },
  },
];
