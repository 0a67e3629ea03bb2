# frozen_string_literal: true

require "uri"
require "coppice/observer/access"
require "coppice/observer/exposition"
require "coppice/observer/health"
require "coppice/observer/open_metrics"
require "coppice/observer/pages"
require "coppice/observer/places"
require "coppice/observer/puma_stats"
require "coppice/stats/json_text"

module Coppice
  class Observer
    # The Rack application of admin_listen.
    class Application
      ROUTES = {
        "/metrics" => :metrics, "/stats.json" => :stats_json, "/history.json" => :history, "/puma/stats" => :puma_stats
      }.freeze
      HEALTH = { "/livez" => :live, "/readyz" => :ready }.freeze
      # For the dashboard, which has all other paths. Health checks are often set up with another server's path, such as
      # /healthz.
      NOT_FOUND = "not found. There are / (the dashboard), #{[*HEALTH.keys, *ROUTES.keys].join(', ')}".freeze
      READING = %w[GET HEAD].freeze
      MAX_FORM = 4096 # bytes

      # What the dashboard asks the monitor for at its control socket, besides actions; and how many threads may do so
      # at a time. A monitor that stands still keeps each for seconds: the others are for health checks.
      AT_CONTROL_SOCKET = ["/backtrace"].freeze
      CONTROL_CALLS = 2
      BUSY_SECONDS = 1 # for Retry-After

      # health: what the health checks ask; it must never block. dashboard: a Rack application for all other paths, and
      # for actions.
      #: (stats: SharedStats, health: SharedStats, settings: Config::Settings, dashboard: untyped) -> void
      def initialize(stats:, health:, settings:, dashboard:)
        @stats = stats
        @health_stats = health
        @access = Access.new(token: settings.admin_token, hosts: settings.admin_hosts)
        @health = Health.new(max_waiting: settings.max_waiting)
        @actions = settings.admin_actions
        @dashboard = dashboard
        @control_calls = Places.new(CONTROL_CALLS)
      end

      #: (Hash[String, untyped]) -> [Integer, Hash[String, String], Array[String]]
      def call(env)
        return text(403, "this Host is not expected: add it to admin_hosts") unless host_allowed?(env)

        case env["REQUEST_METHOD"]
        when "GET" then get(env)
        when "HEAD" then get(env).tap { |response| response[2] = [] }
        when "POST" then post(env)
        else text(405, "method not allowed", "allow" => "GET, HEAD, POST")
        end
      end

      private

      # A health check names whatever its proxy was told to. DNS rebinding gains nothing there: these paths need no
      # token either, and to read them changes nothing.
      def host_allowed?(env)
        @access.host_allowed?(env) || (HEALTH.key?(env["PATH_INFO"]) && READING.include?(env["REQUEST_METHOD"]))
      end

      def get(env)
        path = env["PATH_INFO"]
        return health(HEALTH.fetch(path)) if HEALTH.key?(path)
        return demand_token(env) unless @access.authorized?(env)

        return ask_monitor(env) if AT_CONTROL_SOCKET.include?(path)

        route = ROUTES[path]
        route ? send(route, env) : @dashboard.call(env)
      end

      # Actions are the dashboard's.
      def post(env)
        return log_in(env) if env["PATH_INFO"] == "/login" && @access.login?
        return demand_token(env) unless @access.authorized?(env)
        return text(403, "admin_actions is off") unless @actions
        return text(403, "the header X-Coppice-Action is missing") unless env[Access::ACTION_HEADER]

        ask_monitor(env)
      end

      def ask_monitor(env)
        @control_calls.take { @dashboard.call(env) } ||
          text(503, "busy, ask again", "retry-after" => BUSY_SECONDS.to_s)
      end

      def health(question)
        verdict = @health.public_send(question, @health_stats.to_h)
        text(verdict.good ? 200 : 503, verdict.reason)
      end

      def demand_token(env)
        browser = env["REQUEST_METHOD"] == "GET" && env["HTTP_ACCEPT"].to_s.include?("text/html")
        return page(401, Pages::LOGIN) if browser

        text(401, "the token of admin_token is needed: Authorization: Bearer …", "www-authenticate" => "Bearer")
      end

      def log_in(env)
        form = env["rack.input"]&.read(MAX_FORM).to_s
        token = form[/(?:\A|&)token=([^&]*)/, 1].to_s
        return page(401, Pages::LOGIN) unless @access.token?(URI.decode_www_form_component(token))

        text(303, "logged in", "location" => "./", "set-cookie" => @access.cookie(env))
      rescue ArgumentError # not percent-encoded
        page(400, Pages::LOGIN)
      end

      def metrics(env)
        exposition = (OpenMetrics.accepted?(env["HTTP_ACCEPT"]) ? OpenMetrics : Exposition).new
        respond(200, exposition.text(@stats.to_h), "content-type" => exposition.content_type)
      end

      def stats_json(_env) = json(@stats.to_h)

      def history(env)
        since = env["QUERY_STRING"].to_s[/(?:\A|&)since=(\d{1,15})(?:&|\z)/, 1].to_i
        json(@stats.history(since: since))
      end

      def puma_stats(_env) = json(PumaStats.new(@stats.to_h).to_h)

      def json(value) = respond(200, Stats::JsonText.of(value), "content-type" => "application/json")

      def page(status, html) = respond(status, html, Pages::HEADERS)

      def text(status, words, headers = {})
        respond(status, "#{words}\n", { "content-type" => "text/plain; charset=utf-8", **headers })
      end

      def respond(status, content, headers)
        [status, { "content-length" => content.bytesize.to_s, "cache-control" => "no-store", **headers }, [content]]
      end
    end
  end
end
