# frozen_string_literal: true

require "open3"
require "rbconfig"
require "test_helper"
require "coppice/tools/import"

module Coppice
  # The importers know each directive of the other servers that are installed.
  class DirectivesTest < TestCase
    # The file of a server's DSL, what has to be there before it, and its class.
    DSLS = {
      Import::Puma => ["puma-*/lib/puma/dsl.rb", "module Puma; end; require 'puma/const'", "Puma::DSL"],
      Import::Unicorn => ["unicorn-*/lib/unicorn/configurator.rb", "module Unicorn; end; require 'unicorn/const'", "Unicorn::Configurator"]
    }.freeze

    GEMS = File.expand_path("../../vendor/{bundle/ruby/*,unicorn}/gems", __dir__)

    # Methods that are for the server itself.
    INTERNAL = %i[
      _load_from _offer_plugins default_host get inject reload commit! [] expand_addr after_reload after_reload=
      config_file config_file= set set=
    ].freeze

    DSLS.each do |server, (pattern, start, name)|
      test "every directive of #{server::TITLE} is known" do
        files = Dir["#{GEMS}/#{pattern}"]
        skip "#{server::TITLE} is not installed" if files.empty?

        files.each do |file|
          directives = directives(file, start, name) - INTERNAL
          assert_operator directives.size, :>, 15
          assert_empty directives - server::DIRECTIVES.keys - server::WRAPPERS, file
        end
      end
    end

    private

    # Of a process of its own: applications and tests take the constants for a sign of the server.
    def directives(file, start, name)
      program = "#{start}; require #{file.inspect}; puts #{name}.public_instance_methods(false)"
      output, status = Open3.capture2(RbConfig.ruby, "-I", file[%r{\A.*/lib(?=/)}], "-e", program)
      assert_predicate status, :success?
      output.split.map(&:to_sym)
    end
  end
end
