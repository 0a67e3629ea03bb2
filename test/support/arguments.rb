# frozen_string_literal: true

require "open3"
require_relative "lane"

module Coppice
  # The command line of bin/test: test files, options of the runner, and options for Minitest.
  class Arguments
    # Options of Minitest that are followed by a value.
    WITH_VALUE = %w[-n --name -i --include -e -x --exclude -s --seed].freeze

    # Options of the runner.
    OWN = %w[--lane --changed --times].freeze
    ALONE = "--alone"

    attr_reader :files #: Array[String]
    attr_reader :options #: Array[String]

    # Tests that have a command of their own, because they need more than the others: bin/presets, bin/differential,
    # bin/manifests.
    SEPARATE = %w[test/presets test/differential test/manifests].freeze

    # `root` is the project's folder. Without a named file, all tests below it run, except for the SEPARATE ones and
    # those of the soak lane; of a named folder, all but those of that lane. Raises ArgumentError for what does not
    # exist.
    def initialize(words, root:) #: (Array[String], root: String) -> void
      @root = root
      @own = {}
      @alone = false
      @options = []
      paths = split(words)
      @files = paths.empty? ? unnamed : paths.flat_map { |path| named(path) }.uniq
    end

    # The seed for the order of files and of the tests in each: the one asked for, or a new one.
    def seed #: () -> Integer
      @seed ||= Integer(value_of("-s", "--seed") || Random.rand(0xFFFF))
    end

    # Whether a filter selects tests by name, so that a file may have none to run.
    def filtered? #: () -> bool
      options.any? { |word| word.start_with?("-n", "--name", "-i", "--include", "-e", "-x", "--exclude") }
    end

    # How often everything runs, each time with the next seed, and no failed file once more; nil for the usual run.
    def times #: () -> Integer?
      Integer(@own.fetch("--times", 1)) if @own.key?("--times") || @own.key?("--changed")
    end

    # Whether each file has a process of its own: where it is asked for, where unsteady tests are looked for, and in the
    # lane soak.
    def alone? = @alone || !times.nil? || !environment.empty? #: () -> bool

    # The arguments of the tests.
    def environment = @own["--lane"] == "soak" ? { "COPPICE_SOAK" => "1" } : {} #: () -> Hash[String, String]

    private

    # Returns the paths.
    def split(words)
      words = words.dup
      paths = []
      while (word = words.shift)
        next @own[word] = words.shift || raise(ArgumentError, "#{word} needs a value") if OWN.include?(word)
        next @alone = true if word == ALONE
        next paths << word unless word.start_with?("-")

        @options.push(word, *(words.shift(1) if WITH_VALUE.include?(word)))
      end
      paths
    end

    def unnamed
      @own.key?("--changed") ? changed(@own["--changed"]) : of_lane(all_below)
    end

    def named(path) = File.directory?(path) ? of_lane(tests_in(path)) : tests_in(path)

    def of_lane(files)
      lane = @own["--lane"]&.to_sym
      raise ArgumentError, "no such lane: #{lane}" unless [nil, *Lane::NAMES].include?(lane)

      case lane
      when nil then files.reject { |path| Lane.of(path) == :soak }
      when :soak then files.select { |path| Lane.soak?(path) }
      else files.select { |path| Lane.of(path) == lane }
      end
    end

    # The files that were touched since the commit, in commits or not.
    def changed(commit)
      names, _, status = Open3.capture3("git", "-C", @root, "diff", "--name-only", commit)
      raise ArgumentError, "git knows no commit #{commit}" unless status.success?

      files = names.split("\n").map { |name| File.join(@root, name) }
      all_below & files
    end

    def all_below
      separate = SEPARATE.map { |folder| File.join(@root, folder, "") }
      tests_in(File.join(@root, "test")).reject { |path| path.start_with?(*separate) }
    end

    def tests_in(path)
      path = File.expand_path(path)
      return Dir[File.join(path, "**", "*_test.rb")] if File.directory?(path)
      raise ArgumentError, "no such test file: #{path}" unless File.file?(path)

      [path]
    end

    def value_of(*names)
      options.each_cons(2) { |name, value| return value if names.include?(name) }
      joined = options.grep(/\A--seed=/).first
      joined&.delete_prefix("--seed=")
    end
  end
end
