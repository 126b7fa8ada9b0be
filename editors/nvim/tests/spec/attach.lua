-- `vim.lsp.enable('kenning')` attaches the server without setup(). Neovim 0.10 needs `setup{}`.
local t = require('support')

vim.cmd.edit('src/itsdangerous/signer.py')
local client, status = t.wait_until_ready()
local info = client.server_info -- available in 0.11 and later
t.check('the server is named kenning', info == nil or info.name == 'kenning', info)
local repository = vim.uv.fs_realpath(vim.env.KENNING_TEST_REPOSITORY)
t.check('the workspace is the repository', status.root == repository, status.root)
t.check('the repository is indexed', status.symbols > 100, status.symbols)

vim.cmd.edit('LICENSE.txt')
t.check('files in other languages are not attached', #vim.lsp.get_clients({ name = 'kenning', bufnr = 0 }) == 0)
vim.cmd.edit('tests/test_itsdangerous/test_signer.py')
t.wait('a second file is attached', function()
  return vim.lsp.get_clients({ name = 'kenning', bufnr = 0 })[1] ~= nil
end)
t.check('there is one client', #t.clients() == 1)

-- Several languages use these extensions, so Neovim looks at the text as well.
local TEXTS = {
  inc = { '<?php' },
  m = { '#import <Foundation/Foundation.h>' },
  mm = { '#import <Foundation/Foundation.h>' },
  tf = { 'resource "null_resource" "x" {', '}' },
}

--- Returns the filetype of a file with an extension.
local function match_filetype(extension)
  local text = TEXTS[extension]
  if not text then
    return vim.filetype.match({ filename = 'x.' .. extension })
  end
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, true, text)
  return vim.filetype.match({ filename = 'x.' .. extension, buf = buffer })
end

-- The client serves every language that Kenning parses and recognizes by its extension. It serves
-- neither manifests nor notebooks (JSON for Neovim), nor files that Kenning recognizes by their
-- text.
local rows = io.open(vim.env.KENNING_TEST_ROOT .. '/indexing/languages.toml'):read('a')
for row in (rows .. '[[language]]'):gmatch('id = "[^\n]+\n(.-)%[%[') do
  local extensions = ('\n' .. row):match('\nextensions = %[(.-)%]') or ''
  local is_served = not (row:find('unparsed = true', 1, true) or row:find('document = "notebook"', 1, true))
  if is_served then
    for extension in extensions:gmatch('"(%w+)"') do
      local filetype = match_filetype(extension)
      if filetype then
        t.check(extension .. ' is served', vim.tbl_contains(client.config.filetypes, filetype), filetype)
      end
    end
  end
end
t.check('no message was shown', #t.messages == 0, t.messages)
