// Checks the language model tools, which agents inside VS Code call.
import { assertTrue, equal, until } from '../lib/wait.mjs';
import { makeLarge } from '../lib/workspace.mjs';

const FILE = 'orders/discount.go';

/** Calls a tool and returns its text or its error message. Runs in the extension host. */
async function invokeTool(vscode, { name, input }) {
  try {
    const answer = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
    return answer.content.map((part) => part.value).join('');
  } catch (error) {
    return `error: ${error.message}`;
  }
}

export const checks = [
  {
    name: 'agents: the tools are offered, and answer with the bytes of the command line',
    file: FILE,
    settings: { 'kenning.context.learning': false },
    history: true,
    async run({ window, folder, kenning }) {
      const names = await window.host.call((vscode) => vscode.lm.tools.map(({ name }) => name));
      const own = names.filter((name) => name.startsWith('kenning_')).sort();
      equal(own, ['kenning_blast', 'kenning_pack', 'kenning_tests'], 'the tools');
      const call = (name, input) => window.host.call(invokeTool, { name, input });
      const refresh = ['--root', folder, '--refresh', 'never'];
      equal(
        await call('kenning_blast', { symbol: 'Discount' }),
        kenning('blast', ...refresh, 'Discount'),
        'the blast radius',
      );
      const tests = await call('kenning_tests', { base: 'main' });
      assertTrue(/TestDiscount/.test(tests), tests);
      const pack = await call('kenning_pack', { task: 'change the discount' });
      assertTrue(/^# Context: change the discount/.test(pack) && /func Discount/.test(pack), pack);
      const change = await call('kenning_pack', { op: 'change', base: 'main' });
      assertTrue(/Discount/.test(change), change);
    },
  },
  {
    name: 'agents: an answer includes unsaved text and files that were just written',
    file: FILE,
    async run({ window, folder }) {
      const call = (task) => window.host.call(invokeTool, { name: 'kenning_pack', input: { task } });
      await window.append('\nfunc Rebate(price int) int { return price }\n');
      const pack = await call('change Rebate');
      assertTrue(/func Rebate/.test(pack), pack);
      const write = async (vscode, { folder, text }) => {
        const file = vscode.Uri.joinPath(vscode.Uri.file(folder), 'orders/voucher.go');
        await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text));
      };
      await window.host.call(write, { folder, text: 'package orders\n\nfunc Voucher() int { return 1 }\n' });
      const later = await call('change Voucher');
      assertTrue(/func Voucher/.test(later), later);
    },
  },
  {
    name: 'agents: a tool that is called before the first index is built waits for it',
    make: (folder) => makeLarge(folder, 1500),
    indexed: false,
    async run({ window }) {
      const input = { symbol: 'step_7_3' };
      const blast = await window.host.call(invokeTool, { name: 'kenning_blast', input });
      assertTrue(/^# Blast radius of `step_7_3`/.test(blast), blast);
    },
  },
  {
    name: 'agents: a very large pack needs a confirmation',
    file: FILE,
    async run({ window }) {
      const input = { task: 'change the discount', budget: 50_000 };
      const answer = window.host.call(invokeTool, { name: 'kenning_pack', input });
      const dialog = window.page.locator('.monaco-dialog-box');
      const text = await until('the question', async () => {
        const text = await dialog.innerText();
        return /50,000 tokens/.test(text) && text;
      });
      assertTrue(/change the discount/.test(text), text);
      await window.screenshot('agent-confirmation');
      await dialog.getByRole('button', { name: /^(Yes|Continue|Allow)$/ }).click();
      assertTrue(/^# Context: change the discount/.test(await answer), await answer);
    },
  },
  {
    name: 'agents: the MCP server runs where the editor has the API, after the user enables it',
    server: { settings: { 'chat.disableAIFeatures': false } },
    file: FILE,
    async run({ window }) {
      const offers = await window.host.call(async (vscode) => {
        const { offersMcpServers } = await vscode.extensions.getExtension('kenning-lsp.kenning').activate();
        return [offersMcpServers, Number(vscode.version.split('.')[1]) >= 101];
      });
      equal(offers[0], offers[1], 'whether the API is used');
      if (!offers[0]) {
        return 'the editor has no API';
      }
      await window.set('kenning.mcpServer.enabled', true);
      await window.startCommand('workbench.mcp.listServer');
      await window.quick.waitForRow('Kenning');
      await window.screenshot('mcp-servers');
      await window.quick.select('Kenning');
      await window.quick.select('Start Server');
      await until('the tools of the MCP server', async () => {
        const names = await window.host.call((vscode) => vscode.lm.tools.map(({ name }) => name));
        const own = names.filter((name) => /^mcp_kenning_/.test(name));
        return own.length === 5 || Promise.reject(new Error(JSON.stringify(names)));
      });
      return undefined;
    },
  },
];
