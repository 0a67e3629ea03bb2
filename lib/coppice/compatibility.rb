# frozen_string_literal: true

require "coppice/errors"
require "coppice/version"

# Answers to Pitchfork's name, for configurations and applications that were written for it. Loaded only when such a
# configuration is read, so that nobody else takes this server for Pitchfork. Does nothing where Pitchfork itself is loaded.
unless defined?(Pitchfork)
  module Pitchfork
    autoload :Info, "coppice/compatibility/info"
    autoload :MemInfo, "coppice/compatibility/mem_info"

    VERSION = Coppice::VERSION
    REFORKING_AVAILABLE = RUBY_PLATFORM.include?("linux")

    ClientShutdown = Coppice::ClientGone

    # See Coppice.prevent_fork.
    #: [T] () { () -> T } -> T
    def self.prevent_fork(&block)
      require "coppice"
      Coppice.prevent_fork(&block)
    end
  end
end
