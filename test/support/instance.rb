# frozen_string_literal: true

require_relative "server"

# A server that is restarted at the same address, one process after the other.
class Instance
  attr_reader :pid #: Integer  of the monitor that serves now

  # Options as of Server.
  def initialize(**options)
    @options = options
  end

  def start
    @server = Server.new(**@options)
    @server.start
    @pid = @server.pid
  end

  # to_all: whether every process gets TERM, or the monitor alone.
  def restart(to_all: false)
    @server.signal_all(:TERM) if to_all
    status = to_all ? @server.wait_for_end : @server.stop
    raise "it ended with #{status.inspect}" unless status.success?

    @server.clean_up
    start
  end

  def show_log = @server&.show_log

  # At once: nobody waits any more.
  def clean_up
    return unless @server

    @server.signal(:INT) if @server.pid && !@server.ended?
    @server.clean_up
  end
end
