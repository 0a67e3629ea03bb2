# frozen_string_literal: true

# lane: soak -- Kamal is a program of its own: gem install kamal

require "open3"
require "yaml"
require "test_helper"
require_relative "../support/without_bundler"

# examples/deploys/kamal.yml, read by Kamal.
class KamalTest < Coppice::TestCase
  RECIPE = File.expand_path("../../examples/deploys/kamal.yml", __dir__)

  def recipe = YAML.safe_load_file(RECIPE)

  # What Kamal makes of the recipe.
  def read_by_kamal
    with_tmpdir do |folder|
      FileUtils.mkdir_p(File.join(folder, ".kamal"))
      File.write(File.join(folder, ".kamal/secrets"), "KAMAL_REGISTRY_PASSWORD=secret\n")
      command = ["kamal", "config", "--version", "1", "--config-file", RECIPE]
      output, status = Open3.capture2e(WITHOUT_BUNDLER, *command, chdir: folder)

      assert_predicate status, :success?, output
      YAML.safe_load(output, permitted_classes: [Symbol])
    rescue Errno::ENOENT
      skip "there is no kamal"
    end
  end

  test "Kamal accepts the recipe" do
    assert_equal recipe.dig("servers", "web", "hosts"), read_by_kamal.fetch(:hosts)
  end
end
