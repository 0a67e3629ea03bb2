# frozen_string_literal: true

require "json"
require "yaml"
require "test_helper"
require "coppice/cli"
require "coppice/cli/stop_time"
require "coppice/config/loader"
require_relative "../../support/documentation"
require_relative "../../support/systemd_units"

module Coppice
  # What docs/deployment.md shows, and what lies in examples. The Procfile's part is in
  # test/integration/heroku_test.rb, the manifests' in kubernetes_example_test.rb, and Kamal's in
  # test/integration/kamal_test.rb.
  class DeploymentPageTest < TestCase
    include SystemdUnits

    PAGE = Documentation.new("deployment.md")
    EXAMPLES = File.expand_path("../../../examples", __dir__)

    # The name on the page => the file.
    FILES = {
      "/etc/systemd/system/shop@.service" => "systemd/shop@.service",
      "/etc/systemd/system/shop@.socket" => "systemd/shop@.socket",
      "Dockerfile" => "container/Dockerfile",
      "config/coppice.rb for Kubernetes" => "kubernetes/coppice.rb"
    }.freeze

    def example(name) = File.read(File.join(EXAMPLES, name)).delete_prefix("# frozen_string_literal: true\n\n")

    # As a server would load it.
    def settings(text, environment = {})
      with_tmpdir do |folder|
        file = File.join(folder, "coppice.rb")
        File.write(file, text)
        environment = { "RACK_ENV" => "production" }.merge(environment)
        Config::Loader.new(arguments: ["-c", file], environment: environment, directory: folder).load
      end
    end

    test "the examples are those of the page" do
      FILES.each { |name, file| assert_equal "# #{name}\n#{PAGE.block(name)}", example(file) }
    end

    test "systemd accepts the units" do
      assert_units(Dir.children(File.join(EXAMPLES, "systemd")).to_h do |name|
        [name.sub("@", "@1"), example("systemd/#{name}")]
      end)
    end

    test "the passed sockets have the names of options" do
      units = %w[shop@.socket shop-admin@.socket].map { |name| example("systemd/#{name}") }
      names = units.map { |unit| unit[/^FileDescriptorName=(.*)/, 1] }

      assert_equal Config::Settings::ADDRESSES.map(&:to_s), names
    end

    test "the image starts the server without a shell, as a user that is a number" do
      lines = example("container/Dockerfile").lines(chomp: true).to_h { |line| line.split(" ", 2) }

      assert_equal %w[bundle exec coppice], JSON.parse(lines.fetch("CMD"))
      assert_match(/\A[1-9]\d*:[1-9]\d*\z/, lines.fetch("USER"))
      refute_includes lines.keys, "ENTRYPOINT"
    end

    test "Kamal's proxy waits longer than a request may take" do
      proxy = YAML.safe_load(example("deploys/kamal.yml")).fetch("proxy")

      [settings(""), kamal].each do |settings|
        assert_operator proxy.fetch("response_timeout"), :>, settings.timeout + settings.timeout_cleanup
      end
    end

    test "Kamal waits until a server with Solid Queue has stopped" do
      text = File.read(File.join(Documentation::FOLDER, "deploys.md"), encoding: "UTF-8")

      assert_operator Integer(text[/^stop_timeout: (\d+)/, 1]), :>, kamal.longest_stop
    end

    # Of an application made by Rails 8, which sets the variable.
    def kamal
      text = Documentation.new("deploys.md").block("config/coppice.rb for Kamal")
      settings(text, { "SOLID_QUEUE_IN_PUMA" => "true" })
    end

    test "a container on a small machine begins with few workers and what the one before has left in the volume" do
      settings = settings(Documentation.new("deploys.md").block("config/coppice.rb on a small machine"))
      recipe = YAML.safe_load(example("deploys/kamal.yml"))

      assert_equal [settings.state_directory], recipe.fetch("volumes").map { |volume| volume.split(":")[1] }
      assert_equal [true, true, 1], [settings.warm_up_wait, settings.learns_paths?, settings.worker_bounds.min]
      assert_includes example("container/Dockerfile"), " #{File.basename(settings.state_directory)}\n"
    end

    test "the server on Heroku stops within the time that it has" do
      environment = { "DYNO" => "web.1", "PORT" => "5000", "WEB_CONCURRENCY" => "auto" }
      settings = settings(PAGE.block("config/coppice.rb on Heroku"), environment)

      assert_nil CLI::StopTime.new(settings, environment).warning
      assert_equal ["0.0.0.0:5000", :auto], [settings.listen.join, settings.worker_processes]
    end

    test "so does a server on Heroku with the service of which the page speaks" do
      page = File.read("#{Documentation::FOLDER}/deployment.md", encoding: "UTF-8")
      service = page[/`(service :jobs, timeout: \d+)`/, 1]
      settings = settings("#{PAGE.block('config/coppice.rb on Heroku')}#{service} do\nend\n")

      assert_nil CLI::StopTime.new(settings, { "DYNO" => "web.1" }).warning
    end
  end
end
