# frozen_string_literal: true

require "fileutils"

module Chaos
  # Faults that wait at a named point of the server for the first process that reaches it. They are symbolic links in a
  # folder, whose targets are the actions: a process without descriptors can read them. The folder exists before any
  # process, and rename(2) gives an order to one process only. The driver places orders, the processes of the server
  # claim them.
  class Orders
    #: (String) -> void
    def initialize(folder)
      @waiting = File.join(folder, "waiting")
      @claimed = File.join(folder, "claimed")
      FileUtils.mkdir_p([@waiting, @claimed])
      @actions = {}
      @cleared = []
    end

    #: (Symbol, Symbol) -> void
    def place(point, action)
      @actions[point] = action
      File.symlink(action.name, "#{@claimed}/new")
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
    def claimed_by(point) = claims(point).first&.[](/\.(\d+)\./, 1)&.to_i

    # Lets a process that holds at the point go on, and allows the next order. The link of any other action stays: the
    # process may not have read it yet.
    #: (Symbol) -> void
    def clear(point)
      names = claims(point)
      FileUtils.rm_f(names.map { |name| File.join(@claimed, name) }) if @actions[point] == :hold
      @cleared.concat(names)
    end

    # Called in a process of the server. Returns the action, and the link that exists until the driver clears the order
    # to hold. nil if there is no order, which costs one system call.
    #: (Symbol) -> [Symbol, String]?
    def claim(point)
      return unless File.symlink?("#{@waiting}/#{point}")

      claimed = "#{@claimed}/#{point}.#{Process.pid}.#{Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)}"
      File.rename("#{@waiting}/#{point}", claimed)
      # After the rename: before it, the driver may take the order back and place another one.
      [File.readlink(claimed).to_sym, claimed]
    rescue Errno::ENOENT
      nil
    end

    private

    # The names of the links that were claimed and not cleared.
    def claims(point) = Dir.children(@claimed).grep(/\A#{point}\.\d+\.\d+\z/) - @cleared
  end
end
