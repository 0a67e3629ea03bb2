# frozen_string_literal: true

require_relative "one_shot_client"
require_relative "bounded_wait"

# Clients that ask, read the answer and ask again, each on a thread, a new connection
# for each request: with GET unless the block asks otherwise. Keeps what failed, with its reason.
class ClosedLoop
  # Seconds between an answer and the next request, so that the server has the processor for what a test waits for.
  PAUSE = 0.005

  # Seconds of waiting for the last answers: more than a client has for one.
  STOP = 2 * OneShotClient::SILENCE

  attr_reader :failures

  # pause: seconds, more where the server needs the processor for what takes long.
  #: [T] (untyped, clients: Integer, paths: Array[T], ?pause: Float) ?{ (T) -> OneShotClient::Answer } -> void
  def initialize(server, clients:, paths:, pause: PAUSE, &asking)
    @asking = asking || server.method(:get)
    @clients = clients
    @paths = paths.dup
    @pause = pause
    @lock = Mutex.new
    @failures = []
    @answers = 0
  end

  def start
    @threads = Array.new(@clients) { Thread.new { ask_again } }
  end

  def stop
    @stopping = true
    @threads.each { |thread| BoundedWait.value_of(thread, STOP) }
  end

  # Clients ask while the block runs; answers what it does.
  def during
    start
    yield
  ensure
    stop
  end

  def answers = @lock.synchronize { @answers }

  private

  def ask_again
    until @stopping
      ask
      pause
    end
  end

  def ask
    path = @lock.synchronize { @paths.rotate!.first }
    answer = @asking.call(path)
    answer.status == 200 && answer.complete ? @lock.synchronize { @answers += 1 } : failed("#{path}: #{answer.status}")
  rescue SystemCallError, IOError, BoundedWait::TimedOut => error
    failed("#{path}: #{error.class}: #{error.message}")
  end

  def failed(reason) = @lock.synchronize { @failures << reason }

  def pause = IO.select(nil, nil, nil, @pause)
end
