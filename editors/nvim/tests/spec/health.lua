-- The report on a good installation, and on broken ones.
local t = require('support')

local function report()
  vim.cmd('checkhealth kenning')
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  vim.cmd.bwipeout()
  return text
end

local function has(text, wanted)
  t.check(('the report has %q'):format(wanted), text:find(wanted, 1, true) ~= nil, text)
end

--- Sets the program; Neovim 0.10 takes it from setup().
local function name_program(path, settings)
  if vim.fn.has('nvim-0.11') == 1 then
    vim.lsp.config('kenning', { cmd = { path, 'serve' }, settings = { kenning = settings or {} } })
  else
    require('kenning.options').set({ cmd = { path, 'serve' }, settings = settings })
  end
end

--- Creates a program that runs the shell command `words`.
local function program(words)
  local path = vim.fn.tempname()
  vim.fn.writefile({ '#!/bin/sh', words }, path)
  vim.fn.setfperm(path, 'rwxr-xr-x')
  return path
end

has(report(), 'WARNING no server is running')
vim.cmd.edit('src/itsdangerous/signer.py')
t.ready()
local good = report()
t.check('nothing is wrong', not good:find('ERROR', 1, true), good)
has(good, 'OK ' .. vim.fn.exepath('kenning') .. ', version ' .. require('kenning').version)
has(good, 'all settings are the defaults')
has(good, '- state: ready')
has(good, 'grammar python')

name_program(
  program('echo kenning 99.0.0'),
  { codeLens = { minimumCallers = 2, enabeld = true }, servers = { gopls = { enabled = false } } }
)
local odd = report()
has(odd, 'is version 99.0.0, this plugin is ' .. require('kenning').version)
has(odd, 'WARNING kenning.codeLens.enabeld is not an option')
has(odd, 'kenning.codeLens.minimumCallers = 2')
has(odd, 'kenning.servers.gopls.enabled = false')
name_program(program('echo other 1.0'))
has(report(), 'is not Kenning: it identifies itself as other 1.0')
name_program(program('echo broken >&2; exit 3'))
has(report(), '--version failed: status 3: broken')
