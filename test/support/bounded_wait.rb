# frozen_string_literal: true

require "io/wait"

# Waits for what has to come, and raises when it does not. It counts the seconds between two looks, but at most
# LONGEST_TURN for each pair: a machine that stands still, a virtual one that is paused, or a process that gets no
# processor use up nothing.
#
# COPPICE_PATIENCE multiplies all of it: 5 where sanitizers make everything slow, 0.2 where a test is to fail soon,
# because something was broken on purpose.
#
# It is not for what measures the server's time, nor for what must not happen within some.
class BoundedWait
  # What was waited for has not come; the message has the reason.
  class TimedOut < RuntimeError; end

  # For everything that does not say otherwise: nobody waits so long on a machine that does nothing else.
  SECONDS = 60

  # The most seconds that the time between two looks may cost.
  LONGEST_TURN = 0.25

  # Seconds between two looks at what no descriptor announces.
  INTERVAL = 0.01

  CLOCK = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) }
  PAUSE = ->(seconds) { IO.select(nil, nil, nil, seconds) }
  private_constant :CLOCK, :PAUSE

  class << self
    # What the block answers, once that is truthy. reason: a sentence for the error, or what answers one at the end.
    # Raises TimedOut.
    #: [T] (Numeric, (String | (^() -> String)), **untyped) { () -> T? } -> T
    def wait(seconds, reason, **options, &look) = new(seconds, **options).wait(reason, &look)

    # Waits for something to read, or the end of it. Raises TimedOut.
    #: (IO, ?Numeric, ?(String | (^() -> String))) -> IO
    def readable(io, seconds = SECONDS, reason = "nothing came")
      wait(seconds, reason, interval: 0) { io.wait_readable(LONGEST_TURN) }
      io # wait_readable answers true where Ruby has read ahead
    end

    # All that comes until the end; seconds: without a byte. Raises TimedOut, and what the descriptor raises.
    #: (IO, ?Numeric, ?(String | (^() -> String))) -> String
    def read(io, seconds = SECONDS, reason = "nothing came")
      bytes = +"".b
      loop { bytes << readable(io, seconds, reason).readpartial(64 * 1024) }
    rescue EOFError
      bytes.force_encoding(io.external_encoding || (io.binmode? ? Encoding::BINARY : Encoding.default_external))
    end

    # How a child has ended, which is reaped then. Raises TimedOut.
    #: (Integer, ?Numeric, ?(String | (^() -> String))) -> Process::Status
    def status_of(pid, seconds = SECONDS, reason = "the process #{pid} has not ended")
      wait(seconds, reason) { Process.wait2(pid, Process::WNOHANG) }.last
    end

    # What a thread answers. Raises TimedOut, and what the thread has raised.
    #: (Thread, ?Numeric, ?(String | (^() -> String))) -> untyped
    def value_of(thread, seconds = SECONDS, reason = -> { "#{thread.inspect} has not ended" })
      wait(seconds, reason, interval: 0) { thread.join(LONGEST_TURN) }.value
    end

    # The next element of a queue; nil once it is closed and empty. Raises TimedOut.
    #: (Thread::Queue, ?Numeric, ?(String | (^() -> String))) -> untyped
    def pop(queue, seconds = SECONDS, reason = "nothing was put into the queue")
      found = wait(seconds, reason, interval: 0.001) do
        [queue.pop(true)]
      rescue ThreadError # it is empty
        [] if queue.closed? && queue.empty?
      end
      found.first
    end

    # The same seconds for the limit of a program or library that counts time itself.
    #: (?Numeric) -> Float
    def seconds(seconds = SECONDS) = new(seconds).seconds
  end

  attr_reader :seconds #: Float -- all that there are

  # interval: seconds between two looks; 0 where looking waits itself, at most LONGEST_TURN.
  #: (Numeric, ?interval: Numeric, ?clock: ^() -> Float, ?pause: ^(Numeric) -> void, ?environment: untyped) -> void
  def initialize(seconds, interval: INTERVAL, clock: CLOCK, pause: PAUSE, environment: ENV)
    @seconds = seconds * Float(environment.fetch("COPPICE_PATIENCE", 1))
    @interval = interval
    @clock = clock
    @pause = pause
  end

  # As BoundedWait.wait. It looks once more after the seconds are used up.
  #: [T] (String | (^() -> String)) { () -> T? } -> T
  def wait(reason)
    left = @seconds
    looked_at = @clock.call
    until (answer = yield)
      used_up(reason) unless left.positive?
      @pause.call(@interval) if @interval.positive?
      now = @clock.call
      left -= [now - looked_at, LONGEST_TURN].min
      looked_at = now
    end
    answer
  end

  private

  def used_up(reason)
    raise TimedOut, "not within #{@seconds} s: #{reason.respond_to?(:call) ? reason.call : reason}"
  end
end
