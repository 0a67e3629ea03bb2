# frozen_string_literal: true

require "test_helper"
require "support/c_program"

# Which system calls are left to the lobby (ext/coppice/lobby/loop/sandbox.c).
class SandboxTest < Coppice::TestCase
  PROGRAM = Coppice::CProgram.new("sandbox_driver", "test/lobby/sandbox_driver.c",
    "ext/coppice/lobby/loop/sandbox.c")
  NO_OTHER_ABI = 77 # exit status of the program
  NEEDED = %w[accept4 epoll_ctl epoll_wait send recv readv sendmsg sendfile nodelay linger unsent shutdown fcntl close
              fstat fstatfs temporary_file memfd map random name].freeze
  FORBIDDEN = %w[open open_in_folder temporary_file_elsewhere unlink socket connect listen exec fork clone_without_pidfd
                 kill kill_self map_code dumpable inject multicast ptrace bpf].freeze

  test "what the lobby needs is allowed, all else fails" do
    with_tmpdir do |folder|
      outcomes = tried(folder)

      assert_equal NEEDED.to_h { |name| [name, 0] }, outcomes.slice(*NEEDED)
      assert_equal FORBIDDEN.to_h { |name| [name, Errno::EPERM::Errno] }, outcomes.slice(*FORBIDDEN)
      assert_equal NEEDED.size + FORBIDDEN.size, outcomes.size
    end
  end

  test "a call by the numbers of another architecture kills" do
    skip "there is one on x86-64 only" unless RbConfig::CONFIG["host_cpu"] == "x86_64"

    with_tmpdir do |folder|
      tried(folder)
      status = BoundedWait.status_of(spawn(PROGRAM.path, folder, "other-abi", out: File::NULL))

      skip "this kernel has no calls of other architectures" if status.exitstatus == NO_OTHER_ABI
      assert_equal Signal.list["SYS"], status.termsig
    end
  end

  private

  # Numbers of errors by the names of calls.
  def tried(folder)
    outcomes = PROGRAM.run(folder).lines.to_h { |line| line.split.then { |name, error| [name, Integer(error)] } }
    skip "this system refuses seccomp filters" unless outcomes.delete("sandbox").zero?
    outcomes
  end
end
