# frozen_string_literal: true

require_relative "lib/cli"

exit Bench::CLI.new(ARGV).run
