# frozen_string_literal: true

require "test_helper"
require_relative "../support/c_library"
require_relative "../support/locked_memory"
require_relative "../support/server"

# What workers and services leave behind, with quick_exit and without.
class WorkerExitTest < Coppice::TestCase
  # Each worker holds an object of a C extension, which removes the file "unfreed" when it is freed, and two files with
  # bytes that were not written yet, one of which was opened before the fork.
  APP = <<~RUBY.freeze
    require "#{CLibrary::PATH}"
    path = File.expand_path("unfreed")
    File.write(path, "")
    at_exit { File.write("handler", "\#{Process.pid} \#{Coppice::OS.noted?([])}\\n", mode: "a") }
    inherited = File.open("inherited", "w")

    run(lambda do |_env|
      $kept = CLibrary.when_freed("unlink", path)
      $file = File.open("held_back", "w").tap { |file| file.write("held back") }
      inherited.write("held back")
      [200, {}, [Process.pid.to_s]]
    end)
  RUBY

  { "" => true, "quick_exit false" => false }.each do |option, quick|
    test "a worker runs its handlers, writes what files hold back, and frees #{quick ? 'nothing' : 'all objects'}" do
      Server.open(app: APP, config: "worker_processes 1\n#{option}") do |server|
        worker, noted = server.get.body, quick && LockedMemory.possible?
        server.signal(:TERM)

        assert_equal 0, server.wait_for_end.exitstatus
        assert_includes File.readlines(server.path("handler"), chomp: true), "#{worker} #{noted}"
        assert_equal(["held back"] * 2, %w[held_back inherited].map { |file| File.read(server.path(file)) })
        assert_equal quick, File.exist?(server.path("unfreed"))
      end
    end
  end

  test "a service that a refork replaces leaves alone what all processes have from the mold" do
    app = "$kept = Object.new\npath = File.expand_path('shared')\nFile.write(path, '')\n" \
          "ObjectSpace.define_finalizer($kept, proc { File.unlink(path) })\nrun ->(_env) { [200, {}, []] }"
    Server.open(app: app, config: "worker_processes 1\nservice(:jobs) { sleep }") do |server|
      service = ->(other_than) { server.rows(:service).select(&:ready?).map(&:pid).find { |pid| pid != other_than } }
      first = server.wait(60, "the service") { service.call(nil) }
      server.get
      server.signal(:USR2)
      server.wait(60, "the next service") { service.call(first) }

      assert_path_exists server.path("shared")
    end
  end
end
