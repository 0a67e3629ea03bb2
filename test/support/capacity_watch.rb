# frozen_string_literal: true

require_relative "bounded_wait"

# Looks at the board all the time, and keeps the fewest workers that were ready at one moment.
class CapacityWatch
  PAUSE = 0.005 # seconds between two looks

  # Answers the fewest while the block ran.
  #: (Server) { () -> void } -> Integer
  def self.lowest(server, &block) = new(server).lowest(&block)

  #: (Server) -> void
  def initialize(server)
    @server = server
  end

  #: () { () -> void } -> Integer
  def lowest
    fewest = ready.size
    watch = Thread.new { (fewest = [fewest, ready.size].min) && pause until @over }
    yield
    fewest
  ensure
    @over = true
    BoundedWait.value_of(watch)
  end

  private

  # Their pids. The rows are read one after the other while their processes write; two readings that are equal are
  # what was there at one moment, since none of these pids comes back.
  def ready
    pids = read
    loop do
      again = read
      return pids if again == pids

      pids = again
    end
  end

  def read = @server.ready_workers.map(&:pid)

  def pause = IO.select(nil, nil, nil, PAUSE)
end
