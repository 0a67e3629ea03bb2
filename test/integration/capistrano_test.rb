# frozen_string_literal: true

# lane: soak -- deploys with Capistrano

require "test_helper"
require_relative "../support/releases"

# examples/deploys/coppice.rake, in the directories that Capistrano lays out.
class CapistranoTest < Coppice::TestCase
  include Releases

  RECIPE = File.expand_path("../../examples/deploys/coppice.rake", __dir__)

  # Evaluates the recipe as Capistrano does, and keeps the commands that it would execute on the server.
  class Recipe
    attr_reader :commands, :hooks, :folder

    def initialize(release_path, current_path)
      @release_path = release_path
      @current_path = current_path
      @commands = []
      @hooks = {}
      instance_eval(File.read(RECIPE), RECIPE)
    end

    attr_reader :release_path, :current_path

    def namespace(_name) = yield
    def desc(_text) = nil
    def task(_name) = yield
    def roles(*names) = names
    def on(_roles) = yield
    def execute(*words) = @commands << words.map(&:to_s)
    def before(task, called) = @hooks[task] = called

    def within(folder)
      @folder = folder
      yield
    end
  end

  test "the task rolls to the new release before current leads there" do
    with_layout do |server, first, second, current|
      recipe = Recipe.new(second, current)

      assert_equal({ "deploy:publishing" => "coppice:roll" }, recipe.hooks)
      output, status = deploy(recipe)

      assert_predicate status, :success?, output
      assert_match(/release 2 \(4f1c2ab\) is committed/, output)
      server.wait { release_of(server) == "second" }

      assert_equal first, File.realpath(current)
    end
  end

  test "the task fails, and current stays, when the release cannot be booted" do
    with_layout(app: 'raise "not today"') do |server, first, second, current|
      _, status = deploy(Recipe.new(second, current))

      assert_equal 1, status.exitstatus
      assert_equal [first, "first"], [File.realpath(current), release_of(server)]
    end
  end

  private

  # As the user who deploys, and who runs another server: `bundle exec coppice` is this checkout's.
  def deploy(recipe)
    words = recipe.commands.first

    assert_equal %w[bundle exec coppice], words.shift(3)
    Server.open(app: APP) { coppice(nil, *words, chdir: recipe.folder) }
  end

  # Yields a server that was started by the symlink `current`, two releases' directories, and the symlink.
  def with_layout(app: APP)
    Dir.mktmpdir("coppice-capistrano-") do |folder|
      folder = File.realpath(folder)
      socket = File.join(folder, "shared/tmp/sockets/web.sock")
      FileUtils.mkdir_p(File.dirname(socket))
      first = lay_out(folder, "20261122140000", APP.gsub("NAME", "first"), socket)
      second = lay_out(folder, "20261122150000", app.gsub("NAME", "second"), socket)
      File.write(File.join(second, "REVISION"), "4f1c2ab\n")
      File.symlink(first, current = File.join(folder, "current"))
      InReleases.open(app: nil, folder: folder, socket: socket, arguments: ["--directory", current]) do |server|
        yield server, first, second, current
      end
    end
  end

  def lay_out(folder, name, app, socket)
    directory = File.join(folder, "releases", name)
    write_release(directory, app, "listen #{socket.inspect}\nworker_processes 2\ncanary false\n")
    directory
  end
end
