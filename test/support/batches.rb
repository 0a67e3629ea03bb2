# frozen_string_literal: true

require_relative "lane"

module Coppice
  # Which test files run in one process: some unit tests that lie in one folder. For a file of its own a process takes
  # 0.6 s of the processors, most of it to load what its neighbours load as well, and few of these files take as long.
  #
  # A file of the library that does not require what it uses can escape them. `bin/soak alone` finds it.
  module Batches
    FOLDER = %r{/test/(?:tools/)?unit/}.freeze
    FILES = 8 # at most: the processes are to end at about the same time

    # In the order of their first files. The files of a process are sorted: the same ones with the same seed run in the
    # same order, wherever they are named.
    #: (Array[String]) -> Array[Array[String]]
    def self.of(files)
      groups = files.group_by { |file| together?(file) ? File.dirname(file) : file }
      groups.each_value.flat_map { |group| group.each_slice(FILES).map(&:sort) }
    end

    def self.together?(file) = file.match?(FOLDER) && Lane.of(file) == :side_by_side
    private_class_method :together?
  end
end
