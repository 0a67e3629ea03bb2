# frozen_string_literal: true

require "test_helper"
require_relative "../support/server"

# What a user sees who got something wrong. These errors are made for people, so here,
# and only here, the text is what is tested.
class StartupErrorsTest < Coppice::TestCase
  HELLO = 'run ->(_env) { [200, { "content-type" => "text/plain" }, ["hello"]] }'

  # Answers what was printed by a server that could not start.
  def failing(app: HELLO, config: "worker_processes 1", **options)
    Server.open(app: app, config: config, ready: false, **options) do |server|
      family = server.family
      status = server.wait_for_end

      refute_predicate status, :success?
      assert_empty(family.select { |pid| File.exist?("/proc/#{pid}") }, "somebody was left behind")
      refute_path_exists server.socket_path
      return server.log
    end
  end

  test "an unknown directive names its line and the near name" do
    text = failing(config: "worker_process 4")

    assert_match(/coppice\.conf\.rb:2: unknown option or hook worker_process/, text)
    assert_match(/Did you mean worker_processes\?/, text)
  end

  test "a wrong value names its line and what is wanted" do
    text = failing(config: "timeout :soon")

    assert_match(/coppice\.conf\.rb:2: timeout/, text)
    assert_match(/:soon/, text)
  end

  test "a limit of file sizes below what the processes share names the call and the limit" do
    text = failing(config: "Process.setrlimit(:FSIZE, 1_000_000)\nworker_processes 1")

    assert_match(/^coppice: memory of \d+ bytes .*ftruncate.*ulimit -f/, text)
  end

  test "an application that raises at boot is shown with its own backtrace" do
    text = failing(app: "def broken = raise(ArgumentError, 'no database')\nbroken\nrun nil")

    assert_match(/no database/, text)
    assert_match(/config\.ru:1:in/, text)
  end

  soak_test "an application that closes descriptors which are not its own is told so" do
    closing_numbers = "begin IO.for_fd(number).close; rescue SystemCallError, ArgumentError; end"
    { "objects" => "ObjectSpace.each_object(IO) { |io| io.close unless io.closed? || io.fileno < 3 }",
      "numbers" => "3.upto(200) { |number| #{closing_numbers} }" }.each do |name, code|
      assert_match(/must not close descriptors/, failing(app: "#{code}\n#{HELLO}"), name)
    end
  end

  test "a syntax error in the application names its line" do
    text = failing(app: "run ->(env) {\n  oops(\n}")

    assert_match(/config\.ru:\d/, text)
    assert_match(/syntax error|SyntaxError/i, text)
  end

  test "a rackup file that is not there is named" do
    text = failing(app: nil, arguments: ["nowhere.ru"])

    assert_match(/nowhere\.ru/, text)
  end

  test "a port in use is named" do
    taken = TCPServer.new("127.0.0.1", 0)
    port = taken.addr[1]
    text = failing(config: "listen '127.0.0.1:#{port}'\nlisten '127.0.0.1:#{port}', tries: 1")

    assert_match(/127\.0\.0\.1:#{port}/, text)
  ensure
    taken&.close
  end

  test "a port of admin_listen in use is named with the option" do
    taken = TCPServer.new("127.0.0.1", 0)
    port = taken.addr[1]
    text = failing(config: "admin_listen #{port}")

    assert_match(/127\.0\.0\.1:#{port}: it is in use .* with admin_listen/, text)
  ensure
    taken&.close
  end

  test "an access log that cannot be opened is named" do
    text = failing(config: "access_log :json, '/nonexistent/access.log'")

    assert_match(%r{access_log cannot be opened \(No such file or directory .* /nonexistent/access.log\)}, text)
  end

  test "admin_listen for other machines needs a token" do
    text = failing(config: "admin_listen '0.0.0.0:0'")

    assert_match(/admin_listen 0\.0\.0\.0:0, so it needs admin_token/, text)
  end

  test "a mold that ends while it boots ends the server" do
    text = failing(app: "exit 7")

    assert_match(/status=7/, text)
  end
end
