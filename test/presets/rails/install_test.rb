# frozen_string_literal: true

require "coppice/tools/import"
require "open3"
require "test_helper"
require "support/without_bundler"

module Coppice
  # `bin/rails generate coppice:install` in an application as `rails new` makes it: its config/puma.rb is translated.
  class InstallInNewApplicationTest < TestCase
    ENVIRONMENT = WITHOUT_BUNDLER.merge("BUNDLE_GEMFILE" => File.join(__dir__, "Gemfile"),
      "RAILS_ENV" => "production", "SECRET_KEY_BASE_DUMMY" => "1", "SOLID_QUEUE_IN_PUMA" => nil).freeze

    # Methods of Puma's configuration that are no directives, and what takes its block at once.
    HELPERS = %i[_load_from _offer_plugins add_pem_values_to_options_store cluster default_host get inject initialize
                 process_hook].freeze

    CONFIGURATION = <<~'RUBY'
      worker_processes :auto
      listen ENV.fetch("PORT", 3000)
      service(:solid_queue, survives_reforks: true) { SolidQueue::Supervisor.start } if ENV["SOLID_QUEUE_IN_PUMA"]
      pidfile ENV["PIDFILE"] if ENV["PIDFILE"]
    RUBY

    def setup
      skip "the gems are missing: bin/setup presets" unless ENV["COPPICE_PRESETS"]
    end

    test "Rails' own configuration of Puma becomes one that is good" do
      with_tmpdir do |folder|
        application = File.join(folder, "shop")
        run_in(__dir__, "rails", "new", application, "--skip-bundle", "--skip-git", "--quiet")
        output = run_in(application, "bin/rails", "generate", "coppice:install")
        text = File.read("#{application}/config/coppice.rb")
        code = text.lines.reject { |line| line.start_with?("#") || line.strip.empty? }

        assert_match(/translating config\/puma\.rb/, output)
        assert_equal CONFIGURATION, code.join
        refute_match(/threads|plugin/i, text)
        assert_equal "config/coppice.rb is good\n", run_in(application, "coppice", "check")
      end
    end

    test "every directive of this Puma is known" do
      folder = run_in(__dir__, "ruby", "-e", "print Gem.loaded_specs.fetch('puma').full_gem_path")
      text = File.read("#{folder}/lib/puma/dsl.rb")
      names = text.scan(/^    (?:def|alias_method|alias) :?(?!self)([a-z_]+!?)/).flatten

      assert_operator names.size, :>, 60
      assert_empty names.map(&:to_sym) - Import::Puma::DIRECTIVES.keys - HELPERS
    end

    private

    def run_in(folder, *command)
      output, status = Open3.capture2e(ENVIRONMENT, "bundle", "exec", *command, chdir: folder)
      assert_predicate status, :success?, output
      output
    end
  end
end
