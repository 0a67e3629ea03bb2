# frozen_string_literal: true

require "test_helper"
require "coppice/config/loader"

module Coppice
  module Config
    # Pitchfork's own configurations are read unchanged.
    class PitchforkCompatibilityTest < TestCase
      test "each of its examples is good" do
        files = Dir[File.join(pitchfork, "examples", "*.conf*.rb")]
        assert_operator files.size, :>=, 3
        files.each { |file| assert_equal 4, load(file).worker_processes, file }
      end

      test "its verbose example means what it says" do
        settings = load(File.join(pitchfork, "examples", "pitchfork.conf.rb"))
        assert_equal ["/path/to/.pitchfork.sock", "0.0.0.0:8080"], settings.listen.map(&:to_s)
        assert_equal [64, false], settings.listen.first.options.values_at(:backlog, :tcp_nopush)
        assert_equal [nil, true], settings.listen.last.options.values_at(:backlog, :tcp_nopush)
        assert_equal [30, 32], [settings.timeout, settings.hard_timeout]
        assert_equal %i[after_mold_fork after_worker_fork], settings.hooks.compact.keys.sort
      end

      test "each example on its page of options is good" do
        examples = File.read(File.join(pitchfork, "docs", "CONFIGURATION.md")).scan(/^```ruby\n(.*?)^```/m).flatten
        assert_operator examples.size, :>, 20
        with_tmpdir do |folder|
          examples.each { |example| load_text(folder, example) }
        end
      end

      private

      def pitchfork
        Gem.loaded_specs["pitchfork"]&.full_gem_path || skip("the gem pitchfork is not in the bundle")
      end

      # A path that is there for examples only is replaced by one that can be opened.
      def load_text(folder, example)
        file = File.join(folder, "pitchfork.conf.rb")
        File.write(file, example.sub("path/to/logs", File::NULL))
        assert_equal file, load(file).config_file
      end

      def load(file)
        Loader.new(arguments: ["-c", file], environment: {}, directory: Dir.tmpdir).load
      end
    end
  end
end
