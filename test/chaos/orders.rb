# frozen_string_literal: true

require "fileutils"

module Chaos
  # Faults that wait at a named point of the server for the first process that reaches it. They are files in a folder.
  # The folder exists before any process, and rename(2) gives an order to one process only. The driver places orders,
  # the processes of the server claim them.
  class Orders
    #: (String) -> void
    def initialize(folder)
      @waiting = File.join(folder, "waiting")
      @claimed = File.join(folder, "claimed")
      FileUtils.mkdir_p([@waiting, @claimed])
    end

    #: (Symbol, Symbol) -> void
    def place(point, action)
      File.write("#{@claimed}/new", action.name)
      File.rename("#{@claimed}/new", "#{@waiting}/#{point}")
    end

    # Takes an order back; false if a process has claimed it.
    #: (Symbol) -> bool
    def withdraw(point)
      File.unlink("#{@waiting}/#{point}")
      true
    rescue Errno::ENOENT
      false
    end

    # The pid of the process that claimed it, or nil.
    #: (Symbol) -> Integer?
    def claimed_by(point) = Dir.children(@claimed).filter_map { |name| name[/\A#{point}\.(\d+)\z/, 1]&.to_i }.first

    # Lets a process that holds at the point go on, and allows the next order.
    #: (Symbol) -> void
    def clear(point) = FileUtils.rm_f(Dir.glob("#{@claimed}/#{point}.*"))

    # Called in a process of the server. Returns the action, and the file that exists until the driver clears it. nil if
    # there is no order, which costs one system call.
    #: (Symbol) -> [Symbol, String]?
    def claim(point)
      claimed = "#{@claimed}/#{point}.#{Process.pid}"
      action = File.read("#{@waiting}/#{point}").to_sym # before the rename: afterwards the driver may remove it
      File.rename("#{@waiting}/#{point}", claimed)
      [action, claimed]
    rescue Errno::ENOENT
      nil
    end
  end
end
