# frozen_string_literal: true

require "json"
require "json_schemer"

# The OpenAPI document that Kubernetes publishes for a release (api/openapi-spec/swagger.json), as the gem kube_schema
# carries it. Here a field that it does not name is an error.
class KubernetesSchemas
  FOLDER = File.join(Gem::Specification.find_by_name("kube_schema").gem_dir, "schemas")

  # Of these the document says only in prose that a server also takes numbers. The pattern is the grammar in the
  # description of Quantity.
  PROSE = {
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString" => { "type" => %w[string integer] },
    "io.k8s.apimachinery.pkg.api.resource.Quantity" => {
      "type" => %w[string number],
      "pattern" => "^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$"
    }
  }.freeze

  # Schemas that the gem has from 1.31 on: it has none of some versions before.
  def self.versions
    all = Dir.children(FOLDER).filter_map { |file| file[/\Av(\d+\.\d+)\.json\z/, 1] }
    all.select { |version| Gem::Version.new(version) >= Gem::Version.new("1.31") }.sort
  end

  def initialize(version)
    definitions = JSON.parse(File.read("#{FOLDER}/v#{version}.json")).fetch("definitions").merge(PROSE)
    definitions.each_value { |schema| schema["additionalProperties"] ||= false if schema.key?("properties") }
    @names = definitions.each_with_object({}) do |(name, schema), names|
      kinds = schema.fetch("x-kubernetes-group-version-kind", [])
      kinds.each { |kind| names[kind.values_at("group", "version", "kind")] = name }
    end
    @document = JSONSchemer.schema({ "definitions" => definitions }, meta_schema: JSONSchemer.draft7)
  end

  # What is wrong with an object, as texts.
  def errors(object)
    group, _, version = object["apiVersion"].rpartition("/")
    name = @names[[group, version, object["kind"]]]
    return ["there is no #{object["kind"]} in #{object["apiVersion"]}"] unless name

    @document.ref("#/definitions/#{name}").validate(object).map { |error| error.fetch("error") }
  end
end
