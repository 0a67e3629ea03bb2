# frozen_string_literal: true

# lane: soak -- opens a browser

require "test_helper"
require "json"
require_relative "../../support/dashboard_page"
require_relative "../../support/shown_number"

# The dashboard in a browser, beside a server that is played.
class DashboardBrowserTest < Coppice::TestCase
  include DashboardPage

  VIEWS = %w[family memory ledger page-map promotions latency first-request fork-safety requests utilization guests
             exits headroom].freeze
  SCRIPT = "GET /<img src=x onerror=alert(1)><script>document.title='hit'</script>"

  NUMBERS = "[...document.querySelectorAll('data[data-path]')].map((one) => ({ path: one.dataset.path, " \
            "value: one.value, unit: one.dataset.unit, text: one.textContent }))"
  FOCUSED = <<~JAVASCRIPT
    (() => {
      const one = document.activeElement;
      const style = getComputedStyle(one);
      const visible = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
      return { name: [one.localName, ...one.classList].join("."), visible: visible || one === document.body };
    })()
  JAVASCRIPT

  test "each number on the page is that of stats.json" do
    open_page do |browser|
      stats = JSON.parse(JSON.generate(@fixture.stats))
      shown = browser.evaluate(NUMBERS)

      assert_operator shown.size, :>, 60
      shown.each { |number| assert_shown stats, **number.transform_keys(&:to_sym) }
    end
  end

  test "mounted in an application it has its files and answers with a slash at the end of its address and without" do
    @mounted_at = "/admin/coppice"
    open_page do |browser|
      browser.go_to(@server.address)
      Coppice::DashboardBrowser.wait_for(browser, Coppice::DashboardBrowser::DRAWN)
      browser.evaluate("document.querySelector('#page-map button').click()")

      reached(browser, "document.querySelector('#page-map img')?.naturalWidth > 0")
    end
  end

  test "every view draws itself and says something" do
    open_page do |browser|
      said = VIEWS.to_h { |view| [view, browser.evaluate("document.querySelector('##{view} .says').textContent")] }

      assert_empty(said.select { |_, words| words.to_s.strip.empty? })
      assert_equal 3, browser.evaluate("document.querySelectorAll('canvas').length")
    end
  end

  test "views without data say so in words" do
    @fixture = Coppice::DashboardFixture.new(steps: 2)
    bare = @fixture.stats.merge(promotions: [], reforks: [], recent_exits: [], exits: {}, ledger: nil,
      fork_audit: { findings: 0, refused: 0, recent: [] })
    nothing = { request: nil, in_flight: false, request_age: nil, state: "idle", first_request_seconds: nil }
    bare[:processes].each { |process| process.update(nothing) }
    @stats = -> { bare }
    open_page do |browser|
      assert_equal "No promotion yet.", says(browser, "promotions")
      assert_equal "Reforks follow a fixed rule.", says(browser, "ledger")
      assert_equal "No request is in flight.", says(browser, "requests")
      assert_equal "No process has exited that was not told to.", says(browser, "exits")
      assert_equal "No first request has been measured yet.", says(browser, "first-request")
    end
  end

  test "what is not known is a dash, and no error" do
    known = @fixture.stats
    @stats = -> { unknown(known) }
    open_page do |browser|
      assert_equal "–", browser.evaluate("document.querySelector('[data-path=\"memory.pss\"]').textContent")
    end
  end

  test "a server of one process, without history, is shown" do
    none = { processes: [], promotions: [], reforks: [], recent_exits: [], exits: {}, ledger: nil, slots: [] }
    @stats = -> { @fixture.stats.merge(none) }
    @fixture.define_singleton_method(:history) { |_since| { seq: 0, interval: 2.0, names: [], records: [] } }
    open_page { |browser| assert_match(/workers ready/, says(browser, "family")) }
  end

  test "a new generation is a new row, without a reload" do
    open_page do |browser|
      browser.execute("window.sameDocument = true")
      newest = @fixture.generation + 1
      @fixture.refork
      @fixture.advance(4)
      reached_by_asking(browser, "document.querySelector('.gen.current[data-generation=\"#{newest}\"] .cell.worker')")

      assert browser.evaluate("window.sameDocument && document.querySelectorAll('.gen[data-generation]').length === 2")
      @fixture.advance(60)
      reached_by_asking(browser, "document.querySelectorAll('.gen[data-generation]').length === 1")
      assert_equal @fixture.workers, browser.evaluate("document.querySelectorAll('button.cell.worker').length")
    end
  end

  test "a rollout in which no request came has no p99, and is compared by its throughput alone" do
    let_no_request_come(22) # records
    open_page do |browser|
      row = browser.evaluate("[...document.querySelector('#latency tbody tr').cells].map((cell) => cell.textContent)")

      assert_equal "While generation 2 took over, throughput was 0.00 × that of the minute before.",
        says(browser, "latency").tr("\u00A0", " ")
      assert_equal %w[2 –], row.values_at(0, 2)
      assert_match(/\A[\d.]+ ms\z/, row[1].tr("\u00A0", " "))
    end
  end

  test "what the fork audit has found is listed" do
    open_page do |browser|
      assert_equal "The audit has kept 1 mold from being committed.", says(browser, "fork-safety")
      assert_match(/\Aa thread does not exist after the fork: poller app.models.prices.rb:14 gen 1, /,
        browser.evaluate("document.querySelector('#fork-safety .audit li').textContent"))
    end
  end

  test "an error of the server is told from a lost connection" do
    open_page do |browser|
      @stats_error = true
      reached_by_asking(browser,
        "document.querySelector('.connection').textContent.startsWith('this process is part of no')")
      @stats_error = false
      reached_by_asking(browser, "!document.body.classList.contains('lost')")
    end
  end

  test "what a client asks for is text, and its query is not shown" do
    @fixture.slow_request = "#{SCRIPT}?token=s3cret"
    open_page do |browser|
      assert_includes browser.evaluate("document.getElementById('requests').textContent"), SCRIPT
      refute_includes browser.evaluate("document.documentElement.outerHTML"), "s3cret"
      assert_equal 0, browser.evaluate("document.querySelectorAll('main img, main script').length")
      assert_match(/\ACoppice/, browser.evaluate("document.title"))
    end
  end

  test "the keyboard reaches every view's controls, with a visible focus" do
    open_page(actions: ->(*) { ["ok"] }) do |browser|
      reached = tab_through(browser, 60)
      names = reached.map { |one| one["name"] }.uniq

      assert_equal "a.skip", names.first
      %w[button.cell div.chart select div.scroll].each do |name|
        assert(names.any? { |one| one.start_with?(name) }, "#{name} is not in #{names}")
      end
      assert_empty(reached.reject { |one| one["visible"] })
    end
  end

  test "the arrow keys go from process to process, and the details follow" do
    open_page do |browser|
      browser.execute("document.querySelector('button.cell.worker').focus()")
      2.times { browser.keyboard.type(:right) }

      reached(browser, "document.querySelector('.detail h3').firstChild.textContent === 'worker 2'")
      assert_equal 1, browser.evaluate("document.querySelectorAll('button.cell[tabindex=\"0\"]').length")
    end
  end

  test "why clients wait is one sentence, and says what is the case" do
    open_page do |browser|
      assert_equal "No client waits: 1 of 2 workers is busy.", why(browser, waiting: 0, busy: 1)
      assert_equal "1 client waits though 1 worker is idle: a burst that passes.", why(browser, waiting: 1, busy: 1)
      assert_match(/\A9 clients wait because only 2 of 3 workers are ready/, why(browser, wanted: 3))
      busy = "9 clients wait because all 2 workers are busy"
      assert_equal "#{busy}, 2 of them for more than 1 s, longest with GET /a for 12 s.",
        why(browser, ages: [3.0, 12.0])
      assert_equal "#{busy}, with short requests (median 20.0 ms) that compute: more workers help only if processors " \
                   "are free.", why(browser, cpu: 0.9)
      assert_match(/that wait for something else 80 % of their time: more workers help\.\z/, why(browser, cpu: 0.2))
      assert_match(/\AThe application boots/, why(browser, state: "booting"))
    end
  end

  test "the focus goes to the successor of a process that is replaced" do
    open_page do |browser|
      browser.execute("document.querySelector('button.cell.worker').focus()")
      first = browser.evaluate("document.activeElement.dataset.pid")
      @fixture.refork
      @fixture.advance(120)
      reached_by_asking(browser, "(document.activeElement.dataset.pid ?? '#{first}') !== '#{first}'")

      assert_match(/\Aworker 0, /, browser.evaluate("document.activeElement.getAttribute('aria-label')"))
    end
  end

  test "it follows the colour scheme" do
    grounds = %w[light dark].map do |scheme|
      open_page(scheme: scheme) { |browser| browser.evaluate("getComputedStyle(document.body).backgroundColor") }
    end
    light, dark = grounds.map { |colour| colour.scan(/\d+/).first(3).sum(&:to_i) }

    assert_operator light, :>, 600
    assert_operator dark, :<, 120
  end

  test "a logarithmic scale begins at a number of one digit" do
    lowest = [0.00013, 0.0042, 0.0999, 0.14, 3.1]
    open_page do |browser|
      bounds = browser.evaluate_async("import(new URL('charts.js', document.querySelector('[src$=\"main.js\"]').src))" \
        ".then(({ Chart }) => arguments[1](arguments[0].map((low) =>" \
        "Chart.prototype.scale({ log: true }).range(null, low, 10)[0])))", 5, lowest)

      assert_equal [9e-05, 0.002, 0.06, 0.09, 2], bounds
    end
  end

  test "nothing is wider than a phone" do
    [1, 8, 300].each do |workers|
      @fixture = Coppice::DashboardFixture.new(workers: workers, steps: 700)
      @fixture.slow_request = "GET /#{"long" * 200}"
      open_page(width: 360) { |browser| assert_equal 360, browser.evaluate("document.documentElement.scrollWidth") }
    end
  end

  test "an action is asked for twice, and its answer is shown" do
    calls = []
    open_page(actions: ->(*words) { calls << words; ["refork started"] }) do |browser|
      press = ->(name) { "document.querySelector('.bar-top button[data-key=\"#{name}\"]').click();" }
      # Another one once. The second time is within the seconds for which the button asks.
      browser.execute("#{press['Add a worker']} #{press['Refork']} #{press['Refork']}")
      reached(browser, "document.querySelector('output').textContent === 'refork started'")
      assert_equal [["refork"]], calls
    end
  end

  test "the stack of a worker is shown as text" do
    open_page(backtrace: ->(slot) { "<b>#{slot}</b>" }) do |browser|
      browser.execute("document.querySelector('#requests button').click()")
      reached(browser, "document.querySelector('dialog[open] pre')?.textContent.startsWith('<b>')")
      browser.keyboard.type(:escape)
      reached(browser, "!document.querySelector('dialog')")
    end
  end

  private

  # From the last generation's first record on.
  def let_no_request_come(count)
    names, records = @fixture.history.values_at(:names, :records)
    generation, *counted = %w[generation requests application_seconds].map { |name| names.index(name) }
    first = records.index { |record| record[generation] == @fixture.generation }
    before, *quiet = records[first - 1, count]
    quiet.each { |record| counted.each { |column| record[column] = before[column] } }
  end

  # What the page's own code says of two workers, beside an old guest. cpu: the part of their time that is CPU time.
  def why(browser, state: "serving", waiting: 9, busy: 2, wanted: 2, ages: [0.01, 0.02], cpu: 1.0)
    server = { state: state, requests_waiting: waiting, workers: wanted, workers_ready: 2, workers_busy: busy }
    processes = [*ages, 9000].zip(%w[worker worker guest]).map do |age, role|
      { role: role, in_flight: role == "worker", request: "GET /a?b", request_age: age, median_seconds: 0.02 }
    end
    past = { names: %w[time busy_seconds cpu_seconds], interval: 2, seq: 2, records: [[0, 0, 0], [2, 1, cpu]] }
    browser.evaluate_async(<<~JAVASCRIPT, BoundedWait.seconds).tr("\u00A0", " ")
      Promise.all([import("./assets/why.js"), import("./assets/past.js")]).then(([{ why }, { Past }]) => {
        const past = new Past();
        past.add(#{JSON.generate(past)});
        arguments[0](why(#{JSON.generate(server: server, processes: processes)}, past));
      })
    JAVASCRIPT
  end

  # The same with nil for each number that is no name of something.
  def unknown(value, key = nil)
    case value
    when Hash then value.to_h { |name, inner| [name, unknown(inner, name)] }
    when Array then key == :le || key == :counts ? value : value.map { |inner| unknown(inner, key) }
    when Numeric then %i[pid slot generation time].include?(key) ? value : nil
    else value
    end
  end

  def assert_shown(stats, path:, value:, unit:, text:)
    keys = path.split(".").map { |key| key.match?(/\A\d+\z/) ? key.to_i : key }
    # A cause of an exit, such as out_of_memory, and an index are keys alike.
    expected = keys.inject(stats) { |inner, key| inner.is_a?(Array) ? inner.fetch(key) : inner.fetch(key.to_s) }

    assert_equal expected.to_s, value, path unless expected.is_a?(Float)
    assert_in_delta expected, Float(value), 1e-9, path if expected.is_a?(Float)
    Coppice::ShownNumber.new(text, unit).assert_near(self, expected, path)
  end

  def tab_through(browser, times)
    Array.new(times) do
      browser.keyboard.type(:tab)
      browser.evaluate(FOCUSED)
    end
  end
end
