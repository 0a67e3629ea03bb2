# frozen_string_literal: true

require "coppice/control/messages"
require_relative "../releases"
require_relative "self_fault"

module Chaos
  # The application under load. Each path is /verb/id or /verb/id/action. First it tells the driver, through a FIFO,
  # which process serves which id, so that a lost request can be attributed to one process.
  class App
    PLAIN = { "content-type" => "text/plain" }.freeze

    # release: the name of its directory.
    #: (String, release: String) -> void
    def initialize(folder, release:)
      raise "this release raises" if release == Releases::RAISES

      sleep if release == Releases::HANGS
      @fails = release == Releases::FAILS
      @served = File.open(File.join(folder, "served"), "w")
      @assembly = File.join(folder, "assembly")
    end

    #: (Hash[String, untyped]) -> [Integer, Hash[String, String], untyped]
    def call(env)
      _, verb, id, action = env["PATH_INFO"].split("/")
      @served.syswrite("#{id} #{Process.pid}\n")
      return [500, PLAIN.dup, []] if @fails

      [200, PLAIN.dup, answer(env, verb, id, action)]
    end

    private

    def answer(env, verb, id, action)
      case verb
      when "work" then sleep(0.003)
      when "upload" then env["rack.input"].read
      when "fault" then SelfFault.commit(action.to_sym)
      when "cut" then return Enumerator.new { |body| body << "begun"; SelfFault.commit(action.to_sym); body << id }
      when "assemble" then sleep(0.002) while File.exist?(@assembly)
      when "chatter" then chatter(env["coppice.worker"].membership)
      end
      [id]
    end

    # More messages than a channel holds. The server itself never sends that many.
    def chatter(membership)
      2000.times { membership.tell(Coppice::Control::Messages::RequestLimitReached.new(requests: 1)) }
    end
  end
end
