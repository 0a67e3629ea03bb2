# frozen_string_literal: true

require "yaml"
require "test_helper"
require "coppice/cli"
require "coppice/cli/stop_time"
require "coppice/config/loader"
require "coppice/observer/metrics"

module Coppice
  # The manifests of examples/kubernetes, against what the server does with their configuration. bin/manifests validates
  # them with the schemas of Kubernetes.
  class KubernetesExampleTest < TestCase
    FOLDER = File.expand_path("../../../examples/kubernetes", __dir__)
    VERSIONS = { "Deployment" => "apps/v1", "Service" => "v1", "PodDisruptionBudget" => "policy/v1",
                 "HorizontalPodAutoscaler" => "autoscaling/v2" }.freeze

    def setup
      ENV["ADMIN_TOKEN"] = "0123456789abcdef"
      @objects = YAML.load_stream(File.read(File.join(FOLDER, "shop.yaml"))).to_h { |object| [object["kind"], object] }
      @pod = @objects.dig("Deployment", "spec", "template", "spec")
      @container = @pod.fetch("containers").first
      @settings = Config::Loader.new(arguments: ["-c", File.join(FOLDER, "coppice.rb")], directory: FOLDER,
        environment: { "RACK_ENV" => "production" }).load
    end

    def teardown
      ENV.delete("ADMIN_TOKEN")
      super
    end

    test "each object has the version of its kind and the same labels" do
      assert_equal VERSIONS, @objects.transform_values { |object| object["apiVersion"] }
      labels = @objects.dig("Deployment", "spec", "template", "metadata", "labels")
      [%w[Deployment matchLabels], %w[PodDisruptionBudget matchLabels], ["Service"]].each do |kind, key|
        assert_equal labels, @objects.dig(*[kind, "spec", "selector", key].compact), kind
      end
    end

    test "the pod has time for the longest stop, and the server knows it" do
      period = @pod.fetch("terminationGracePeriodSeconds")
      given = @container.fetch("env").find { |row| row["name"] == CLI::StopTime::GRACE_PERIOD }

      assert_operator period, :>=, @settings.longest_stop
      assert_equal period.to_s, given.fetch("value")
      assert_nil CLI::StopTime.new(@settings, { "KUBERNETES_SERVICE_HOST" => "x",
                                                CLI::StopTime::GRACE_PERIOD => given["value"] }).warning
    end

    test "the ports are those that the server listens on, and the probes ask the observer" do
      ports = @container.fetch("ports").to_h { |port| [port["name"], port["containerPort"]] }

      assert_equal({ "http" => @settings.listen.first.port, "admin" => @settings.admin_listen.first.port }, ports)
      probes = %w[startupProbe readinessProbe livenessProbe].map { |probe| @container.dig(probe, "httpGet") }
      targets = probes.map { |get| get.values_at("path", "port") }

      assert_equal [%w[/readyz admin], %w[/readyz admin], %w[/livez admin]], targets
      assert_equal "http", @objects.dig("Service", "spec", "ports", 0, "targetPort")
    end

    test "kube-proxy has stopped sending requests before the server stops accepting them" do
      probe = @container.fetch("readinessProbe")

      assert_operator @settings.shutdown_delay, :>, probe["periodSeconds"] * probe["failureThreshold"]
    end

    test "the root is read-only except where the lobby keeps large bodies" do
      assert @container.dig("securityContext", "readOnlyRootFilesystem")
      assert_equal ["/tmp"], @container.fetch("volumeMounts").map { |mount| mount["mountPath"] }
      assert_equal @pod.fetch("volumes").map { |volume| volume["name"] },
        @container.fetch("volumeMounts").map { |mount| mount["name"] }
    end

    test "WEB_CONCURRENCY=auto has limits to count from" do
      assert_equal "auto", @container.fetch("env").find { |row| row["name"] == "WEB_CONCURRENCY" }.fetch("value")
      assert_equal %w[cpu memory], @container.dig("resources", "limits").keys
    end

    test "the autoscaler follows a metric that there is" do
      spec = @objects.dig("HorizontalPodAutoscaler", "spec")

      assert_includes Observer::METRICS.map(&:name), spec.dig("metrics", 0, "pods", "metric", "name").to_sym
      assert_equal @objects["Deployment"].values_at("apiVersion", "kind") + ["shop"],
        spec.fetch("scaleTargetRef").values_at("apiVersion", "kind", "name")
    end
  end
end
