# frozen_string_literal: true

require "json"
require "net/http"
require "tmpdir"
require "uri"
require "coppice/observer/metrics"
require_relative "loopback_ports"
require_relative "bounded_wait"

# A real Prometheus that scrapes one target, in a folder of its own, for as long as a block runs.
class Prometheus
  PROGRAMS = %w[prometheus promtool].freeze

  # Skips a test where Prometheus is not installed.
  #: (Minitest::Test) -> void
  def self.needed(test)
    test.skip "needs the Debian package prometheus" unless installed?
  end

  #: () -> bool
  def self.installed?
    PROGRAMS.all? { |name| ENV["PATH"].split(":").any? { |folder| File.executable?("#{folder}/#{name}") } }
  end

  # target: "127.0.0.1:9293".
  #: (String) { (Prometheus) -> void } -> void
  def self.scraping(target)
    Dir.mktmpdir("coppice-prometheus-") do |folder|
      prometheus = new(folder, target)
      prometheus.start
      yield prometheus
    ensure
      prometheus&.stop
    end
  end

  def initialize(folder, target)
    @folder = folder
    @port = LoopbackPorts.free(1).first
    config = { global: { scrape_interval: "1s", scrape_timeout: "1s" },
               scrape_configs: [{ job_name: "coppice", static_configs: [{ targets: [target] }] }] }
    File.write("#{folder}/prometheus.yml", JSON.generate(config)) # JSON is YAML
  end

  def start
    @pid = Process.spawn("prometheus", "--config.file=#{@folder}/prometheus.yml", "--storage.tsdb.path=#{@folder}/data",
      "--web.listen-address=127.0.0.1:#{@port}", %i[out err] => "#{@folder}/log", in: File::NULL)
  end

  def stop
    Process.kill(:TERM, @pid)
    BoundedWait.status_of(@pid)
  end

  # The result of an instant query: pairs of labels and a Float; nil while Prometheus starts.
  #: (String) -> Array[[Hash[String, String], Float]]?
  def query(expression)
    ask("query", query: expression)&.fetch("result")&.map { |series| [series["metric"], Float(series["value"].last)] }
  end

  # The series of Coppice that went back, by name, with how often they did in this time.
  #: (String) -> Hash[String, untyped]
  def resets(range)
    names = Coppice::Observer::METRICS.flat_map do |metric|
      { counter: [metric.full_name], histogram: ["#{metric.name}_bucket", "#{metric.name}_sum"] }.fetch(metric.type, [])
    end
    names.to_h { |name| [name, query("resets(#{name}[#{range}]) > 0")] }.reject { |_, series| series.empty? }
  end

  # What it has understood of a metric: Hashes with type, help and unit.
  #: (String) -> Array[Hash[String, String]]?
  def metadata(name) = ask("metadata", metric: name)&.fetch(name)

  private

  def ask(path, **parameters)
    uri = URI("http://127.0.0.1:#{@port}/api/v1/#{path}?#{URI.encode_www_form(parameters)}")
    answer = JSON.parse(Net::HTTP.get(uri))
    raise ArgumentError, answer["error"] unless answer["status"] == "success"

    answer["data"]
  rescue Errno::ECONNREFUSED, JSON::ParserError
    nil
  end
end
