-- The other subcommands, completion, and the messages for mistakes.
local t = require('support')

vim.cmd.edit('src/itsdangerous/signer.py')
t.ready()
local commands = require('kenning.commands')

local function float_with(text)
  t.wait(('a float shows %q'):format(text), function()
    return table.concat(t.floats(), '\n'):find(text, 1, true) ~= nil
  end, t.floats)
  local floats = t.floats()
  vim.cmd.close()
  return floats[1] or ''
end

vim.cmd('Kenning status')
local status = float_with('state: ready')
for _, word in ipairs({ 'indexed: ', 'calls resolved: ', 'database: ', 'version: ' }) do
  t.check('the status has ' .. word, status:find(word, 1, true) ~= nil, status)
end
vim.cmd('Kenning')
float_with('state: ready')
t.kenning('reindex', 'the index is up to date: ')
t.kenning('enrich', 'asking the language servers')
t.kenning('restart servers', 'restarting all language servers')

t.kenning('explain Signer', 'there is no pack yet')
t.kenning('context --register=a --no-learning sign values with a key', 'copied to register a')
vim.cmd('Kenning explain --no-learning Signer.sign')
local why = float_with('# Why `src/itsdangerous/signer.py::Signer.sign`')
t.check('the explanation has the rank', why:find('- rank %d+ of %d+') ~= nil, why)
t.stand_on('def sign(', 'sign')
vim.cmd('Kenning explain --to=register --register=b')
t.wait('the symbol under the cursor is explained', function()
  return vim.fn.getreg('b'):find('Signer.sign`', 1, true) ~= nil
end)
vim.cmd('Kenning explain --task="how keys are derived" --to=buffer Signer.derive_key')
t.wait('for a task of its own', function()
  return vim.api.nvim_buf_get_name(0):find('kenning://why/', 1, true) ~= nil
end)
t.check('the buffer is Markdown that cannot be changed', vim.bo.filetype == 'markdown' and not vim.bo.modifiable)
vim.cmd.bwipeout()

vim.cmd('Kenning log')
t.wait('the log opens', function()
  return vim.api.nvim_buf_get_name(0) == 'kenning://log'
end)
local log = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
t.check('the log has what the server said', log:find('INFO', 1, true) ~= nil, log)
vim.cmd.bwipeout()

-- Completion.
local function completed(lead, line)
  return table.concat(commands.complete(lead, line), ' ')
end
local all = 'blast changes context enrich explain files log reindex restart status tests'
t.check('subcommands', completed('', 'Kenning ') == all, completed('', 'Kenning '))
t.check('their beginnings', completed('re', 'Kenning re') == 'reindex restart')
t.check('flags', completed('--to=', 'Kenning context --to=') == '--to=register --to=buffer --to=float')
t.check('only their own', completed('--depth', 'Kenning files --depth') == '')
t.check('files', completed('src/itsdangerous/ti', 'Kenning files src/itsdangerous/ti') == 'src/itsdangerous/timed.py')
t.check('branches', completed('ma', 'Kenning changes ma') == 'main')
t.check('branches as a base', completed('--base=ma', 'Kenning tests --base=ma') == '--base=main')
t.check('symbols of the last pack', completed('src/', 'Kenning explain src/'):find('::Signer.sign', 1, true) ~= nil)
t.check('in the command line', vim.fn.getcompletion('Kenning st', 'cmdline')[1] == 'status')

-- Mistakes.
t.kenning('nonsense', 'nonsense is not a subcommand; use one of blast, ')
t.kenning('context --nonsense x', '--nonsense is not a flag of :Kenning context')
t.kenning('context --to=nowhere x', '--to must be one of register, buffer, float, not nowhere')
t.kenning('context --budget=many x', '--budget: many is not a number')
t.kenning('context --budget x', '--budget needs a value')
t.kenning('context --no-learning=1 x', '--no-learning takes no value')
t.kenning('status now', ':Kenning status takes no arguments')
t.kenning('changes no-such-revision', 'no-such-revision')
vim.cmd.enew()
t.kenning('files', 'this buffer is not a file')
t.kenning('blast', 'this buffer is not in the index')

-- Every <Plug> mapping works, and the plugin maps no other key.
local plugs = { 'context', 'files', 'changes', 'blast', 'tests', 'explain', 'status', 'lens' }
for _, name in ipairs(plugs) do
  t.check(name .. ' is mapped', vim.fn.maparg(('<Plug>(kenning-%s)'):format(name), 'n') ~= '')
end
for _, map in ipairs(vim.api.nvim_get_keymap('n')) do
  local ours = (map.rhs or ''):find('Kenning', 1, true)
  t.check('no key is taken', not ours or vim.startswith(map.lhs, '<Plug>'), map.lhs)
end

-- Neovim itself runs the server's code action that copies a context.
vim.cmd.edit('src/itsdangerous/signer.py')
local client = t.ready()
t.stand_on('def sign(', 'sign')
local params = vim.lsp.util.make_range_params(0, client.offset_encoding)
params.context = { diagnostics = {} }
local actions
require('kenning.lsp').request(client, 'textDocument/codeAction', params, function(_, result)
  actions = result
end, 0)
t.wait('actions are offered', function()
  return actions ~= nil and #actions == 2
end)
local copy = vim.tbl_filter(function(action)
  return action.title == 'Copy context for Signer.sign'
end, actions)[1]
t.check('one copies the context', copy ~= nil, actions)
local from = #t.said + 1
local command = type(copy.command) == 'table' and copy.command or copy -- 0.10 gets commands, not actions
client.commands[command.command](command, { client_id = client.id, bufnr = 0 })
t.wait('it is copied', function()
  return t.was_said('copied to register', from)
end)
