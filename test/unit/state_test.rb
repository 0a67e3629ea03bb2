# frozen_string_literal: true

require "test_helper"
require "coppice/config/settings"
require "coppice/state"

module Coppice
  class StateTest < TestCase
    MEASURED = GCProfile::Allocations.new(requests: 64, cpu_us: 9000, minor_us: 1200, malloc: 70_000,
      promoted: 9, largest: 9000,
                                          pools: { 40 => [4000, 190_000] }).freeze

    test "what is kept is what is read, from a directory that need not be there" do
      with_state("below") do |state|
        state.keep_measurement(MEASURED)
        state.keep_paths({ "/" => 30, "/products" => 20 })

        assert_equal [MEASURED, { "/" => 30, "/products" => 20 }], [state.measurement, state.paths]
        assert_equal [State::MEASURED, State::PATHS], Dir.children(state.directory).sort
      end
    end

    test "without files there is nothing, and no problem" do
      with_state("below") do |state|
        assert_equal [nil, {}, []], [state.measurement { flunk }, state.paths { flunk }, problems(state)]
      end
    end

    test "a measurement for another Ruby, lock file, release or environment is not used; paths are" do
      with_state do |state|
        state.keep_measurement(MEASURED)
        state.keep_paths({ "/" => 30 })
        other = State.new(state.directory, key: "another key")

        assert_equal ["it was measured with a"], problems(other)
        assert_equal({ "/" => 30 }, other.paths)
      end
    end

    test "the key changes with the lock file and the environment" do
      with_tmpdir do |folder|
        File.write("#{folder}/Gemfile.lock", "rack 3")
        keys = [State.key("#{folder}/Gemfile", "production"), State.key("#{folder}/Gemfile", "staging"),
                State.key("#{folder}/other", "production")]
        File.write("#{folder}/Gemfile.lock", "rack 4")
        keys << State.key("#{folder}/Gemfile", "production")

        assert_equal 4, keys.uniq.size
        assert_match(/ruby=#{RUBY_VERSION}p\d+ platform=\S+ coppice=#{VERSION} lock=\h{16} environment=prod/, keys[0])
      end
    end

    test "the key does not change with the directory: the next image finds what this one has measured" do
      with_tmpdir do |folder|
        keys = %w[old new].map do |name|
          Dir.mkdir("#{folder}/#{name}")
          File.write("#{folder}/#{name}/Gemfile.lock", "rack 3")
          State.key("#{folder}/#{name}/Gemfile", "production")
        end

        assert_equal 1, keys.uniq.size
      end
    end

    test "gems.rb has a lock file of another name" do
      with_tmpdir do |folder|
        File.write("#{folder}/gems.locked", "rack 3")

        refute_match(/lock=none/, State.key("#{folder}/gems.rb", "production"))
      end
    end

    spoil = {
      "an empty file" => ->(path) { File.write(path, "") },
      "half a file" => ->(path) { File.truncate(path, File.size(path) / 2) },
      "another number" => ->(path) { File.write(path, File.read(path).sub("64", "65")) },
      "binary data" => ->(path) { File.binwrite(path, "\xFF\x00" * 500) }
    }
    spoil.each do |name, action|
      test "#{name} is spoiled, and as good as none" do
        with_state do |state|
          state.keep_measurement(MEASURED)
          action.call("#{state.directory}/#{State::MEASURED}")

          assert_equal ["it is spoiled"], problems(state)
        end
      end
    end

    test "a file that others can write to is not trusted, nor a symbolic link, a folder or a FIFO" do
      { ->(path) { File.chmod(0o646, path) } => /\Aother users can write to it\z/,
        ->(path) { File.chmod(0o664, path) } => /\Aother users can write to it\z/,
        ->(path) { File.rename(path, "#{path}.old") && File.symlink("#{path}.old", path) } => /symbolic links/,
        ->(path) { File.unlink(path) && Dir.mkdir(path) } => /no file|directory/,
        ->(path) { File.unlink(path) && File.mkfifo(path) } => /no file/ }.each do |action, reason|
        with_state do |state|
          state.keep_measurement(MEASURED)
          action.call("#{state.directory}/#{State::MEASURED}")

          assert_match reason, problems(state).join
        end
      end
    end

    test "two servers that write at the same time leave a whole file, and nothing else" do
      with_state do |state|
        writers = [{ "/" => 30 }, { "/products" => 20, "/cart" => 40 }].map do |paths|
          Thread.new { 50.times { State.new(state.directory, key: "a key").keep_paths(paths) } }
        end
        seen = state.paths { |_file, reason| flunk reason } while writers.any?(&:alive?)

        assert_includes [nil, {}, { "/" => 30 }, { "/products" => 20, "/cart" => 40 }], seen
        assert_equal [State::PATHS], Dir.children(state.directory)
      end
    end

    test "a path that would never be learned spoils the list" do
      with_state do |state|
        state.keep_paths({ "/log_out" => 100 })

        assert_equal [], state.paths.to_a
      end
    end

    test "a directory that cannot be made is an error" do
      with_tmpdir do |folder|
        File.write("#{folder}/file", "")
        state = State.new("#{folder}/file/below", key: "a key")

        assert_raises(SystemCallError) { state.keep_paths({ "/" => 1 }) }
        assert_equal({}, state.paths { flunk })
      end
    end

    test "the directory is that of the settings, or tmp beside the application, or none" do
      directories = [nil, "/var/lib/app", false].map do |value|
        settings = Config::Settings.new(values: { state_directory: value })
        State.of(settings, environment: {}, directory: "/app")&.directory
      end

      assert_equal ["/app/tmp", "/var/lib/app", nil], directories
    end

    private

    def with_state(name = ".")
      with_tmpdir { |folder| yield State.new(File.expand_path(name, folder), key: "a key") }
    end

    def problems(state)
      reasons = []
      state.measurement { |_file, reason| reasons << reason }
      reasons
    end
  end
end
