# frozen_string_literal: true

require "delegate"
require "coppice/board"

# A row of a running server's board, with what the monitor wrote to it for the process that it belonged to. The rest is
# as it is now: at any moment the monitor may take the row back, which clears it, and hand it to another process.
class ServerRow < SimpleDelegator
  attr_reader :pid, :nr, :generation

  # nil when it belongs to no process of that role any more.
  #: (Coppice::Board::Row, Symbol) -> ServerRow?
  def self.of(row, role)
    found = new(row)
    found if found.belongs_to?(role)
  end

  #: (Coppice::Board::Row) -> void
  def initialize(row)
    super
    @pid = row.pid
    @nr = row.nr
    @generation = row.generation
  end

  # Whether what was read is one process's, and that process has this role.
  #: (Symbol) -> bool
  def belongs_to?(role)
    row = __getobj__
    pid.positive? && row.role_name == role && row.pid == pid
  end
end
