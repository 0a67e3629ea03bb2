# frozen_string_literal: true

module Coppice
  # The command line of bin/test: test files, and options for Minitest.
  class Arguments
    # Options of Minitest that are followed by a value.
    WITH_VALUE = %w[-n --name -i --include -e -x --exclude -s --seed].freeze

    attr_reader :files #: Array[String]
    attr_reader :options #: Array[String]

    # Tests that have a command of their own, because they need more than the others: bin/presets.
    SEPARATE = "test/presets"

    # `root` is the project's folder. Without a named file, all tests below it run, except for the SEPARATE ones.
    def initialize(words, root:) #: (Array[String], root: String) -> void
      @files, @options = split(words)
      @files = @files.empty? ? all_below(root) : @files.flat_map { |path| tests_in(path) }.uniq
    end

    # The seed for the order of files and of the tests in each: the one asked for, or a new one.
    def seed #: () -> Integer
      @seed ||= Integer(value_of("-s", "--seed") || Random.rand(0xFFFF))
    end

    # Whether a filter selects tests by name, so that a file may have none to run.
    def filtered? #: () -> bool
      options.any? { |word| word.start_with?("-n", "--name", "-i", "--include", "-e", "-x", "--exclude") }
    end

    private

    def split(words)
      files = []
      options = []
      words = words.dup
      while (word = words.shift)
        (word.start_with?("-") ? options : files) << word
        options << words.shift if WITH_VALUE.include?(word)
      end
      [files, options.compact]
    end

    def all_below(root)
      separate = File.join(root, SEPARATE, "")
      tests_in(File.join(root, "test")).reject { |path| path.start_with?(separate) }
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
