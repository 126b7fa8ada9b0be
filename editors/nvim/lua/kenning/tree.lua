-- Shows the users of a symbol as a tree in a scratch buffer: roles, files, users, and below a user
-- its own users, which the server is asked for when the user is opened.
local lsp = require('kenning.lsp')
local words = require('kenning.words')

local M = {}

---@class kenning.TreeNode
---@field text string
---@field children? kenning.TreeNode[] nil until the server was asked
---@field open boolean
---@field user? kenning.protocol.User
---@field above table<string, boolean> ids of the symbols above it

--- Returns the line of a user: where it uses the symbol, its name, and what it does.
---@param user kenning.protocol.User
---@param with_file? boolean
function M.user_text(user, with_file)
  local line = type(user.use_line) == 'number' and user.use_line or user.line
  local place = with_file and ('%s:%d'):format(user.file, line) or tostring(line)
  local test = user.is_test and ', test' or ''
  return ('%s%s  %s (%s%s)'):format(user.ambiguous and '~' or '', place, user.name, user.relation, test)
end

--- Returns the heading of a group with its number.
---@param group kenning.protocol.UserGroup
function M.group_text(group)
  local count = group.count
  local number = words.grouped(count.value)
  return ('%s: %s%s%s'):format(group.label, count.approximate and '~' or '', number, count.capped and '+' or '')
end

local function user_node(user, above, with_file)
  local recursive = above[user.id]
  local expandable = user.has_users and user.location and not recursive
  local text = M.user_text(user, with_file) .. (recursive and ' (recursive)' or '')
  return { text = text, user = user, above = above, open = false, children = not expandable and {} or nil }
end

--- Builds the nodes of an answer: roles, files and users.
local function role_nodes(answer)
  local above = { [answer.target.id] = true }
  return vim.tbl_map(function(group)
    local files = vim.tbl_map(function(file)
      local users = vim.tbl_map(function(user)
        return user_node(user, above, false)
      end, file.users)
      return { text = file.file, children = users, open = true, above = above }
    end, group.files)
    return { text = M.group_text(group), children = files, open = true, above = above }
  end, answer.users)
end

--- Builds the nodes below a user: its direct users, each once.
local function nested_nodes(node, answer)
  local above = vim.tbl_extend('force', node.above, { [node.user.id] = true })
  local nodes, seen = {}, {}
  for _, group in ipairs(answer.users) do
    for _, file in ipairs(group.files) do
      for _, user in ipairs(file.users) do
        if user.distance == 1 and not seen[user.id] then
          seen[user.id] = true
          table.insert(nodes, user_node(user, above, true))
        end
      end
    end
  end
  if #nodes == 0 then
    local text = answer.no_users or 'No direct users found.'
    table.insert(nodes, { text = text, children = {}, open = false, above = above })
  end
  return nodes
end

---@class kenning.Tree
---@field client vim.lsp.Client
---@field buffer integer
---@field head string[] the lines above the tree
---@field roots kenning.TreeNode[]
---@field rows kenning.TreeNode[] the node of each line below the head
local Tree = {}
Tree.__index = Tree

function Tree:render()
  local lines = vim.list_extend({}, self.head)
  self.rows = {}
  local function add(nodes, depth)
    for _, node in ipairs(nodes) do
      local leaf = node.children ~= nil and #node.children == 0
      local mark = leaf and ' ' or (node.open and '▾' or '▸')
      table.insert(lines, ('%s%s %s'):format(('  '):rep(depth), mark, (node.text:gsub('[%c]', ' '))))
      table.insert(self.rows, node)
      if node.open and node.children then
        add(node.children, depth + 1)
      end
    end
  end
  add(self.roots, 0)
  vim.bo[self.buffer].modifiable = true
  vim.api.nvim_buf_set_lines(self.buffer, 0, -1, false, lines)
  vim.bo[self.buffer].modifiable = false
end

--- Returns the node under the cursor.
function Tree:node()
  return self.rows[vim.api.nvim_win_get_cursor(0)[1] - #self.head]
end

--- Opens or closes the node under the cursor. A user is opened with its own users.
function Tree:toggle()
  local node = self:node()
  if not node or (node.children and #node.children == 0) then
    return
  end
  if node.children then
    node.open = not node.open
    self:render()
    return
  end
  local asked = { symbol = node.user.id, textDocument = { uri = node.user.location.uri }, depth = 1 }
  lsp.command(self.client, 'kenning.blastRadius', asked, function(answer)
    if vim.api.nvim_buf_is_valid(self.buffer) then
      node.children, node.open = nested_nodes(node, answer), true
      self:render()
    end
  end)
end

--- Goes to the use of the node under the cursor, in the window that was left for the tree.
function Tree:jump()
  local node = self:node()
  local location = node and node.user and (node.user.use_location or node.user.location)
  if not location then
    self:toggle()
    return
  end
  vim.cmd.wincmd('p')
  if vim.api.nvim_get_current_buf() == self.buffer then
    vim.cmd.split({ mods = { split = 'aboveleft' } })
  end
  vim.lsp.util.show_document(location, self.client.offset_encoding, { reuse_win = false, focus = true })
end

--- Shows the users of a symbol.
---@param client vim.lsp.Client
---@param answer kenning.protocol.BlastRadius
---@param head string[] the lines above the tree
function M.show(client, answer, head)
  local buffer = vim.api.nvim_create_buf(false, true)
  local name = 'kenning://users/' .. answer.target.name:gsub('[%c%s]+', ' ')
  for _, old in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(old) == name then
      vim.api.nvim_buf_delete(old, { force = true })
    end
  end
  vim.api.nvim_buf_set_name(buffer, name)
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].filetype = 'kenning-users'
  local tree = setmetatable({ client = client, buffer = buffer, head = head, roots = role_nodes(answer) }, Tree)
  tree:render()
  vim.cmd.sbuffer({ args = { buffer }, mods = { split = 'botright' } })
  vim.wo.wrap = false
  local function map(key, action, desc)
    vim.keymap.set('n', key, function()
      tree[action](tree)
    end, { buffer = buffer, nowait = true, desc = desc })
  end
  map('<CR>', 'jump', 'Go to the use')
  map('<Tab>', 'toggle', 'Open or close')
  map('o', 'toggle', 'Open or close')
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buffer, nowait = true, desc = 'Close' })
  local first = math.min(#head + 1, vim.api.nvim_buf_line_count(buffer))
  vim.api.nvim_win_set_cursor(0, { first, 0 })
end

return M
