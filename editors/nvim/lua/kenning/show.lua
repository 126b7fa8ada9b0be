-- Shows texts in a register, a scratch buffer or a floating window, byte for byte.
local M = {}

-- Maximum share of the screen's width and height for a floating window.
local MAX_SCREEN_SHARE = 0.8

--- Returns the default register: the clipboard's if there is a clipboard, else the unnamed
--- register.
function M.default_register()
  return vim.fn.has('clipboard') == 1 and '+' or '"'
end

--- Creates a read-only buffer with the text.
local function create_scratch_buffer(name, text, filetype, root)
  local buffer = vim.api.nvim_create_buf(false, true)
  local lines = vim.split(text, '\n', { plain = true })
  if lines[#lines] == '' then
    table.remove(lines)
  else
    vim.bo[buffer].endofline = false
    vim.bo[buffer].fixendofline = false
  end
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  -- The buffer replaces an older one for the same request.
  for _, old in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(old) == name then
      vim.api.nvim_buf_delete(old, { force = true })
    end
  end
  vim.api.nvim_buf_set_name(buffer, name)
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].filetype = filetype
  if root then
    -- Lets `gf` and `gF` find the files that the text names.
    vim.bo[buffer].path = vim.fn.escape(root, ' ,\\')
  end
  return buffer
end

--- Shows a buffer in a floating window, which `q` and Escape close.
local function open_float(buffer, title)
  local width = math.max(20, math.floor(vim.o.columns * MAX_SCREEN_SHARE))
  local height = math.max(5, math.floor((vim.o.lines - vim.o.cmdheight) * MAX_SCREEN_SHARE))
  local lines = vim.api.nvim_buf_line_count(buffer)
  height = math.min(height, lines)
  local window = vim.api.nvim_open_win(buffer, true, {
    relative = 'editor',
    width = width,
    height = height,
    row = math.floor((vim.o.lines - height) / 2) - 1,
    col = math.floor((vim.o.columns - width) / 2),
    style = 'minimal',
    border = 'rounded',
    title = ' ' .. vim.fn.strcharpart(title, 0, width - 4) .. ' ',
  })
  vim.wo[window].wrap = false
  for _, key in ipairs({ 'q', '<Esc>' }) do
    vim.keymap.set('n', key, '<Cmd>close<CR>', { buffer = buffer, nowait = true, desc = 'Close' })
  end
end

---@class kenning.ShownText
---@field title string
---@field text string
---@field filetype string
---@field root? string The folder to which paths in the text are relative.

--- Shows a text.
---@param content kenning.ShownText
---@param to 'register'|'buffer'|'float'
---@param register? string
function M.text(content, to, register)
  if type(content.text) ~= 'string' then
    local message = 'Kenning: the server returned no text; its version may not match this plugin'
    vim.notify(message .. '; see :checkhealth kenning', vim.log.levels.ERROR)
    return
  end
  if to == 'register' then
    vim.fn.setreg(register or M.default_register(), content.text)
    return
  end
  local buffer = create_scratch_buffer(
    'kenning://' .. content.title:gsub('[%c%s]+', ' '),
    content.text,
    content.filetype,
    content.root
  )
  if to == 'float' then
    open_float(buffer, content.title)
  else
    vim.cmd.sbuffer({ args = { buffer }, mods = { split = 'botright' } })
  end
end

return M
