# frozen_string_literal: true

require "fileutils"

module Chaos
  # Faults that wait at a named point of the server for the first process that comes by. A folder, so that it is there
  # before any process, and so that one rename(2) gives an order to one taker only. The driver places, the server's
  # processes claim.
  class Orders
    #: (String) -> void
    def initialize(folder)
      @waiting = File.join(folder, "waiting")
      @taken = File.join(folder, "taken")
      FileUtils.mkdir_p([@waiting, @taken])
    end

    #: (Symbol, Symbol) -> void
    def place(point, action)
      File.write("#{@taken}/new", action.name)
      File.rename("#{@taken}/new", "#{@waiting}/#{point}")
    end

    # Takes it back; false when somebody has claimed it.
    #: (Symbol) -> bool
    def withdraw(point)
      File.unlink("#{@waiting}/#{point}")
      true
    rescue Errno::ENOENT
      false
    end

    # Who has claimed it, or nil.
    #: (Symbol) -> Integer?
    def taker(point) = Dir.children(@taken).filter_map { |name| name[/\A#{point}\.(\d+)\z/, 1]&.to_i }.first

    # Lets its taker go on, if that was told to hold, and makes room for another order.
    #: (Symbol) -> void
    def clear(point) = FileUtils.rm_f(Dir.glob("#{@taken}/#{point}.*"))

    # In a process of the server: what it shall do, and the file that stays until the driver clears it; nil when there
    # is no order, which costs one system call.
    #: (Symbol) -> [Symbol, String]?
    def claim(point)
      claimed = "#{@taken}/#{point}.#{Process.pid}"
      action = File.read("#{@waiting}/#{point}").to_sym # before it is claimed: then the driver may clear it
      File.rename("#{@waiting}/#{point}", claimed)
      [action, claimed]
    rescue Errno::ENOENT
      nil
    end
  end
end
