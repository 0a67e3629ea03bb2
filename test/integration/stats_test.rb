# frozen_string_literal: true

require "json"
require "test_helper"
require "coppice/stats"
require_relative "../support/raw_client"
require_relative "../support/server"

# What a real server counts, as its board tells another process.
class StatsTest < Coppice::TestCase
  APP = <<~'RUBY'
    run lambda { |env|
      case env["PATH_INFO"]
      when %r{\A/status/(\d+)} then [$1.to_i, {}, []]
      when "/stats" then [200, {}, [JSON.generate(Coppice.stats)]]
      when "/die" then Process.kill(:KILL, Process.pid)
      when "/stream" then [200, {}, ->(stream) { 3.times { stream.write("a" * 50_000) }; stream.close }]
      when "/hijack" then env["rack.hijack"].call.close
      when "/work" then (finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 0.2
                         nil while Process.clock_gettime(Process::CLOCK_MONOTONIC) < finish
                         [200, {}, []])
      else [200, {}, [env["rack.input"].read]]
      end
    }
  RUBY

  def stats(server) = Coppice::Stats.new(server.board).to_h

  def totals(server) = stats(server)[:totals]

  # Sends a request; answers the bytes of the answer.
  def ask(server, path, headers: "", body: nil, method: body ? "POST" : "GET")
    length = "Content-Length: #{body.bytesize}\r\n" if body
    request = "#{method} #{path} HTTP/1.1\r\nHost: a\r\n#{length}#{headers}\r\n#{body}"
    socket = server.connect
    socket.write(request)
    @sent += request.bytesize
    BoundedWait.read(socket).tap { |answer| @received += answer.bytesize }
  ensure
    socket&.close
  end

  def setup
    @sent = @received = @answered = 0
  end

  # The worker counts when the client has its answer already.
  def wait_for_requests(server, count)
    server.wait { totals(server)[:requests] == count }
  end

  test "requests, bytes, responses and durations are counted, and the monitor's figures are there" do
    Server.open(app: APP, config: "worker_processes 2\n") do |server|
      %w[200 404 301 500 503].each { |status| ask(server, "/status/#{status}") }
      ask(server, "/", body: "x" * 100_000)
      ask(server, "/stream")
      ask(server, "/hijack")
      ask(server, "/", headers: "X-Request-Start: t=#{Time.now.to_f - 40}\r\n")
      ask(server, "/work")
      wait_for_requests(server, 10)
      sum = totals(server)

      assert_equal({ "1xx" => 0, "2xx" => 5, "3xx" => 1, "4xx" => 1, "5xx" => 2 }, sum[:responses])
      assert_equal 1, stats(server)[:processes].sum { |process| process[:hijacked] }
      assert_equal [@sent, @received, 1], sum.values_at(:bytes_received, :bytes_sent, :hijacked)
      sum.values_at(:busy_seconds, :cpu_seconds).each { |seconds| assert_operator seconds, :>=, 0.199 } # cut to ms
      check_durations(stats(server)[:histograms])
      check_server(stats(server)[:server], server)
    end
  end

  def check_durations(histograms)
    assert_equal [10, 1], [:application_seconds, :queue_seconds].map { |name| histograms[name][:count] }
    assert_operator histograms[:application_seconds][:p999], :>=, 0.15
    assert_in_delta 40, histograms[:queue_seconds][:p50], 12 # the bounds of its bucket are far apart
    assert_includes 1..2, histograms[:first_request_seconds][:count]
  end

  def check_server(figures, server)
    assert_equal [server.pid, "serving", 2, 2, 0, RUBY_DESCRIPTION],
      figures.values_at(:pid, :state, :workers, :workers_ready, :workers_busy, :ruby)
    assert_equal [[server.socket_path, 0, 1024]], figures[:listeners].map(&:values)
    assert_equal File.realpath(server.folder), File.realpath(figures[:directory])
    assert_operator figures[:monitor_beat_age], :<, 20
  end

  test "totals equal what clients got while workers are killed and replaced by reforks, and never go back" do
    Server.open(app: APP, config: "worker_processes 3\n") do |server|
      watch = watch_totals(server)
      2.times do |generation|
        40.times { answered(server) }
        2.times { ask(server, "/die") }
        server.wait { exits_by_signal(server) == 2 * (generation + 1) && server.settled?(generation) }
        answered(server)
        server.signal(:USR2)
        server.wait { server.settled?(generation + 1) }
      end
      wait_for_requests(server, @answered + 4)
      watch[:stop] = true

      assert_empty BoundedWait.value_of(watch)
      assert_equal [@answered, 2, 4], [totals(server)[:responses]["2xx"], refork_count(server), killed(server)]
      check_promotions(stats(server)[:promotions])
      assert_equal totals(server)[:requests], stats(server)[:slots].sum { |slot| slot[:requests] }
    end
  end

  def answered(server)
    assert_match(/ 204 /, ask(server, "/status/204"))
    @answered += 1
  end

  # Answers the totals that went back.
  def watch_totals(server)
    Thread.new do
      before = plain(totals(server))
      back = []
      until Thread.current[:stop]
        after = plain(totals(server))
        back += before.select { |name, number| after[name] < number }.map { |name, number| [name, number, after[name]] }
        before = after
      end
      back
    end
  end

  def plain(totals) = totals.except(:responses).merge(totals[:responses])

  def exits_by_signal(server) = stats(server).dig(:exits, :worker, "signal")

  def refork_count(server)
    stats(server)[:reforks].find { |refork| refork[:reason] == "asked" && refork[:outcome] == "committed" }[:count]
  end

  def killed(server)
    recent = stats(server)[:recent_exits].count { |exit| exit[:signal] == "KILL" && exit[:request] == "GET /die" }

    assert_equal exits_by_signal(server), recent
    recent
  end

  def check_promotions(promotions)
    assert_equal [[2, "asked"], [1, "asked"], [0, "boot"]],
      promotions.map { |promotion| promotion.values_at(:generation, :reason) }
    promotions.each do |promotion|
      assert_equal ["committed", 3], promotion.values_at(:outcome, :workers)
      promotion[:phases].each_value { |seconds| assert_includes 0..60, seconds }
    end
  end

  test "the last hour grows, with sums and gauges" do
    Server.open(app: APP, config: "worker_processes 1\n") do |server|
      reader = Coppice::Stats.new(server.board)
      seen = reader.history[:seq]
      ask(server, "/status/404")
      records = server.wait do
        records_since(reader, seen).then { |found| found if sum(found, :application_seconds) == 1 }
      end

      assert_equal [1, 1, 0], %i[requests responses_4xx errors].map { |name| sum(records, name) }
      assert_equal [1, 0], records.last.values_at(:workers_ready, :requests_waiting)
      assert_operator records.last[:rss], :>, 0
    end
  end

  # A request that is counted while a record is written may be in two of them in part.
  def records_since(reader, seen)
    history = reader.history(since: seen)
    history[:records].map { |values| history[:names].zip(values).to_h }
  end

  def sum(records, name) = records.sum { |record| Array(record[name]).sum }

  test "what the lobby answers for a lost worker is no response of a worker, and an error of the last hour" do
    Server.open(app: APP, config: "worker_processes 1\nretry_lost_requests false\n", lobby: true) do |server|
      reader = Coppice::Stats.new(server.board)

      assert_match(%r{\AHTTP/1\.1 502 }, ask(server, "/die"))
      server.wait { reader.history[:records].any? && records_since(reader, 0).last[:errors] == 1 }
      assert_equal [1, 0], records_since(reader, 0).last.values_at(:lobby_refused, :responses_5xx)
      refused = stats(server)[:lobby][:refused].find { |one| one[:status] == "502" }
      assert_equal [1, 0], [refused[:count], totals(server)[:responses]["5xx"]]
    end
  end

  test "refused requests count as such, and as responses, and an application asks for the same as a Hash" do
    Server.open(app: "require 'json'\n#{APP}", config: "worker_processes 1\n") do |server|
      RawClient.on(server.connect) { |client| client.write("NONSENSE\r\n\r\n"); client.answer }
      server.wait { totals(server)[:refused] == 1 }

      assert_equal [0, 1], [totals(server)[:requests], totals(server)[:responses]["4xx"]]
      hash = JSON.parse(ask(server, "/stats").split("\r\n\r\n", 2).last)

      assert_equal [server.pid, 1, 1],
        [hash["server"]["pid"], hash["server"]["workers_busy"], hash["totals"]["refused"]]
      assert_equal "GET /stats", hash["processes"].find { |process| process["role"] == "worker" }["request"]
    end
  end

  test "a single process counts as well" do
    Server.open(app: APP, config: "worker_processes 0\n") do |server|
      2.times { ask(server, "/status/200") }
      server.wait { totals(server)[:requests] == 2 }
      hash = stats(server)

      assert_equal [2, "serving", 1], [hash[:totals][:responses]["2xx"], hash[:server][:state], hash[:processes].size]
      assert_equal [server.socket_path], (hash[:server][:listeners].map { |listener| listener[:name] })
    end
  end

  test "requests that a worker makes to itself count for nobody" do
    config = "worker_processes 2\nwarm_up_requests [\"/status/200\"]\n"
    Server.open(app: APP, config: config) do |server|
      assert_equal [0, 0, 0], totals(server).values_at(:requests, :bytes_sent, :bytes_received)
      ask(server, "/status/200")
      wait_for_requests(server, 1)

      assert_equal [1, @sent, @received], totals(server).values_at(:requests, :bytes_received, :bytes_sent)
    end
  end
end
