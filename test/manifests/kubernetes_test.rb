# frozen_string_literal: true

require "minitest/autorun"
require "psych"
require_relative "kubernetes_schemas"

class KubernetesTest < Minitest::Test
  FILE = File.expand_path("../../examples/kubernetes/shop.yaml", __dir__)

  # What must be refused, each by its kind. Without it a schema that takes everything would pass.
  DEFECTS = {
    "an unknown version" => ["Service", ->(object) { object["apiVersion"] = "v9" }],
    "a missing field" => ["HorizontalPodAutoscaler", ->(object) { object["spec"].delete("maxReplicas") }],
    "a misspelt field" => ["PodDisruptionBudget", ->(object) { object["spec"]["selectr"] = {} }],
    "a misspelt probe" => ["Deployment", ->(object) { container(object)["livenesProbe"] = { "periodSeconds" => 1 } }],
    "a port that is a text" => ["Deployment", ->(object) { container(object)["ports"][0]["containerPort"] = "80" }],
    "a variable that is a number" => ["Deployment", ->(object) { container(object)["env"][0]["value"] = 60 }],
    "1GB of memory" => ["Deployment", ->(object) { container(object)["resources"]["limits"]["memory"] = "1GB" }]
  }.freeze

  def self.container(object) = object.dig("spec", "template", "spec", "containers", 0)

  KubernetesSchemas.versions.each do |version|
    define_method("test_the_manifests_are_valid_with_#{version}") do
      schemas = KubernetesSchemas.new(version)

      objects.each { |object| assert_empty schemas.errors(object), object["kind"] }
    end

    define_method("test_defects_are_refused_with_#{version}") do
      schemas = KubernetesSchemas.new(version)

      DEFECTS.each do |name, (kind, break_it)|
        object = objects.find { |one| one["kind"] == kind }
        break_it.call(object)

        refute_empty schemas.errors(object), name
      end
    end
  end

  # Psych keeps the last of two fields with one name, and a server refuses both.
  def test_no_field_is_there_twice
    Psych.parse_stream(File.read(FILE)).each do |node|
      next unless node.mapping?

      names = node.children.each_slice(2).map { |name, _| name.value }
      assert_equal names.uniq, names
    end
  end

  private

  def objects = Psych.load_stream(File.read(FILE))
end
