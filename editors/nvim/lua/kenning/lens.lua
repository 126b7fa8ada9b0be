-- Code lenses. In Neovim 0.10 and 0.11 this module draws Kenning's lenses; later versions draw the
-- lenses of every server themselves.
local lsp = require('kenning.lsp')
local options = require('kenning.options')

local M = {}

-- Time without a change before lenses are requested again, in milliseconds.
local DEBOUNCE = 150

local requesting = {} ---@type table<integer, boolean> buffers with a pending request for lenses
local outdated = {} ---@type table<integer, boolean> buffers that changed during the pending request
local timers = {} ---@type table<integer, uv.uv_timer_t> timers of scheduled requests, by buffer

--- Draws resolved lenses, all of them at once so that nothing flickers.
local function draw(client, buffer, lenses)
  if vim.api.nvim_buf_is_loaded(buffer) and vim.lsp.buf_is_attached(buffer, client.id) then
    vim.lsp.codelens.save(lenses, buffer, client.id)
    vim.lsp.codelens.display(lenses, buffer, client.id)
  end
end

--- Resolves the lenses that have no command and then calls `done`.
local function resolve(client, buffer, lenses, done)
  local unresolved = #lenses
  if unresolved == 0 then
    done()
  end
  for _, lens in ipairs(lenses) do
    local function on_resolved(_, resolved)
      lens.command = resolved and resolved.command or lens.command
      unresolved = unresolved - 1
      if unresolved == 0 then
        done()
      end
    end
    if lens.command then
      on_resolved(nil, lens)
    else
      lsp.request(client, 'codeLens/resolve', lens, on_resolved, buffer)
    end
  end
end

--- Requests a buffer's lenses and draws them (only in Neovim 0.10 and 0.11).
local function refresh(client, buffer)
  if requesting[buffer] then
    outdated[buffer] = true
    return
  end
  if not vim.api.nvim_buf_is_loaded(buffer) or not vim.lsp.buf_is_attached(buffer, client.id) then
    return
  end
  requesting[buffer] = true
  local function finish()
    requesting[buffer] = nil
    if outdated[buffer] then
      outdated[buffer] = nil
      refresh(client, buffer)
    end
  end
  local tick = vim.api.nvim_buf_get_changedtick(buffer)
  local params = { textDocument = vim.lsp.util.make_text_document_params(buffer) }
  lsp.request(client, 'textDocument/codeLens', params, function(err, lenses)
    if err or not lenses then
      finish()
      return
    end
    resolve(client, buffer, lenses, function()
      -- If the text changed meanwhile, request the lenses again instead. `:edit` attaches the
      -- client before it has read the file, and reports no change after that.
      if vim.api.nvim_buf_is_loaded(buffer) and vim.api.nvim_buf_get_changedtick(buffer) == tick then
        lenses = vim.tbl_filter(function(lens)
          return lens.command ~= nil
        end, lenses)
        draw(client, buffer, lenses)
      else
        outdated[buffer] = true
      end
      finish()
    end)
  end, buffer)
end

--- Requests lenses when the buffer has not changed for the debounce time.
local function schedule_refresh(client, buffer)
  local timer = timers[buffer]
  if timer and not timer:is_closing() then
    timer:stop()
    timer:close()
  end
  timers[buffer] = vim.defer_fn(function()
    timers[buffer] = nil
    refresh(client, buffer)
  end, DEBOUNCE)
end

--- Requests lenses again after every change until the client detaches from the buffer.
local function refresh_on_changes(client, buffer)
  local function on_change()
    if not vim.lsp.buf_is_attached(buffer, client.id) then
      return true
    end
    schedule_refresh(client, buffer)
  end
  vim.api.nvim_buf_attach(buffer, false, { on_lines = on_change, on_reload = on_change })
end

--- Draws the lenses of a buffer and keeps them up to date.
---@param client vim.lsp.Client
---@param buffer integer
function M.attach(client, buffer)
  if not options.get().code_lens then
    return
  end
  if vim.fn.has('nvim-0.12') == 1 then
    -- Enable lenses for all servers of the buffer, because Neovim keeps the state for a single
    -- server after that server has ended.
    vim.lsp.codelens.enable(true, { bufnr = buffer })
    return
  end
  -- If another client served the buffer before, forget its pending requests.
  requesting[buffer], outdated[buffer] = nil, nil
  refresh_on_changes(client, buffer)
  refresh(client, buffer)
end

--- Refreshes the lenses of all buffers, because the server has new numbers.
---@param client_id integer
function M.refresh_all(client_id)
  local client = vim.lsp.get_client_by_id(client_id)
  if not client or not options.get().code_lens then
    return
  end
  for buffer in pairs(client.attached_buffers) do
    refresh(client, buffer)
  end
end

--- Redraws the lenses after the user has run one, because Neovim 0.11 removes it from the screen.
---@param client_id integer
---@param buffer integer
function M.after_run(client_id, buffer)
  local client = vim.lsp.get_client_by_id(client_id)
  if client and vim.fn.has('nvim-0.12') == 0 then
    refresh(client, buffer)
  end
end

return M
