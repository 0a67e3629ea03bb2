# frozen_string_literal: true

# lane: soak -- opens a browser

require "test_helper"
require_relative "../../support/dashboard_page"

# The releases of a server on the dashboard, in a browser.
class DashboardReleasesTest < Coppice::TestCase
  include DashboardPage

  ROWS = "[...document.querySelectorAll('#releases tbody tr')].map((row) => " \
         "[...row.cells].map((cell) => cell.textContent.replaceAll('\\u00A0', ' ')))"
  ROLL = { kind: "roll", phase: "booting", age: 12.0, number: 3, revision: "4f2a77e", directory: "/srv/shop/releases/3",
           asked_by: "USR1", canary: { wanted: 200, requests: 34, failed: 1 }, workers_left: 5 }.freeze

  test "what was asked for, by whom, with the canary's numbers, and how it ended" do
    @fixture.commit_release
    @fixture.advance(51)
    open_page do |browser|
      rows = browser.evaluate(ROWS)

      assert_equal [["3", "roll", "4f2a77e"], ["2", "roll", "d0a7731"], ["1", "start", "9c41be0"]],
        rows.map { |row| row.first(3) }
      assert_equal ["uid 1000 (pid 2210)", "200 requests, 1 failed", "33.4 s", "committed"], rows[0].last(4)
      assert_equal ["87 requests, 9 failed", "41.2 s", "given up 9 of 87 requests failed, 1 of 2410 before"],
        rows[1].last(3)
      assert_equal ["–", "–", "–", "committed"], rows[2].last(4)
      assert_match(/\AThe server runs release 3 \(4f2a77e\) since .*\. A rollback to release 1 needs no boot for /,
        says(browser, "releases"))
      assert_equal "release 3 (4f2a77e)", browser.evaluate("document.querySelector('.identity .release').textContent")
    end
  end

  test "where a roll is, in the head and in the view" do
    phases = { "checking" => "its directory is checked", "booting" => "its application boots",
               "canary" => "its first worker has served 34 of 200 requests of the canary, 1 of them failed",
               "rollout" => "it is committed, and 5 workers are left to replace" }
    open_page do |browser|
      assert browser.evaluate("document.getElementById('roll').hidden")
      phases.each do |phase, words|
        @fixture.roll = ROLL.merge(phase: phase)
        expected = "A roll to release 3 (4f2a77e) is under way for 12 s: #{words}."
        reached_by_asking(browser,
          "document.getElementById('roll').textContent.replaceAll('\\u00A0', ' ') === #{expected.dump}")
      end
      @fixture.roll = ROLL.merge(phase: "checking", number: nil, revision: nil)
      reached_by_asking(browser,
        "document.getElementById('releases-says').textContent.startsWith('A roll to /srv/shop/rel')")
      assert_match(/\. The server runs release 1 \(9c41be0\) since/, says(browser, "releases"))
    end
  end

  test "each generation says which release it runs, and another one than the committed one stands out" do
    @fixture.commit_release
    @fixture.advance(4)
    open_page do |browser|
      assert_equal ["release 3"], texts(browser, ".gen.current .who .release")
      assert_equal ["release 1"], texts(browser, ".gen:not(.current) .who .release.other")
      assert_match(/\AA rollout is under way: \d of 8 to replace/, says(browser, "family").gsub(/ workers?/, ""))
      @fixture.advance(60)
      reached_by_asking(browser, "document.querySelectorAll('.gen[data-generation]').length === 1")
      assert_empty texts(browser, ".release.other")
      chips = texts(browser, ".ancestors .chip")
      assert_equal(["gen 0 release 1"], chips.filter_map { |text| text[/gen \d release \d/] })
    end
  end

  test "as long as there was one release only, generations do not name it" do
    @fixture = Coppice::DashboardFixture.new(steps: 20)
    open_page { |browser| assert_empty texts(browser, ".who .release") }
  end

  test "a mark where a release began has its number, also after a rollback to an earlier generation" do
    open_page do |browser|
      assert_equal [[1, 0], [2, 2], [1, 3]], marks(browser)
    end
  end

  test "the first worker of a release on trial is not to be replaced, and the workers of a release that is left are" do
    open_page do |browser|
      assert_equal 0, to_replace(browser, [[3, 1], [4, 2]], generation: 3, running: 1, roll: 2)
      assert_equal 1, to_replace(browser, [[3, 1], [4, 2]], generation: 4, running: 2, roll: 2)
      assert_equal 1, to_replace(browser, [[3, 1], [4, 2]], generation: 3, running: 1, roll: 1)
      assert_equal 0, to_replace(browser, [[3, nil], [3, nil]], generation: 3, running: nil, roll: nil)
    end
  end

  test "roll and rollback are asked for twice, and the server's first line is shown" do
    calls = []
    open_page(actions: ->(*words) { calls << words; ["#{words.first} begins"] }) do |browser|
      { "Roll" => "roll", "Roll back" => "rollback" }.each do |name, verb|
        press = "document.querySelector('.bar-top button[data-key=\"#{name}\"]').click()"
        browser.execute("#{press}; #{press}") # the second within the seconds for which the button asks
        reached(browser, "document.querySelector('output').textContent === '#{verb} begins'")
      end
    end

    assert_equal [["roll"], ["rollback"]], calls
  end

  test "a rollback is offered where there is something to go back to" do
    hidden = "document.querySelector('button[data-key=\"Roll back\"]').hidden"
    @stats = -> { @fixture.stats.tap { |stats| stats[:releases][:history].keep_if { |one| one[:number] == 3 } } }
    open_page(actions: ->(*) {}) { |browser| assert browser.evaluate(hidden) }
  end

  test "a server of which no release is known" do
    @stats = -> { @fixture.stats.merge(releases: { running: nil, roll: nil, rollback: nil, counts: [], history: [] }) }
    open_page { |browser| assert_equal "Which release runs is not known here.", says(browser, "releases") }
  end

  private

  def texts(browser, selector)
    browser.evaluate("[...document.querySelectorAll(#{selector.dump})].map((one) => one.textContent)")
  end

  # Pairs of a generation and a release, 0 for none.
  def marks(browser)
    records = [[0, 0], [60, 1], [120, 2], [180, 1]]
    history = [{ kind: "rollback", generation: 1, time: 170, seconds: 9, number: 3 },
               { kind: "roll", generation: 2, time: 90, seconds: 29, number: 2 },
               { kind: "roll", generation: nil, time: 55, seconds: 4, number: 9 }]
    browser.evaluate_async(<<~JAVASCRIPT, BoundedWait.seconds)
      import("./assets/past.js").then(({ Past }) => {
        const past = new Past();
        past.add({ seq: 4, interval: 2, names: ["time", "generation"], records: #{JSON.generate(records)} });
        arguments[0](past.marks(#{JSON.generate(history)}).map((one) => [one.generation, one.release ?? 0]));
      })
    JAVASCRIPT
  end

  # workers: pairs of a generation and a release. running and roll: numbers of releases.
  def to_replace(browser, workers, generation:, running:, roll:)
    processes = workers.map { |one, release| { role: "worker", generation: one, release: release } }
    stats = { server: { generation: generation }, processes: processes,
              releases: { running: running && { number: running }, roll: roll && { number: roll } } }
    browser.evaluate_async("import('./assets/numbers.js').then((numbers) => " \
                           "arguments[0](numbers.workersToReplace(#{JSON.generate(stats)}).length))",
      BoundedWait.seconds)
  end
end
