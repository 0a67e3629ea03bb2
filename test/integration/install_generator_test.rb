# frozen_string_literal: true

# lane: soak -- boots copies of an application with each Rails

require "fileutils"
require "open3"
require "test_helper"
require_relative "../support/server"
require_relative "../support/without_bundler"

# `bin/rails generate coppice:install` in the example shop.
class InstallGeneratorTest < Coppice::TestCase
  ROOT = File.expand_path("../..", __dir__)
  SHOP = "#{ROOT}/examples/rails_shop".freeze
  PARTS = %w[app bin config config.ru db lib Rakefile].freeze

  # Gemfiles by the version of Rails, and the oldest Ruby that can use them.
  BUNDLES = { "7.2" => ["#{SHOP}/Gemfile", "3.1"], "8.1" => ["#{ROOT}/gemfiles/rails-8.1.gemfile", "3.2"] }.freeze

  BUNDLES.each do |version, (gemfile, ruby)|
    test "writes a configuration and a Procfile, with Rails #{version}" do
      with_shop(gemfile, ruby) do |folder|
        output = generate(folder)

        assert_match(/create  config\/coppice\.rb/, output)
        assert_match(/^worker_processes :auto$/, File.read("#{folder}/config/coppice.rb"))
        assert_equal "web: bundle exec coppice\n", File.read("#{folder}/Procfile")
        assert_equal "config/coppice.rb is good\n", check(folder)
      end
    end
  end

  test "translates a configuration for Puma, and replaces its line of the Procfile" do
    with_shop do |folder|
      File.write("#{folder}/config/puma.rb", "workers 3\nthreads 5, 5\nport ENV.fetch(\"PORT\", 3000)\n")
      File.write("#{folder}/Procfile", "web: bundle exec puma -C config/puma.rb\nworker: bin/jobs\n")
      output = generate(folder)

      assert_match(/config\/puma\.rb found: translating/, output)
      assert_match(/^dropped\n  line 2    threads/, output)
      assert_match(/^worker_processes 2\.\.15$/, File.read("#{folder}/config/coppice.rb"))
      assert_equal "web: bundle exec coppice\nworker: bin/jobs\n", File.read("#{folder}/Procfile")
      assert_equal "config/coppice.rb is good\n", check(folder)
    end
  end

  test "says that bin/rails server keeps another server which the Gemfile still names" do
    with_shop do |folder|
      File.write("#{folder}/Gemfile", "gem 'rails'\n# gem \"falcon\"\ngem \"puma\", \">= 5.0\"\n")

      assert_match(/names puma: bin\/rails server.*starts that and not Coppice\. Remove.*RACKUP_HANDLER=coppice$/,
        generate(folder))
      File.write("#{folder}/Gemfile", "gem 'rails'\ngem 'puma_worker_killer'\n")

      refute_match(/bin\/rails server/, generate(folder, "--force"))
    end
  end

  test "says in a few words what is wrong with a configuration that is no Ruby, and writes nothing" do
    with_shop do |folder|
      File.write("#{folder}/config/puma.rb", "workers 3\nthreads(5,\n")
      output, = Open3.capture2e(@env, RbConfig.ruby, "bin/rails", "generate", "coppice:install", chdir: folder)

      assert_match(/config\/puma\.rb.*syntax/, output)
      assert_match(/^Mend it, or give --no-import$/, output)
      refute_match(/coppice\/import/, output)
      assert_empty %w[config/coppice.rb Procfile].select { |file| File.exist?("#{folder}/#{file}") }
    end
  end

  test "leaves files that it does not know alone" do
    with_shop do |folder|
      File.write("#{folder}/config/unicorn.rb", "worker_processes 3\n")
      File.write("#{folder}/config/coppice.rb", "worker_processes 7\n")
      File.write("#{folder}/Procfile", "web: bin/start\n")
      output = generate(folder, "--no-import", "--skip")

      refute_match(/translating/, output)
      assert_equal "worker_processes 7\n", File.read("#{folder}/config/coppice.rb")
      assert_equal "web: bin/start\n", File.read("#{folder}/Procfile")
    end
  end

  private

  def with_shop(gemfile = "#{SHOP}/Gemfile", ruby = "3.1")
    skip "this Rails needs Ruby #{ruby}" if Gem::Version.new(RUBY_VERSION) < Gem::Version.new(ruby)
    @env = { **WITHOUT_BUNDLER, "BUNDLE_GEMFILE" => gemfile, "RAILS_ENV" => "production", "RACK_ENV" => nil,
             "SECRET_KEY_BASE" => "secret" }
    with_tmpdir do |folder|
      FileUtils.cp_r(PARTS.map { |name| "#{SHOP}/#{name}" }, folder)
      FileUtils.rm("#{folder}/config/coppice.rb")
      yield folder
    end
  end

  def generate(folder, *flags) = run_in(folder, "bin/rails", "generate", "coppice:install", *flags)

  def check(folder) = run_in(folder, Server::EXECUTABLE, "check")

  def run_in(folder, *command)
    output, status = Open3.capture2e(@env, RbConfig.ruby, *command, chdir: folder)
    assert_predicate status, :success?, output
    output
  end
end
