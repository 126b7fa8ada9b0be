-- The windows of the stand-ins for picker plugins: a floating preview, and opening a file.
local M = {}

local preview ---@type integer?

--- Shows a file in a floating window with the cursor at a line.
function M.preview(file, line)
  M.close()
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.fn.readfile(file))
  preview = vim.api.nvim_open_win(
    buffer,
    false,
    { relative = 'editor', row = 0, col = 0, width = 40, height = 10, style = 'minimal' }
  )
  vim.api.nvim_win_set_cursor(preview, { line, 0 })
end

function M.close()
  if preview then
    vim.api.nvim_win_close(preview, true)
    preview = nil
  end
end

--- Closes the preview and opens a file, with the cursor at a line and a column from 0.
function M.open(file, line, column)
  M.close()
  vim.cmd.edit(file)
  vim.api.nvim_win_set_cursor(0, { line, column })
end

return M
