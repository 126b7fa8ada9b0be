-- The subcommands that other specs do not cover, completion, and messages for invalid arguments.
local t = require('support')

vim.cmd.edit('src/itsdangerous/signer.py')
t.wait_until_ready()
local commands = require('kenning.commands')

--- Waits for a float that contains `text`, closes it and returns its whole text.
local function read_float_with(text)
  t.wait(('a float shows %q'):format(text), function()
    return table.concat(t.floats(), '\n'):find(text, 1, true) ~= nil
  end, t.floats)
  local floats = t.floats()
  vim.cmd.close()
  return floats[1] or ''
end

vim.cmd('Kenning status')
local status = read_float_with('state: ready')
for _, word in ipairs({ 'indexed: ', 'calls resolved: ', 'database: ', 'version: ' }) do
  t.check('the status has ' .. word, status:find(word, 1, true) ~= nil, status)
end
vim.cmd('Kenning')
read_float_with('state: ready')
t.run_command('reindex', 'the index is up to date: ')
t.run_command('enrich', 'asking the language servers')
t.run_command('restart servers', 'restarting all language servers')

t.run_command('explain Signer', 'there is no pack yet')
t.run_command('pack --register=a --no-learning sign values with a key', 'copied to register a')
vim.cmd('Kenning why --no-learning Signer.sign')
local why = read_float_with('# Why `Signer.sign`')
t.check('the explanation has the rank', why:find('Ranked %d+%a%a of %d+ candidates') ~= nil, why)
t.check('the explanation has no numbers', why:find('## Score', 1, true) == nil, why)
vim.cmd('Kenning why --numbers --to=register --register=c Signer.sign')
t.wait('the numbers come on request', function()
  return vim.fn.getreg('c'):find('## Score', 1, true) ~= nil
end)
t.move_to('def sign(', 'sign')
vim.cmd('Kenning why --to=register --register=b')
t.wait('the symbol under the cursor is explained', function()
  return vim.fn.getreg('b'):find('Signer.sign`', 1, true) ~= nil
end)
vim.cmd('Kenning why --task="how keys are derived" --to=buffer Signer.derive_key')
t.wait('the rank is explained for another task', function()
  return vim.api.nvim_buf_get_name(0):find('kenning://why/', 1, true) ~= nil
end)
t.check('the buffer is Markdown that cannot be changed', vim.bo.filetype == 'markdown' and not vim.bo.modifiable)
vim.cmd.bwipeout()

vim.cmd('Kenning log')
t.wait('the log opens', function()
  return vim.api.nvim_buf_get_name(0) == 'kenning://log'
end)
local log = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
t.check('the log has messages of the server', log:find('INFO', 1, true) ~= nil, log)
vim.cmd.bwipeout()

-- Completion.
local function complete(lead, line)
  return table.concat(commands.complete(lead, line), ' ')
end
local subcommands = 'blast changes enrich files log note pack reindex restart search status tests why'
t.check('subcommands are completed', complete('', 'Kenning ') == subcommands, complete('', 'Kenning '))
t.check('subcommands are completed from a prefix', complete('re', 'Kenning re') == 'reindex restart')
t.check(
  'values of flags are completed',
  complete('--to=', 'Kenning pack --to=') == '--to=register --to=buffer --to=float'
)
t.check('flags of other subcommands are not completed', complete('--depth', 'Kenning files --depth') == '')
t.check(
  'files are completed',
  complete('src/itsdangerous/ti', 'Kenning files src/itsdangerous/ti') == 'src/itsdangerous/timed.py'
)
t.check('branches are completed', complete('ma', 'Kenning changes ma') == 'main')
t.check('branches are completed in --base', complete('--base=ma', 'Kenning tests --base=ma') == '--base=main')
t.check(
  'symbols of the last pack are completed',
  complete('src/', 'Kenning why src/'):find('::Signer.sign', 1, true) ~= nil
)
t.check('Neovim completes the command', vim.fn.getcompletion('Kenning st', 'cmdline')[1] == 'status')

-- Invalid arguments.
t.run_command('nonsense', 'nonsense is not a subcommand; use one of blast, ')
t.run_command('pack --nonsense x', '--nonsense is not a flag of :Kenning pack')
t.run_command('pack --to=nowhere x', '--to must be one of register, buffer, float, not nowhere')
t.run_command('pack --budget=many x', '--budget: many is not a number')
t.run_command('pack --budget x', '--budget needs a value')
t.run_command('context --budget x', '--budget needs a value') -- a former name
t.run_command('pack --no-learning=1 x', '--no-learning takes no value')
t.run_command('status now', ':Kenning status takes no arguments')
t.run_command('changes no-such-revision', 'no-such-revision')
vim.cmd.enew()
t.run_command('files', 'this buffer is not a file')
t.run_command('blast', 'this buffer is not in the index')

-- Every <Plug> mapping works, and the plugin maps no other key.
local plugs = { 'pack', 'context', 'files', 'changes', 'blast', 'tests', 'search', 'why', 'explain', 'status', 'lens' }
for _, name in ipairs(plugs) do
  t.check(name .. ' is mapped', vim.fn.maparg(('<Plug>(kenning-%s)'):format(name), 'n') ~= '')
end
for _, map in ipairs(vim.api.nvim_get_keymap('n')) do
  local is_ours = (map.rhs or ''):find('Kenning', 1, true)
  t.check('the plugin maps no key', not is_ours or vim.startswith(map.lhs, '<Plug>'), map.lhs)
end

-- Neovim itself runs the server's code action that copies a context.
vim.cmd.edit('src/itsdangerous/signer.py')
local client = t.wait_until_ready()
t.move_to('def sign(', 'sign')
local params = vim.lsp.util.make_range_params(0, client.offset_encoding)
params.context = { diagnostics = {} }
local actions
require('kenning.lsp').request(client, 'textDocument/codeAction', params, function(_, result)
  actions = result
end, 0)
t.wait('the server offers code actions', function()
  return actions ~= nil and #actions == 2
end)
local copy = vim.tbl_filter(function(action)
  return action.title == 'Copy context for Signer.sign'
end, actions)[1]
t.check('an action copies the context', copy ~= nil, actions)
local from = #t.messages + 1
local command = type(copy.command) == 'table' and copy.command or copy -- 0.10 receives commands instead of actions
client.commands[command.command](command, { client_id = client.id, bufnr = 0 })
t.wait('the context is copied', function()
  return t.has_message('copied to register', from)
end)
