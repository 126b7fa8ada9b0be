-- The report of `:checkhealth kenning` on a working installation and on broken ones.
local t = require('support')

local function report()
  vim.cmd('checkhealth kenning')
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  vim.cmd.bwipeout()
  return text
end

local function check_contains(text, expected)
  t.check(('the report has %q'):format(expected), text:find(expected, 1, true) ~= nil, text)
end

--- Configures the program. Neovim 0.10 uses the options of setup().
local function configure_program(path, settings)
  if vim.fn.has('nvim-0.11') == 1 then
    vim.lsp.config('kenning', { cmd = { path, 'serve' }, settings = { kenning = settings or {} } })
  else
    require('kenning.options').set({ cmd = { path, 'serve' }, settings = settings })
  end
end

--- Creates a program that runs a shell command.
local function create_program(command)
  local path = vim.fn.tempname()
  vim.fn.writefile({ '#!/bin/sh', command }, path)
  vim.fn.setfperm(path, 'rwxr-xr-x')
  return path
end

check_contains(report(), 'WARNING No server is running')
vim.cmd.edit('src/itsdangerous/signer.py')
t.wait_until_ready()
local working = report()
t.check('a working installation has no errors', not working:find('ERROR', 1, true), working)
check_contains(working, 'OK ' .. vim.fn.exepath('kenning') .. ', version ' .. require('kenning').version)
check_contains(working, 'All settings have their default values')
check_contains(working, '- state: ready')
check_contains(working, 'grammars')

configure_program(
  create_program('echo kenning 99.0.0'),
  { codeLens = { minimumCallers = 2, enabeld = true }, servers = { gopls = { enabled = false } } }
)
local other = report()
check_contains(other, 'is version 99.0.0, this plugin is ' .. require('kenning').version)
check_contains(other, 'WARNING kenning.codeLens.enabeld is not an option')
check_contains(other, 'kenning.codeLens.minimumCallers = 2')
check_contains(other, 'kenning.servers.gopls.enabled = false')
configure_program(create_program('echo other 1.0'))
check_contains(report(), 'is not Kenning: it identifies itself as other 1.0')
configure_program(create_program('echo broken >&2; exit 3'))
check_contains(report(), '--version failed: exit code 3: broken')
