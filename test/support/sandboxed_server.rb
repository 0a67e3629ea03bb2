# frozen_string_literal: true

require "open3"
require_relative "server"

# A real server in a sandbox whose kernel refuses some system calls with EPERM, as container runtimes do.
class SandboxedServer < Server
  ENTRANCE = File.expand_path("sandbox_entrance.rb", __dir__)

  # The numbers of system calls, by name, for each processor that the tests know.
  NUMBERS = { "x86_64" => { memfd_create: 319, pidfd_open: 434 },
              "aarch64" => { memfd_create: 279, pidfd_open: 434 } }.freeze

  # Why there can be none here; nil where there can.
  #: () -> String?
  def self.obstacle
    cpu = RbConfig::CONFIG["host_cpu"]
    return "the numbers of system calls of #{cpu} are not known" unless NUMBERS.key?(cpu)

    output, status = Open3.capture2e(*entrance(NUMBERS[cpu].values), "true")
    "no sandbox: #{output.strip}" unless status.success?
  end

  # The command that gives up system calls, before the one that is to run without them.
  #: (Array[Integer]) -> Array[String]
  def self.entrance(refused) = [RbConfig.ruby, "--disable=gems,rubyopt", ENTRANCE, refused.join(",")]

  # without: names of system calls; others as of Server.
  #: (without: Array[Symbol], **untyped) -> void
  def initialize(without:, **options)
    @refused = NUMBERS.fetch(RbConfig::CONFIG["host_cpu"]).values_at(*without)
    super(**options)
  end

  private

  def command = [*self.class.entrance(@refused), *super]
end
