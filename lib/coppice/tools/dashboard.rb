# frozen_string_literal: true

module Coppice
  class Dashboard; end # first: to open it in one of its parts would autoload this file once more
end

require "coppice/tools/dashboard/assets"
require "coppice/tools/dashboard/own_server"
require "coppice/errors"
require "coppice/stats/json_text"

module Coppice
  # A Rack application that shows a running server in a browser: the processes by generation, memory, reforks, requests
  # and exits. The observer serves it on `admin_listen`; an application can mount it behind its own login:
  #
  #   mount Coppice::Dashboard.new, at: "/coppice"
  #
  # It needs no gem, keeps no state and starts no thread. All addresses in its pages are below that where it is
  # mounted. It has no login of its own: everybody who reaches it sees the paths of requests in flight.
  class Dashboard
    # What the page itself may load: nothing from elsewhere, no code and no style in the page's text.
    CONTENT_SECURITY_POLICY = [
      "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
      "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"
    ].join("; ").freeze

    # A picture has its styles in itself, and no scripts.
    PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

    HEADERS = {
      "cache-control" => "no-store", "content-security-policy" => CONTENT_SECURITY_POLICY,
      "cross-origin-resource-policy" => "same-origin", "referrer-policy" => "no-referrer",
      "x-content-type-options" => "nosniff"
    }.freeze

    # A browser sends this header to another site only after that site has agreed, which the dashboard never does. So a
    # foreign page cannot send an action.
    ACTION_HEADER = "HTTP_X_COPPICE_ACTION"

    # What a browser says of a request by one of our pages, or by its user; other programs say nothing.
    OWN_PAGES = ["same-origin", "none", nil].freeze

    # Verb => the name of its argument in the query, nil for a verb without one.
    ACTIONS = { "refork" => nil, "recycle" => "slot", "workers" => "count", "roll" => nil, "rollback" => nil }.freeze

    # stats: returns the Hash of Coppice::Stats#to_h. history: returns Coppice::Stats#history for a sequence number.
    # actions: an object with `call(verb, *arguments)` that yields each line of the server's answer as soon as it is
    # known, and returns all of them, such as Coppice::Control::Client; nil permits none.
    # backtrace: returns the stack of the worker in a slot as text. page_map: returns its page map as SVG; both answer
    # nil where there is no such worker. not_found: what it says of paths that it does not have. Without arguments it
    # shows the server in which it runs.
    #: (?stats: ^() -> Hash[Symbol, untyped], ?history: ^(Integer) -> Hash[Symbol, untyped], ?actions: untyped,
    #    ?backtrace: (^(Integer) -> String?)?, ?page_map: (^(Integer) -> String?)?, ?not_found: String) -> void
    def initialize(stats: OwnServer.method(:stats), history: OwnServer.method(:history), actions: nil,
                   backtrace: nil, page_map: OwnServer.method(:page_map), not_found: "not found")
      @stats = stats
      @history = history
      @actions = actions
      @backtrace = backtrace
      @page_map = page_map
      @not_found = not_found
    end

    # Returns a Rack response, for Rack 2.2 and 3.
    #: (Hash[String, untyped]) -> [Integer, Hash[String, String], Array[String]]
    def call(env)
      path = env["PATH_INFO"]
      case env["REQUEST_METHOD"]
      when "GET" then get(path, env)
      when "HEAD" then get(path, env).tap { |response| response[2] = [] }
      when "POST" then post(path, env)
      else text(405, "method not allowed", "allow" => "GET, HEAD, POST")
      end
    end

    private

    def get(path, env)
      case path
      when "", "/" then page(env)
      when "/stats.json" then json(@stats.call)
      when "/history.json" then json(@history.call(number(env, "since") || 0))
      when "/backtrace" then of_slot(@backtrace, env, "text/plain; charset=utf-8")
      when "/page-map.svg" then of_slot(@page_map, env, "image/svg+xml", "content-security-policy" => PICTURE_POLICY)
      when %r{\A/assets/(.+)\z} then asset($1, env)
      else text(404, @not_found)
      end
    end

    def post(path, env)
      verb = path.delete_prefix("/actions/")
      return text(404, "not found") unless @actions && path.start_with?("/actions/") && ACTIONS.key?(verb)
      return text(403, "the header x-coppice-action is missing") unless env[ACTION_HEADER]

      name = ACTIONS.fetch(verb)
      value = number(env, name) if name
      return text(400, "#{name} is missing or no number") if name && !value

      act(verb, value)
    end

    def act(verb, value)
      text(200, answer(verb, value))
    rescue Coppice::Error => error
      text(409, error.message)
    rescue SystemCallError => error # the server cannot be reached
      text(503, error.message)
    end

    # The first line says that it has begun. The end may take minutes, in which the thread would serve nobody else: the
    # page shows how it goes on.
    def answer(verb, value)
      @actions.call(verb, *value&.to_s) { |line| return line }.join("\n")
    end

    # Tells the page what it can ask for.
    def page(env)
      features = [*ACTIONS.keys.select { @actions }, *("backtrace" if @backtrace), *("page-map" if @page_map)]
      respond(200, Assets.page(features, base: base(env)), "content-type" => "text/html; charset=utf-8")
    end

    # Relative addresses suit a proxy that has added a prefix, but would lead beside a page whose own address has no
    # slash at its end. PATH_INFO does not tell: the router of Rails makes "/" of "". A redirect to the slash might
    # never end, because some proxies redirect away from it.
    def base(env)
      address = env["REQUEST_URI"] || "#{env["SCRIPT_NAME"]}#{env["PATH_INFO"]}"
      address[/\A[^?]*/].end_with?("/") ? "" : "#{env["SCRIPT_NAME"]}/"
    end

    def asset(name, env)
      asset = Assets.find(name)
      return text(404, "not found") unless asset

      headers = { "cache-control" => "no-cache", "etag" => asset.etag }
      return [304, HEADERS.merge(headers), []] if env["HTTP_IF_NONE_MATCH"] == asset.etag

      respond(200, asset.content, headers.merge("content-type" => asset.type))
    end

    # Each of them is work for a worker: no page of another site may ask, which could read nothing either.
    def of_slot(source, env, type, headers = {})
      return text(403, "another site asks") unless OWN_PAGES.include?(env["HTTP_SEC_FETCH_SITE"])

      slot = number(env, "slot")
      return text(400, "slot is missing or no number") unless slot

      content = source&.call(slot)
      content ? respond(200, content, headers.merge("content-type" => type)) : text(404, "no such worker")
    rescue Coppice::Error, SystemCallError => error
      text(503, error.message)
    end

    def number(env, name) = env["QUERY_STRING"].to_s[/(?:\A|&)#{name}=(\d{1,15})(?:&|\z)/, 1]&.to_i

    def json(value) = respond(200, Stats::JsonText.of(value), "content-type" => "application/json")

    def text(status, words, headers = {})
      respond(status, "#{words}\n", { "content-type" => "text/plain; charset=utf-8", **headers })
    end

    def respond(status, content, headers)
      [status, HEADERS.merge({ "content-length" => content.bytesize.to_s }, headers), [content]]
    end
  end
end
