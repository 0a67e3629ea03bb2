# frozen_string_literal: true

require "coppice/compatibility"
require "coppice/errors"
require "coppice/version"

# What of Pitchfork is meant for its users. Compatibility says when it is defined.
module Pitchfork
  autoload :Info, "coppice/compatibility/info"
  autoload :MemInfo, "coppice/compatibility/mem_info"
  autoload :ReforkCondition, "coppice/compatibility/refork_condition"

  VERSION = Coppice::VERSION
  REFORKING_AVAILABLE = RUBY_PLATFORM.include?("linux")

  ClientShutdown = Coppice::ClientGone
  HttpParserError = Coppice::RequestRefused

  # See Coppice.prevent_fork.
  #: [T] () { () -> T } -> T
  def self.prevent_fork(&block)
    require "coppice"
    Coppice.prevent_fork(&block)
  end

  # The addresses that the server listens on.
  #: () -> Array[String]
  def self.listener_names = Coppice::Compatibility.listener_names
end
