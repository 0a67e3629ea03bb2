# frozen_string_literal: true

require "digest"
require "coppice/gc_profile/allocations"
require "coppice/learned_paths"
require "coppice/state/state_file"
require "coppice/version"

module Coppice
  # What a server keeps for its next start, in files of the state directory: what its requests allocate, and which paths
  # clients request most. Only the monitor writes them; `coppice check` reads them too. Reading never raises: a file
  # that cannot be used is reported to the block, and is as good as none.
  class State
    DEFAULT_DIRECTORY = "tmp"
    MEASURED = "coppice.measured"
    PATHS = "coppice.paths"
    # The Ruby of this process.
    INTERPRETER = "#{RUBY_ENGINE}=#{RUBY_VERSION}p#{RUBY_PATCHLEVEL} platform=#{RUBY_PLATFORM}".freeze

    # The state of a server with these settings that is started in this directory; nil if it keeps nothing.
    # interpreter: of the molds, which a release may have brought.
    #: (Config::Settings, ?environment: Hash[String, String], ?directory: String, ?interpreter: String) -> State?
    def self.of(settings, environment: ENV, directory: Dir.pwd, interpreter: INTERPRETER)
      return if settings.state_directory == false

      gemfile = File.expand_path(environment["BUNDLE_GEMFILE"] || existing_gemfile(directory), directory)
      new(File.expand_path(settings.state_directory || DEFAULT_DIRECTORY, directory),
          key: key(gemfile, settings.environment_name, interpreter: interpreter))
    end

    # What a measurement is valid for. The application's own code is not part of it: each start measures again.
    #: (String, String?, ?interpreter: String) -> String
    def self.key(gemfile, environment_name, interpreter: INTERPRETER)
      lock = gemfile.end_with?("gems.rb") ? gemfile.sub(/\.rb\z/, ".locked") : "#{gemfile}.lock"
      digest = File.readable?(lock) ? Digest::SHA256.file(lock).hexdigest[0, 16] : "none"
      "#{interpreter} coppice=#{VERSION} lock=#{digest} environment=#{environment_name}"
    end

    def self.existing_gemfile(directory)
      %w[Gemfile gems.rb].find { |name| File.exist?(File.join(directory, name)) } || "Gemfile"
    end
    private_class_method :existing_gemfile

    attr_reader :directory #: String

    #: (String, key: String) -> void
    def initialize(directory, key:)
      @directory = directory
      @key = key
      @measured = StateFile.new(File.join(directory, MEASURED))
      @paths = StateFile.new(File.join(directory, PATHS))
    end

    # What requests allocate; nil if that is not known for this key. Yields the file and the reason why it is not used.
    #: () ?{ (String, String) -> void } -> GCProfile::Allocations?
    def measurement(&problem)
      read(@measured, problem) do |lines|
        key, allocations = lines
        raise ArgumentError, "it was measured with #{difference(key)}" if key != @key

        GCProfile::Allocations.parse(allocations.to_s) or raise ArgumentError, "it has no measurement"
      end
    end

    # Requests by path. Yields as above.
    #: () ?{ (String, String) -> void } -> Hash[String, Integer]
    def paths(&problem)
      counts = read(@paths, problem) do |lines|
        lines.to_h do |line|
          count, path = line.split(" ", 2)
          raise ArgumentError, "no path that is ever learned: #{path.inspect}" unless LearnedPaths.eligible?(path.to_s)

          [path.freeze, Integer(count, 10)]
        end
      end
      counts || {}
    end

    # Raises SystemCallError.
    #: (GCProfile::Allocations) -> void
    def keep_measurement(allocations) = @measured.write([@key, allocations.to_s])

    # Raises SystemCallError.
    #: (Hash[String, Integer]) -> void
    def keep_paths(counts) = @paths.write(counts.map { |path, count| "#{count} #{path}" })

    private

    def difference(key) = (key.to_s.split - @key.split).join(" ")

    def read(file, problem)
      lines = file.read
      yield lines if lines
    rescue ArgumentError, SystemCallError => error
      problem&.call(file.path, error.message)
      nil
    end
  end
end
