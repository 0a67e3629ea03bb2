# frozen_string_literal: true

require "json"
require "open3"
require "test_helper"
require_relative "../support/new_rails_application"

module Coppice
  # `coppice doctor` finds nothing in a Rails application as `rails new` makes it, with Solid Queue, Solid Cache and
  # Solid Cable, and with a page that uses all of them.
  class NewRailsApplicationTest < TestCase
    include NewRailsApplication

    def setup
      skip "the gems are missing: bin/setup presets" unless ENV["COPPICE_PRESETS"]
    end

    test "a new Rails application needs nothing" do
      with_tmpdir do |folder|
        application = File.join(folder, "shop")
        make(application)
        report = examine(application)

        assert_equal "ready", report.delete(:verdict)
        libraries = report.delete(:libraries)
        statuses = report[:answers].flat_map { |answer| [*answer[:before], *answer[:after].values].flatten }
        assert_equal [200], statuses.uniq
        %i[failures findings no_longer_fork_safe stray_copies].each { |key| assert_empty report[key], key }
        assert_empty(libraries.select { |library| library[:severity] }.map { |library| library[:name] })
        unused = libraries.reject { |library| library[:used] }.map { |library| library[:name] }
        # Nothing opens a WebSocket. ruby-vips is loaded where libvips is installed.
        assert_equal %w[actioncable nio4r solid_queue sqlite3], unused - %w[ruby-vips]
      end
    end

    private

    def examine(application)
      output, error, status = Open3.capture3(ENVIRONMENT, "bundle", "exec", "coppice", "doctor", "-E", "production",
        "--json", "/", "/up", chdir: application)
      assert_predicate status, :success?, error + output
      JSON.parse(output, symbolize_names: true)
    end
  end
end
