-- Code lenses. In Neovim 0.10 and 0.11 this module draws Kenning's lenses; later versions draw
-- those of every server themselves.
local lsp = require('kenning.lsp')
local options = require('kenning.options')

local M = {}

local QUIET = 150 -- milliseconds without a change, before lenses are requested again

local asking = {} ---@type table<integer, boolean> buffers with a pending request for lenses
local again = {} ---@type table<integer, boolean> buffers to refresh after the pending request
local due = {} ---@type table<integer, uv.uv_timer_t> timers of planned requests, by buffer

--- Draws resolved lenses, all of them at once so that nothing flickers.
local function draw(client, buffer, lenses)
  if vim.api.nvim_buf_is_loaded(buffer) and vim.lsp.buf_is_attached(buffer, client.id) then
    vim.lsp.codelens.save(lenses, buffer, client.id)
    vim.lsp.codelens.display(lenses, buffer, client.id)
  end
end

local function resolve(client, buffer, lenses, done)
  local left = #lenses
  if left == 0 then
    done()
  end
  for _, lens in ipairs(lenses) do
    local function answered(_, resolved)
      lens.command = resolved and resolved.command or lens.command
      left = left - 1
      if left == 0 then
        done()
      end
    end
    if lens.command then
      answered(nil, lens)
    else
      lsp.request(client, 'codeLens/resolve', lens, answered, buffer)
    end
  end
end

--- Requests a buffer's lenses and draws them (only in Neovim 0.10 and 0.11).
local function refresh(client, buffer)
  if asking[buffer] then
    again[buffer] = true
    return
  end
  if not vim.api.nvim_buf_is_loaded(buffer) or not vim.lsp.buf_is_attached(buffer, client.id) then
    return
  end
  asking[buffer] = true
  local function finished()
    asking[buffer] = nil
    if again[buffer] then
      again[buffer] = nil
      refresh(client, buffer)
    end
  end
  local changed = vim.api.nvim_buf_get_changedtick(buffer)
  local params = { textDocument = vim.lsp.util.make_text_document_params(buffer) }
  lsp.request(client, 'textDocument/codeLens', params, function(problem, lenses)
    if problem or not lenses then
      finished()
      return
    end
    resolve(client, buffer, lenses, function()
      -- If the text changed meanwhile, skip drawing; the change has triggered a new request.
      if vim.api.nvim_buf_is_loaded(buffer) and vim.api.nvim_buf_get_changedtick(buffer) == changed then
        lenses = vim.tbl_filter(function(lens)
          return lens.command ~= nil
        end, lenses)
        draw(client, buffer, lenses)
      end
      finished()
    end)
  end, buffer)
end

--- Requests lenses once the buffer has been quiet.
local function plan(client, buffer)
  local timer = due[buffer]
  if timer and not timer:is_closing() then
    timer:stop()
    timer:close()
  end
  due[buffer] = vim.defer_fn(function()
    due[buffer] = nil
    refresh(client, buffer)
  end, QUIET)
end

--- Requests lenses again after every change until the client detaches from the buffer.
local function follow(client, buffer)
  local function changed()
    if not vim.lsp.buf_is_attached(buffer, client.id) then
      return true
    end
    plan(client, buffer)
  end
  vim.api.nvim_buf_attach(buffer, false, { on_lines = changed, on_reload = changed })
end

--- Draws the lenses of a buffer from now on.
---@param client vim.lsp.Client
---@param buffer integer
function M.attach(client, buffer)
  if not options.get().code_lens then
    return
  end
  if vim.fn.has('nvim-0.12') == 1 then
    -- Enable lenses for all servers of the buffer: what Neovim stores for a single server outlives
    -- that server.
    vim.lsp.codelens.enable(true, { bufnr = buffer })
    return
  end
  -- A buffer that another client takes over forgets its pending requests.
  asking[buffer], again[buffer] = nil, nil
  follow(client, buffer)
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

--- Redraws the lenses after one ran: Neovim 0.11 removes a lens from the screen when it runs.
---@param client_id integer
---@param buffer integer
function M.after_run(client_id, buffer)
  local client = vim.lsp.get_client_by_id(client_id)
  if client and vim.fn.has('nvim-0.12') == 0 then
    refresh(client, buffer)
  end
end

return M
