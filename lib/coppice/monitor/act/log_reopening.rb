# frozen_string_literal: true

require "coppice/control/lobby_packet"
require "coppice/control/messages"
require "coppice/log/access_file"
require "coppice/log/reopening"

module Coppice
  class Monitor
    # Opens log files anew in all processes. The monitor's own are opened on the thread that writes the log, since a
    # disk may be slow; then the loop tells the children, and the lobby gets its access log.
    class LogReopening
      # What became of it: the lines of the answer, or an error, once it is known.
      Outcome = Struct.new(:paths, :children, :error) do
        # nil until it is known. Raises Error.
        #: () -> Array[String]?
        def lines
          raise Error, "could not open it: #{error.message}" if error
          return unless paths && children

          ["opened anew: #{paths.empty? ? 'nothing, since standard output and error are no files' : paths.join(', ')}",
           "#{children} processes do the same with files that they append to, between two requests"]
        end
      end

      # access_log: the option.
      #: (Inbox, HelperThread, log: Log, ?access_log: [Symbol, String?]?) -> void
      def initialize(inbox, log_thread, log:, access_log: nil)
        @inbox = inbox
        @log_thread = log_thread
        @log = log
        @has_access_log = !access_log.nil?
        @access_log_path = access_log&.last
        @reopening = Log::Reopening.new
      end

      # handles: returns the children to tell, once the monitor's own files are open. One that was requested meanwhile
      # has the old files. Raises Error when the log is stuck.
      #: (^() -> Array[Handle]) -> Outcome
      def begin(handles)
        outcome = Outcome.new
        posted = @log_thread.post { reopen(handles, outcome) }
        posted ? outcome : raise(Error, "the log is stuck")
      end

      private

      # On the thread that writes the log.
      def reopen(handles, outcome)
        access_log = Log::AccessFile.open(@access_log_path) if @access_log_path
        paths = @reopening.call do |files, replaces|
          access_log ||= files[:standard_output]
          @inbox.hand_back { outcome.children = tell(handles.call, files, replaces, access_log) }
        end
        outcome.paths = [*paths, *@access_log_path]
      rescue SystemCallError => error
        outcome.error = error
        @inbox.hand_back { nil } # the loop looks at the outcome
      end

      # On the monitor's loop. A child that is not ready yet finds the message when it is.
      def tell(handles, files, replaces, access_log)
        message = Control::Messages::ReopenLogs.new(replaces: replaces)
        lobbies, others = handles.reject(&:gone?).partition(&:lobby?)
        reopen = Control::LobbyPacket.of("reopen") # for the loop's successors too: they have what the loop has
        lobbies.each { |lobby| told?(lobby, reopen, { all: [access_log] }) } if @has_access_log && access_log
        others.count { |handle| told?(handle, message, files) }
      ensure
        [*files.values, access_log].compact.each(&:close)
      end

      # The kernel may refuse to pass descriptors: too many are under way to processes that do not read, or it has no
      # buffer left. The monitor goes on, and tells the others.
      def told?(handle, message, descriptors)
        handle.channel.send(message, descriptors: descriptors) == :sent
      rescue SystemCallError => error
        @log.error("a process could not be told to open its log files", **handle.to_log, error: error.message)
        false
      end
    end
  end
end
