# frozen_string_literal: true

# lane: soak -- boots applications with each Rails

require "test_helper"
require "fileutils"
require_relative "../support/guest_commands"
require_relative "../support/guest_terminal"

# The commands of Rails in forks of the example shop.
class GuestsInRailsTest < Coppice::TestCase
  include GuestCommands
  include GuestTerminal

  ROOT = File.expand_path("../..", __dir__)
  SHOP = "#{ROOT}/examples/rails_shop".freeze
  PARTS = %w[app bin config config.ru db lib Rakefile].freeze
  STORED = %w[books production.sqlite3 secret_key_base].freeze # other files come and go while tests use the shop

  # Gemfiles by the version of Rails, and the oldest Ruby that can use them.
  BUNDLES = { "7.2" => ["#{SHOP}/Gemfile", "3.1"], "8.1" => ["#{ROOT}/gemfiles/rails-8.1.gemfile", "3.2"] }.freeze

  # Defines the test once for each version of Rails.
  def self.test_with_rails(name, &block)
    BUNDLES.each do |version, (gemfile, ruby)|
      test "#{name}, with Rails #{version}" do
        skip "Rails #{version} needs Ruby #{ruby}" if Gem::Version.new(RUBY_VERSION) < Gem::Version.new(ruby)
        @env = { "RAILS_ENV" => "production", "BUNDLE_GEMFILE" => gemfile }
        instance_exec(version, &block)
      end
    end
  end

  # Yields the server of this version of Rails, the same one for all tests that do not change it.
  def shop
    @folder = SHOP
    yield self.class.servers[@env] ||= self.class.start(@env)
  end

  def self.servers = @servers ||= {}

  def self.start(env)
    server = Server.new(app: nil, folder: SHOP, config: "worker_processes 1\nguests 3\n", env: env)
    Minitest.after_run { server.clean_up }
    server.tap(&:start)
  end

  # Yields the folder of a shop that a test may change.
  def copied_shop
    with_tmpdir do |folder|
      FileUtils.cp_r(PARTS.map { |name| "#{SHOP}/#{name}" }, folder)
      FileUtils.mkdir("#{folder}/storage")
      FileUtils.cp_r(STORED.map { |name| "#{SHOP}/storage/#{name}" }, "#{folder}/storage")
      yield folder
    end
  end

  def played(server, *words, **options)
    output, error, status = guest(server, *words, chdir: @folder, **options)
    assert_predicate status, :success?, error
    output
  end

  test_with_rails "runner and tasks of rake run without a boot, in the server's process image" do |version|
    shop do |server|
      loaded = "p [Product.count.positive?, Rails.env, $LOADED_FEATURES.grep(%r{/config/environment.rb}).size, " \
               "Rails.version[0, 3]]"
      expected = "[true, \"production\", 1, #{version.inspect}]\n"

      assert_equal expected, played(server, "bin/rails", "runner", loaded)
      assert_equal expected, played(server, "rails", "runner", loaded)
      assert_match(/^Current version: \d+/, played(server, "bin/rails", "db:version"))
      assert_match(/^Current version: \d+/, played(server, "bin/rake", "db:version"))
      assert_match(/^rake db:migrate /, played(server, "rake", "-T", "db"))
      *, status = guest(server, "bin/rake", "no:such:task", chdir: SHOP)
      assert_equal 1, status.exitstatus
    end
  end

  test_with_rails "the console reads from a pipe" do
    shop do |server|
      output = played(server, "bin/rails", "console", stdin_data: "Product.count.positive?\nreload!\n")

      assert_match(/^(=> )?true$/, output)
      assert_includes output, "There is nothing to reload"
    end
  end

  test_with_rails "the console has a terminal" do
    shop do |server|
      on_terminal(server, *command(server, name: "console"), chdir: SHOP)
      expect(/> /)
      type("Product.count.positive? && 6 * 7\r")
      expect("=> 42")
      expect(/> /)
      type("puts 'wait' + 'ing'; sleep\r")
      expect("waiting")
      type("\x03")
      expect(/> /)
      type("exit\r")

      assert_predicate status, :success?
    end
  end

  test_with_rails "dbconsole replaces the guest by the database's program, on the user's terminal" do
    shop do |server|
      write(server, "sqlite3", <<~'SH', 0o755)
        #!/bin/sh
        echo "$(test -t 0 && echo terminal) $*"
        read line
        echo "read $line"
        exit 5
      SH
      path = "#{server.folder}:#{ENV.fetch('PATH')}"
      on_terminal(server, *command(server, "bin/rails", "dbconsole"), chdir: SHOP, env: { "PATH" => path })
      expect(/terminal .*production\.sqlite3/)
      type("select\r")
      expect("read select")

      assert_equal 5, status.exitstatus
    end
  end

  test_with_rails "binstubs run as guests with COPPICE_RUN=1, and by themselves without a server" do
    copied_shop do |folder|
      in_folder = { chdir: folder }
      Open3.capture2e({ "RUBYOPT" => nil }, RbConfig.ruby, Server::EXECUTABLE, "binstub", **in_folder)
      code = "p [Rails.env, Process.ppid, Product.count.positive?]"
      path = "#{RbConfig::CONFIG.fetch('bindir')}:#{ENV.fetch('PATH')}"
      env = { "RUBYOPT" => nil, "RACK_ENV" => nil, "COPPICE_RUN" => "1", "PATH" => path, **@env }
      serve(app: nil, folder: folder, env: @env) do |server|
        assert_equal "[\"production\", #{server.pid}, true]\n",
          Open3.capture2(env, "bin/rails", "runner", code, **in_folder).first
        assert_match(/^Current version: \d+/, Open3.capture2(env, "bin/rake", "db:version", **in_folder).first)
      end
      output, error, status = Open3.capture3(env, "bin/rails", "runner", code, **in_folder)

      assert_match(/\A\["production", #{Process.pid}, true\]$/, output)
      assert_match(/\Acoppice: .* starts without the server\n\z/, error)
      assert_predicate status, :success?
    end
  end

  test "the commands of another copy of the application are refused" do
    @env = { "RAILS_ENV" => "production", "BUNDLE_GEMFILE" => "#{SHOP}/Gemfile" }
    shop do |server|
      other = server.path("other")
      FileUtils.mkdir_p(other)
      FileUtils.cp_r(%w[bin config].map { |name| "#{SHOP}/#{name}" }, other)
      _, error, status = guest(server, "bin/rails", "runner", "1", chdir: other)

      assert_equal 1, status.exitstatus
      assert_match(/bin.rails belongs to another application than this server's, #{Regexp.escape(SHOP)}/, error)
    end
  end
end
