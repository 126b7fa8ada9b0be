-- Kenning works alongside gopls and pyright: every server answers for the buffer, before and after
-- an unsaved edit.
local t = require('support')

vim.fn.setenv('PATH', vim.env.KENNING_TEST_SERVERS .. ':' .. vim.env.PATH)

local function float_text()
  return table.concat(t.floats(), '\n')
end

--- Closes the windows of hovers, because another hover would move the cursor into them.
local function close_floats()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      vim.api.nvim_win_close(window, true)
    end
  end
end

local has_nvim_011 = vim.fn.has('nvim-0.11') == 1

--- Waits until the hovers on the screen contain all texts. Neovim 0.10 shows only the last hover, so
--- there each text must appear after one of the requests.
local function expect_hover(name, texts)
  local missing = vim.deepcopy(texts)
  t.wait(name, function()
    close_floats()
    vim.lsp.buf.hover()
    vim.wait(500, function()
      return #t.floats() > 0
    end)
    local shown = float_text()
    missing = vim
      .iter(has_nvim_011 and texts or missing)
      :filter(function(text)
        return not shown:find(text, 1, true)
      end)
      :totable()
    return #missing == 0
  end, float_text)
  if not has_nvim_011 then
    vim.wait(500) -- the last hover may still come and move the cursor into its window
  end
  close_floats()
end

--- Opens a file, starts another server for it, and waits until that server and Kenning are
--- attached.
local function open_with(file, server, command)
  vim.cmd.edit(file)
  vim.lsp.start({ name = server, cmd = command, root_dir = vim.fn.getcwd() })
  t.wait(server .. ' and Kenning are attached', function()
    return #vim.lsp.get_clients({ bufnr = 0 }) == 2
  end, function()
    return vim.inspect(t.messages)
  end)
end

--- Returns the number of definitions that a server finds under the cursor.
local function count_definitions(server)
  local client = vim.lsp.get_clients({ name = server })[1]
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local request_sync = client.request_sync
  local answer
  if has_nvim_011 then
    answer = request_sync(client, 'textDocument/definition', params, 30000, 0)
  else
    answer = request_sync('textDocument/definition', params, 30000, 0)
  end
  return answer and answer.result and #answer.result or 0
end

vim.fn.writefile({ 'module example.org/shop', '', 'go 1.21' }, 'go.mod')
vim.fn.writefile({
  'package main',
  '',
  '// price returns what an item costs.',
  'func price(item string) int { return len(item) }',
  '',
  'func main() { println(price("tea")) }',
}, 'main.go')
open_with('main.go', 'gopls', { 'gopls' })
t.move_to('println(price', 'price')
expect_hover('both hovers are shown', { 'Blast radius', '1 caller', 'func price(item string) int' })
vim.api.nvim_buf_set_lines(0, -1, -1, true, { '', 'func total() int { return price("cake") }' })
expect_hover('both hovers include an unsaved edit', { 'Blast radius', '2 callers', 'func price(item string) int' })
t.move_to('func total', 'price')
t.check('gopls finds the definition', count_definitions('gopls') == 1, count_definitions('gopls'))
vim.cmd('silent write')

open_with('src/itsdangerous/signer.py', 'pyright', { 'pyright-langserver', '--stdio' })
t.move_to('def derive_key', 'derive_key')
expect_hover('both hovers are shown for Python', { 'Blast radius', 'caller', '(method) def derive_key' })
t.check('pyright finds the definition', count_definitions('pyright') == 1, count_definitions('pyright'))
for _, message in ipairs(t.messages) do
  t.check('no server complains', not message:lower():find('error', 1, true), message)
end
