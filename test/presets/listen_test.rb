# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class ListenPresetTest < PresetTestCase
    # Each request creates a file; the listener notes its name.
    APP = <<~'RUBY'
      require "listen"
      LISTENER = lambda do
        Listen.to(ENV.fetch("FOLDER")) do |_modified, added, _removed|
          File.write(ENV.fetch("NOTES"), added.map { |path| File.basename(path) + "\n" }.join, mode: "a")
        end.start
      end
      LISTENER.call if ENV["AT_BOOT"]
      run(lambda do |env|
        File.write(File.join(ENV.fetch("FOLDER"), env["QUERY_STRING"]), "")
        [200, {}, ["#{env["QUERY_STRING"]} - #{Process.pid}"]]
      end)
    RUBY

    test "a listener in the service worker sees what each process does" do
      with_notes do |env, notes|
        assert_delivers(APP, env: env, config: "before_service_worker_ready { LISTENER.call }", &notes)
      end
    end

    test "a listener that is started at boot does not survive a refork" do
      with_notes { |env, notes| refute_delivers(APP, env: env.merge("AT_BOOT" => "1"), &notes) }
    end

    private

    def with_notes
      with_tmpdir do |folder|
        notes = File.join(folder, "notes").tap { |path| File.write(path, "") }
        watched = File.join(folder, "watched").tap { |path| Dir.mkdir(path) }
        yield({ "FOLDER" => watched, "NOTES" => notes }, -> { File.binread(notes) })
      end
    end
  end
end
