# frozen_string_literal: true

# lane: soak -- opens a browser

require "test_helper"
require "digest"
require "tempfile"
require_relative "../support/example_shop"
require_relative "../support/dashboard_browser"
require_relative "../support/server_over_tcp"

# The example shop in a browser, which keeps its connections to the lobby open: pages with their files, a form with an
# upload that is too large for memory, and a page that is streamed.
class ShopBrowserTest < Coppice::TestCase
  UPLOAD_BYTES = 1_500_000

  def setup
    reason = Coppice::DashboardBrowser.missing
    skip reason if reason
  end

  # The database is a copy, so that nothing of an order or an upload stays.
  def serve(&block)
    with_tmpdir do |folder|
      Dir.glob("#{ExampleShop::FOLDER}/storage/production.sqlite3{,-wal}") do |file|
        FileUtils.cp(file, "#{folder}/#{File.basename(file)}")
      end
      env = ExampleShop::ENVIRONMENT.merge("SHOP_DATABASE" => "#{folder}/production.sqlite3")
      ServerOverTcp.open(app: nil, folder: ExampleShop::FOLDER, env: env, listen: { lobby: true },
                         config: "worker_processes 2\ntimeout 60", &block)
    end
  end

  # Fails when the console has had an error.
  def browse(server)
    address = "http://127.0.0.1:#{server.port}"
    Coppice::DashboardBrowser.open(address, drawn: "document.readyState == 'complete'") do |browser|
      yield browser, address
      assert_empty browser.complaints
    end
  end

  def reached(browser, expression) = Coppice::DashboardBrowser.wait_for(browser, expression)

  def follow(browser, path)
    reached(browser, "document.querySelector('a[href^=\"#{path}\"]')")
    browser.evaluate("document.querySelector('a[href^=\"#{path}\"]').click()")
    reached(browser, "location.pathname.startsWith('#{path}') && document.readyState == 'complete'")
  end

  test "pages and their files come over connections that stay open, through a refork" do
    serve do |server|
      browse(server) do |browser, address|
        5.times do
          browser.go_to("#{address}/products")
          follow(browser, "/products/")
        end
        server.signal(:USR2)
        server.wait(60) { server.settled?(1) }
        browser.go_to("#{address}/products?page=2")
        follow(browser, "/products/")

        assert_operator server.board.lobby.accepted, :<, server.board.lobby.answered / 2
      end
    end
  end

  test "an upload from a form arrives whole, and a streamed page comes piece by piece" do
    serve do |server|
      browse(server) do |browser, address|
        upload(server, browser, address)
        stream(browser, address)
      end
    end
  end

  private

  def upload(server, browser, address)
    with_upload do |path, digest|
      browser.go_to("#{address}/uploads/new")
      browser.at_css("#file").select_file(path)
      browser.at_css(".button").click
      reached(browser, "location.pathname == '/uploads/#{digest}' && document.readyState == 'complete'")

      assert_equal digest, browser.evaluate("document.querySelector('.facts code').textContent")
      server.wait { server.board.lobby.file_bytes.zero? }
    end
  end

  # Its server pauses between two lines of news; what came as a whole would come without a pause.
  DURATION = "performance.getEntriesByType('navigation').map((one) => one.responseEnd - one.responseStart)[0]"
  private_constant :DURATION

  def stream(browser, address)
    browser.go_to("#{address}/live")
    reached(browser, "document.readyState == 'complete' && document.querySelector('.result')")

    assert_equal 12, browser.evaluate("document.querySelectorAll('.news li').length")
    assert_operator browser.evaluate(DURATION), :>, 250 # milliseconds, of 2,750
  end

  # Of a type that the shop takes.
  def with_upload
    Tempfile.create(["plan", ".txt"]) do |file|
      file.write(Array.new(UPLOAD_BYTES / 20) { |number| format("row %015d\n", number) }.join)
      file.flush
      digest = Digest::SHA256.file(file.path).hexdigest
      yield file.path, digest
    ensure
      FileUtils.rm_f("#{ExampleShop::FOLDER}/storage/uploads/#{digest}")
    end
  end
end
