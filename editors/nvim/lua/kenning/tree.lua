-- Shows the users of a symbol as a tree in a scratch buffer: roles, files, users, and the users of
-- a user. The plugin requests the users of a user from the server when the user is expanded.
local lsp = require('kenning.lsp')
local words = require('kenning.words')

local M = {}

---@class kenning.TreeNode
---@field text string
---@field children? kenning.TreeNode[] nil until the server returns them
---@field expanded boolean
---@field user? kenning.protocol.SymbolUser
---@field ancestors table<string, boolean> ids of the symbols above the node

--- Formats a user: the position of its use, its name, and a description of the use.
---@param user kenning.protocol.SymbolUser
---@param options { with_file?: boolean }
function M.format_user(user, options)
  local line = type(user.use_line) == 'number' and user.use_line or user.line
  local position = options.with_file and ('%s:%d'):format(user.file, line) or tostring(line)
  local test = user.is_test and ', test' or ''
  return ('%s%s  %s (%s%s)'):format(user.ambiguous and '~' or '', position, user.name, user.relation, test)
end

--- Formats the heading of a group with its count.
---@param group kenning.protocol.UserGroup
function M.format_group(group)
  local count = group.count
  local number = words.format_number(count.value)
  return ('%s: %s%s%s'):format(group.label, count.approximate and '~' or '', number, count.capped and '+' or '')
end

--- Builds the node of a user. `options.with_file` adds the file to its text.
local function build_user_node(user, ancestors, options)
  local recursive = ancestors[user.id]
  local expandable = user.has_users and user.location and not recursive
  local text = M.format_user(user, options) .. (recursive and ' (recursive)' or '')
  local children = not expandable and {} or nil
  return { text = text, user = user, ancestors = ancestors, expanded = false, children = children }
end

--- Builds the nodes of an answer: roles, files and users.
local function build_role_nodes(answer)
  local ancestors = { [answer.target.id] = true }
  return vim.tbl_map(function(group)
    local files = vim.tbl_map(function(file)
      local users = vim.tbl_map(function(user)
        return build_user_node(user, ancestors, {})
      end, file.users)
      return { text = file.file, children = users, expanded = true, ancestors = ancestors }
    end, group.files)
    return { text = M.format_group(group), children = files, expanded = true, ancestors = ancestors }
  end, answer.users)
end

--- Builds the nodes below a user: its direct users, each once.
local function build_nested_nodes(node, answer)
  local ancestors = vim.tbl_extend('force', node.ancestors, { [node.user.id] = true })
  local nodes, seen = {}, {}
  for _, group in ipairs(answer.users) do
    for _, file in ipairs(group.files) do
      for _, user in ipairs(file.users) do
        if user.distance == 1 and not seen[user.id] then
          seen[user.id] = true
          table.insert(nodes, build_user_node(user, ancestors, { with_file = true }))
        end
      end
    end
  end
  if #nodes == 0 then
    local text = answer.no_users or 'No direct users found.'
    table.insert(nodes, { text = text, children = {}, expanded = false, ancestors = ancestors })
  end
  return nodes
end

---@class kenning.Tree
---@field client vim.lsp.Client
---@field buffer integer
---@field header string[] the lines above the tree
---@field roots kenning.TreeNode[]
---@field rows kenning.TreeNode[] the node of each line below the header
local Tree = {}
Tree.__index = Tree

--- Writes the lines of the header and of the visible nodes to the buffer.
function Tree:render()
  local lines = vim.list_extend({}, self.header)
  self.rows = {}
  local function add(nodes, depth)
    for _, node in ipairs(nodes) do
      local is_leaf = node.children ~= nil and #node.children == 0
      local mark = is_leaf and ' ' or (node.expanded and '▾' or '▸')
      table.insert(lines, ('%s%s %s'):format(('  '):rep(depth), mark, (node.text:gsub('[%c]', ' '))))
      table.insert(self.rows, node)
      if node.expanded and node.children then
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
function Tree:current_node()
  return self.rows[vim.api.nvim_win_get_cursor(0)[1] - #self.header]
end

--- Expands or collapses the node under the cursor. A user expands to its own users.
function Tree:toggle()
  local node = self:current_node()
  if not node or (node.children and #node.children == 0) then
    return
  end
  if node.children then
    node.expanded = not node.expanded
    self:render()
    return
  end
  local request = { symbol = node.user.id, textDocument = { uri = node.user.location.uri }, depth = 1 }
  lsp.command(self.client, 'kenning.blastRadius', request, function(answer)
    if vim.api.nvim_buf_is_valid(self.buffer) then
      node.children, node.expanded = build_nested_nodes(node, answer), true
      self:render()
    end
  end)
end

--- Jumps to the use of the node under the cursor, in the previous window.
function Tree:jump()
  local node = self:current_node()
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
---@param header string[] the lines above the tree
function M.show(client, answer, header)
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
  local roots = build_role_nodes(answer)
  local tree = setmetatable({ client = client, buffer = buffer, header = header, roots = roots }, Tree)
  tree:render()
  vim.cmd.sbuffer({ args = { buffer }, mods = { split = 'botright' } })
  vim.wo.wrap = false
  local function map(key, action, desc)
    vim.keymap.set('n', key, function()
      tree[action](tree)
    end, { buffer = buffer, nowait = true, desc = desc })
  end
  map('<CR>', 'jump', 'Jump to the use')
  map('<Tab>', 'toggle', 'Expand or collapse')
  map('o', 'toggle', 'Expand or collapse')
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buffer, nowait = true, desc = 'Close' })
  local first = math.min(#header + 1, vim.api.nvim_buf_line_count(buffer))
  vim.api.nvim_win_set_cursor(0, { first, 0 })
end

return M
