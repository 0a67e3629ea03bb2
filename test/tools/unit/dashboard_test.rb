# frozen_string_literal: true

require "test_helper"
require "json"
require "rack"
require "rack/lint"
require "rack/mock"
require "coppice/errors"
require "coppice/board"
require "coppice/control/status_page"
require "coppice/dashboard"
require_relative "../../support/dashboard_fixture"

# The Rack application alone: what it answers, and what it refuses.
class DashboardTest < Coppice::TestCase
  FIXTURE = Coppice::DashboardFixture.new(steps: 5)
  FOLDER = File.expand_path("../../../lib/coppice/tools/dashboard/assets", __dir__)

  # Notes what it is asked to do.
  class Actions
    attr_reader :calls

    def initialize(error = nil)
      @error = error
      @calls = []
    end

    def call(verb, *arguments)
      raise @error if @error

      @calls << [verb, *arguments]
      ["done"]
    end
  end

  # Begins at once, and goes on for longer than anybody waits.
  class SlowActions
    def call(verb, *)
      yield "#{verb} begins"
      raise Coppice::Error, "nobody waits for the end"
    end
  end

  test "every answer keeps to Rack's specification" do
    paths = %w[/ /stats.json /history.json?since=3 /assets/main.js /assets/none /page-map.svg?slot=0 /backtrace]

    assert_equal [200, 200, 200, 200, 404, 200, 400], paths.map { |path| get(path).status }
    assert_equal 200, dashboard.head("/").status
    assert_empty dashboard.head("/").body
    assert_equal 405, dashboard.put("/").status
  end

  test "the page is relative to where it is mounted" do
    ["/coppice/", "/coppice/?theme=/x", nil].each do |target|
      assert_equal ["assets/main.js"], script_of("/coppice", "/", target)
      assert_empty addresses("/coppice", "/", target).grep(%r{\A/|\A\w+:})
    end
    assert_equal ["assets/main.js"], script_of("", "/", "/")
  end

  test "a page whose address has no slash at its end names where it is mounted" do
    # Of Rack's map, of a server without REQUEST_URI, and of the router of Rails.
    [["", "/coppice"], ["", nil], ["/", "/coppice"], ["/", "/coppice?path=/"]].each do |path, target|
      assert_equal ["/coppice/assets/main.js"], script_of("/coppice", path, target)
      assert_empty addresses("/coppice", path, target).grep_v(%r{\A(/coppice/|#)})
    end
  end

  test "a mount point cannot break out of the page's text" do
    assert_includes addresses("/\"><b>&", "", nil), "/&quot;&gt;&lt;b&gt;&amp;/assets/main.js"
  end

  test "each answer forbids all that the dashboard does not load" do
    %w[/ /stats.json /assets/main.js /none].each do |path|
      policy = get(path)["content-security-policy"]

      assert_includes policy, "default-src 'none'"
      refute_includes policy, "unsafe"
    end
    assert_includes get("/page-map.svg?slot=0")["content-security-policy"], "default-src 'none'"
  end

  test "the page has no code and no styles in its text" do
    refute_match(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|javascript:/i, get("/").body)
  end

  test "statistics are as they were given, without queries, bytes that are no text, and infinity" do
    given = { request: "GET /a?token=1", recent_exits: [{ request: "GET /\xFF?x".b }], name: "/srv/a?b", wait: Float::NAN,
              processes: [{ request: nil }] }
    app = Rack::MockRequest.new(Coppice::Dashboard.new(stats: -> { given }))

    expected = { "request" => "GET /a", "recent_exits" => [{ "request" => "GET /\uFFFD" }], "name" => "/srv/a?b",
                 "wait" => nil, "processes" => [{ "request" => nil }] }
    assert_equal expected, JSON.parse(app.get("/stats.json").body)
  end

  test "a guest's program may have a question mark, and is shown whole" do
    program = "-e p [1].any? ? 1 : 2"
    given = { processes: [{ role: "guest", request: program }, { role: "worker", request: "GET /a?b" }] }
    app = Rack::MockRequest.new(Coppice::Dashboard.new(stats: -> { given }))

    shown = JSON.parse(app.get("/stats.json").body).fetch("processes")
    assert_equal [program, "GET /a"], shown.map { |process| process.fetch("request") }
  end

  test "outside of a server there is nothing to show" do
    app = Rack::MockRequest.new(Coppice::Dashboard.new)

    assert_equal "{}", app.get("/stats.json").body
    assert_equal [], JSON.parse(app.get("/history.json").body).fetch("records")
    assert_equal 404, app.get("/page-map.svg?slot=0").status
  end

  test "the history begins after the sequence number that is asked for" do
    asked = []
    app = Rack::MockRequest.new(Coppice::Dashboard.new(history: ->(since) { asked.push(since) && {} }))
    ["", "?since=17", "?since=-1", "?xsince=2"].each { |query| app.get("/history.json#{query}") }

    assert_equal [0, 17, 0, 0], asked
  end

  test "an action needs the header that no form of another site can send" do
    actions = Actions.new
    app = dashboard(actions: actions)

    assert_equal 403, app.post("/actions/refork").status
    assert_empty actions.calls
    assert_equal "done\n", app.post("/actions/refork", "HTTP_X_COPPICE_ACTION" => "1").body
    assert_equal [["refork"]], actions.calls
  end

  test "an action has its argument, and no other verb passes" do
    actions = Actions.new
    statuses = %w[recycle?slot=3 workers?count=12 recycle recycle?slot=x stop log-level].map do |path|
      dashboard(actions: actions).post("/actions/#{path}", "HTTP_X_COPPICE_ACTION" => "1").status
    end

    assert_equal [200, 200, 400, 400, 404, 404], statuses
    assert_equal [%w[recycle 3], %w[workers 12]], actions.calls
  end

  test "an action is answered with the server's first line, since the end may take minutes" do
    bodies = %w[roll refork recycle?slot=1].map do |verb|
      dashboard(actions: SlowActions.new).post("/actions/#{verb}", "HTTP_X_COPPICE_ACTION" => "1").body
    end

    assert_equal ["roll begins\n", "refork begins\n", "recycle begins\n"], bodies
  end

  test "an action that the server refuses says why" do
    actions = Actions.new(Coppice::Error.new("a refork is under way"))
    response = dashboard(actions: actions).post("/actions/refork", "HTTP_X_COPPICE_ACTION" => "1")

    assert_equal [409, "a refork is under way\n"], [response.status, response.body]
  end

  test "an action that does not reach the server says so" do
    actions = Actions.new(Errno::ECONNREFUSED.new)

    assert_equal 503, dashboard(actions: actions).post("/actions/refork", "HTTP_X_COPPICE_ACTION" => "1").status
  end

  test "without actions there is none, and the page offers none" do
    app = dashboard(actions: nil, backtrace: nil, page_map: nil)

    assert_equal 404, app.post("/actions/refork", "HTTP_X_COPPICE_ACTION" => "1").status
    assert_equal 404, app.get("/backtrace?slot=0").status
    assert_includes app.get("/").body, 'data-features=""'
  end

  test "the page offers what there is" do
    app = dashboard(actions: Actions.new, backtrace: ->(slot) { "stack of #{slot}" })

    assert_includes app.get("/").body, 'data-features="refork recycle workers roll rollback backtrace page-map"'
    assert_equal "stack of 4", app.get("/backtrace?slot=4").body
  end

  test "no page of another site has a worker write its stack, or its pages read" do
    app = dashboard(backtrace: ->(slot) { "stack of #{slot}" })
    asked_from = lambda do |site|
      %w[/backtrace /page-map.svg].map { |path| app.get("#{path}?slot=0", "HTTP_SEC_FETCH_SITE" => site).status }
    end

    assert_equal [[403, 403], [403, 403]], %w[cross-site same-site].map(&asked_from)
    assert_equal [[200, 200], [200, 200]], %w[same-origin none].map(&asked_from)
  end

  test "a process that cannot be read is an answer, no crash" do
    app = dashboard(page_map: ->(_slot) { raise Errno::EACCES })

    assert_equal 503, app.get("/page-map.svg?slot=1").status
  end

  test "files have a type and an etag, and none is read by a path" do
    first = get("/assets/main.js")
    again = dashboard.get("/assets/main.js", "HTTP_IF_NONE_MATCH" => first["etag"])

    assert_equal ["text/javascript; charset=utf-8", 304, ""], [first["content-type"], again.status, again.body]
    %w[/assets/../assets.rb /assets/index.html /assets/vendor/uPlot.LICENSE].each do |path|
      assert_equal 404, get(path).status
    end
  end

  test "every module that a file imports is served" do
    files = Dir.glob("**/*.js", base: FOLDER)
    wanted = files.flat_map do |file|
      paths = File.read("#{FOLDER}/#{file}").scan(/from "(\.[^"]+)"/).flatten
      paths.map { |path| File.expand_path(path, "/#{File.dirname(file)}") }
    end

    refute_empty wanted
    wanted.uniq.each { |path| assert_equal 200, get("/assets#{path}").status, path }
  end

  test "the exits have the causes of the board, and those of a page of status are no deaths" do
    text = File.read("#{FOLDER}/views/exits.js")

    assert_equal (Coppice::Board::EXIT_CAUSES - %w[other]).sort, text.scan(/^  (\w+): "/).flatten.sort
    assert_equal Coppice::Control::StatusPage::ASKED, JSON.parse(text[/ROUTINE = new Set\((\[.*\])\)/, 1])
  end

  test "all of its files are in the gem, and no registry is named in them" do
    packaged = Gem::Specification.load(File.expand_path("../../../coppice.gemspec", __dir__)).files
    files = Dir.glob("**/*", base: FOLDER).reject { |name| File.directory?("#{FOLDER}/#{name}") }

    assert_empty(files.map { |name| "lib/coppice/tools/dashboard/assets/#{name}" } - packaged)
    foreign = %r{https?:(?!//(?:www\.w3\.org|github\.com))} # of SVG's name, and of uPlot's home
    assert_empty(files.select { |name| File.read("#{FOLDER}/#{name}").match?(foreign) })
  end

  private

  def get(path) = dashboard.get(path)

  # Those in the page's text, with the application mounted.
  def addresses(mount, path, target)
    env = { "SCRIPT_NAME" => mount, "PATH_INFO" => path, "REQUEST_URI" => target }
    status, _, body = Coppice::Dashboard.new.call(Rack::MockRequest.env_for("/").merge(env))
    assert_equal 200, status
    body.join.scan(/(?:src|href)="([^"]+)"/).flatten
  end

  def script_of(*place) = addresses(*place).grep(/main/)

  def dashboard(page_map: ->(_slot) { "<svg xmlns=\"http://www.w3.org/2000/svg\"/>" }, **rest)
    fixture = FIXTURE
    Rack::MockRequest.new(Rack::Lint.new(Coppice::Dashboard.new(stats: -> { fixture.stats }, page_map: page_map,
      history: ->(since) { fixture.history(since) }, **rest)))
  end
end
