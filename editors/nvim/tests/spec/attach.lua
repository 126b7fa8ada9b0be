-- Without setup(), `vim.lsp.enable('kenning')` is enough (Neovim 0.10: `setup{}`).
local t = require('support')

vim.cmd.edit('src/itsdangerous/signer.py')
local client, status = t.ready()
local info = client.server_info -- 0.11 and later have it
t.check('the server calls itself kenning', info == nil or info.name == 'kenning', info)
local repository = vim.uv.fs_realpath(vim.env.KENNING_TEST_REPOSITORY)
t.check('the workspace is the repository', status.root == repository, status.root)
t.check('the repository is indexed', status.symbols > 100, status.symbols)

vim.cmd.edit('README.md')
t.check('other languages are left alone', #vim.lsp.get_clients({ name = 'kenning', bufnr = 0 }) == 0)
vim.cmd.edit('tests/test_itsdangerous/test_signer.py')
t.wait('a second file has the same client', function()
  return vim.lsp.get_clients({ name = 'kenning', bufnr = 0 })[1] ~= nil
end)
t.check('there is one client', #t.clients() == 1)

-- The client serves every language that Kenning indexes.
for extension in
  io.open(vim.env.KENNING_TEST_ROOT .. '/indexing/languages.toml'):read('a'):gmatch('extensions = %[(.-)%]')
do
  for ending in extension:gmatch('"(%w+)"') do
    local filetype = vim.filetype.match({ filename = 'x.' .. ending })
    if filetype then
      t.check(ending .. ' is served', vim.tbl_contains(client.config.filetypes, filetype), filetype)
    end
  end
end
t.check('nothing was complained about', #t.said == 0, t.said)
