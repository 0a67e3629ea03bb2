# frozen_string_literal: true

module Coppice
  # What the kernel says, without the name of Ruby's function and the path, which Ruby appends.
  #: (SystemCallError) -> String
  def self.system_error_text(error) = SystemCallError.new(nil, error.errno).message

  # The root of every error that Coppice raises. A class says the cause, its message the remedy.
  class Error < StandardError
    # reason: the message without what may tell a secret, if there is such a thing in it.
    #: (?String?, ?reason: String?) -> void
    def initialize(message = nil, reason: nil)
      super(message)
      @reason = reason
    end

    # What everybody who sees the server's status may know.
    def reason = @reason || message #: () -> String
  end

  # A branch that cannot be reached was reached: please report it.
  class Bug < Error; end

  # The configuration is wrong: where (file and line, when it was a file), what, and what to do about it.
  class ConfigError < Error
    attr_reader :file, :line, :remedy

    #: (String, ?file: String?, ?line: Integer?, ?remedy: String?, ?reason: String?) -> void
    def initialize(problem, file: nil, line: nil, remedy: nil, reason: nil)
      @file, @line, @remedy = file, line, remedy
      super(text(problem), reason: (text(reason) if reason))
    end

    private

    def text(problem)
      [[file, line].compact.join(":"), [problem, remedy].compact.join(". ")].reject(&:empty?).join(": ")
    end
  end

  # A release cannot be booted by this server.
  class ReleaseRefused < Error; end

  # The other end of a channel or of the board is another version of Coppice.
  class ProtocolMismatch < Error; end

  # The application could not be loaded; the cause is the application's own exception.
  class BootError < Error; end

  # The command line is wrong: an unknown command or flag, or a flag with a value that it cannot take.
  class UsageError < Error; end

  # A value is not of its option's type. The configuration adds the place and raises a ConfigError.
  class InvalidValue < Error; end

  # An address cannot be bound: not on this machine, not permitted, or its path is taken by another file.
  class BindError < Error; end

  # Another process holds the address.
  class AddressInUse < BindError; end

  # The client left before its request was read or its response was written. An EOFError, so that
  # applications that read rack.input in pieces meet what they expect.
  class ClientGone < EOFError; end

  # What the client sent cannot be served; `status` is the answer for it.
  class RequestRefused < Error
    attr_reader :status #: Integer

    #: (Integer, String) -> void
    def initialize(status, reason)
      @status = status
      super(reason)
    end
  end

  # The application's answer is not one that Rack allows; the message names what is wrong with it.
  class ResponseError < Error; end

  # `coppice run`: nothing is known of the guest any more. Its program may have begun.
  class GuestLost < Error; end

  # `coppice cold`: the application did not answer a path within the option `timeout`.
  class PlayOverdue < Error; end

  # `coppice cold`: the process in which a path was played did not live to tell of it.
  class PlayFailed < Error; end

  # `coppice doctor`: a process of its chain ended, or hangs.
  class ChainBroken < Error; end

  # A preset: this version of its library has nothing of what tells whether a process may be forked.
  class Unguarded < Error; end

  # For `rescue`: what an application, a hook or a library raises, and that concerns the call at hand, not the process.
  # Exceptions of test libraries (WebMock, Minitest), missing code and endless recursion are no StandardError.
  module UserCodeError
    OF_THE_PROCESS = [SystemExit, SignalException, NoMemoryError].freeze

    #: (Exception) -> bool
    def self.===(error) = OF_THE_PROCESS.none? { |kind| error.is_a?(kind) }
  end
end
