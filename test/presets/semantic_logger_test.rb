# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class SemanticLoggerPresetTest < PresetTestCase
    APP = <<~'RUBY'
      require "semantic_logger"
      SemanticLogger.add_appender(file_name: ENV.fetch("NOTES"))
      LOG = SemanticLogger["App"]
      run(lambda do |env|
        LOG.info(env["QUERY_STRING"])
        [200, {}, ["#{env["QUERY_STRING"]} - #{Process.pid}"]]
      end)
    RUBY

    test "each process logs each line once" do
      with_tmpdir do |folder|
        notes = File.join(folder, "notes").tap { |path| File.write(path, "") }

        assert_delivers(APP, env: { "NOTES" => notes }) { File.binread(notes) }
      end
    end
  end
end
