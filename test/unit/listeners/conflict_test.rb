# frozen_string_literal: true

require "test_helper"
require "coppice/listeners/set"
require_relative "../../support/loopback_ports"

module Coppice
  module Listeners
    # A second server on the same address fails at its start, whatever the first one is doing.
    class ConflictTest < TestCase
      # What two servers may have said about the address: with one queue, and with several.
      KINDS = [{}, { queues: 2 }].freeze

      test "with a server that is still booting" do
        KINDS.product(KINDS).each do |first, second|
          with_set("127.0.0.1:0", **first) { |set| assert_in_use(set.names.first, **second) }
        end
      end

      test "with a server that listens" do
        KINDS.product(KINDS).each do |first, second|
          with_set("127.0.0.1:0", **first) do |set|
            set.listen!
            assert_in_use(set.names.first, **second)
          end
        end
      end

      test "with one that is booting after another has left connections" do
        KINDS.product(KINDS).each do |first, second|
          name = name_with_leftovers
          with_set(name, **first) { assert_in_use(name, **second) }
        end
      end

      test "on all addresses at once" do
        with_set("127.0.0.1:0") { |set| assert_in_use("0.0.0.0:#{set.first.address.port}") }
      end

      test "a server can be started again at once, in spite of connections that the last one left" do
        KINDS.each do |options|
          name = name_with_leftovers(**options)
          KINDS.each { |again| with_set(name, **again) { |set| assert_equal [name], set.names } }
        end
      end

      test "servers that all ask for it share an address" do
        with_set("127.0.0.1:0", reuseport: true) do |set|
          with_set(set.names.first, reuseport: true, queues: 2) do |other|
            [set, other].each(&:listen!)
            assert_equal set.names, other.names
          end
          assert_in_use(set.names.first)
        end
      end

      test "addresses of one server that overlap are named at once" do
        with_set("127.0.0.1:0") do |set|
          port = set.first.address.port
          text = overlap("0.0.0.0:#{port}", beside: set, setting: "admin_listen")

          assert_equal "cannot listen on 0.0.0.0:#{port}: it overlaps with 127.0.0.1:#{port}, on which this server " \
                       "listens as well. Choose another address with admin_listen", text
        end
      end

      test "so are those of which one is for IPv6 as well, with the option that separates them" do
        skip "no IPv6 here" unless Socket.ip_address_list.any?(&:ipv6_loopback?)
        port = LoopbackPorts.free(1).first
        names = ["0.0.0.0:#{port}", "[::]:#{port}"]
        names.permutation do |one, other|
          assert_match(/\Acannot listen on #{Regexp.escape(other)}: it overlaps with #{Regexp.escape(one)}, .* Add /,
            overlap(one, other))
        end
        assert_match(/Add ipv6only: true to #{Regexp.escape(names.last)}, or remove/, overlap(*names))
      end

      test "an address that another process has is not blamed on one that does not overlap with it" do
        with_set("127.0.0.1:0") do |set|
          with_set("127.0.0.2:#{set.first.address.port}") do |other|
            error = assert_raises(AddressInUse) { Set.bind([address(set.names.first)], beside: other, environment: {}) }

            assert_match(/it is in use by/, error.message)
          end
        end
      end

      test "the message names the process that listens" do
        with_set("127.0.0.1:0") do |set|
          set.listen!
          message = assert_in_use(set.names.first)
          command = File.read("/proc/self/comm").chomp
          assert_includes message,
            "cannot listen on #{set.names.first}: it is in use by pid #{Process.pid} (#{command})"
        end
      end

      test "a Unix socket of a server, booting or not, is left to it" do
        with_tmpdir do |folder|
          with_set("#{folder}/x.sock") do |set|
            assert_includes assert_in_use("#{folder}/x.sock"), "pid #{Process.pid}"
            set.listen!
            assert_in_use("#{folder}/x.sock")
            assert_path_exists "#{folder}/x.sock"
          end
        end
      end

      test "a Unix socket with a full queue is not stale" do
        with_tmpdir do |folder|
          with_set("#{folder}/x.sock", backlog: 0) do |set|
            set.listen!
            waiting = fill("#{folder}/x.sock")
            assert_in_use("#{folder}/x.sock")
          ensure
            waiting&.each(&:close)
          end
        end
      end

      test "a Unix socket that no process holds is replaced" do
        with_tmpdir do |folder|
          left = Socket.new(:UNIX, :STREAM)
          left.bind(Addrinfo.unix("#{folder}/x.sock"))
          left.close
          with_set("#{folder}/x.sock") { |set| assert_equal ["#{folder}/x.sock"], set.names }
        end
      end

      test "a file that is no socket is left alone" do
        with_tmpdir do |folder|
          File.write("#{folder}/x.sock", "precious")
          error = assert_raises(BindError) { bind("#{folder}/x.sock") }
          refute_kind_of AddressInUse, error
          assert_match(/there is a file of another kind/, error.message)
          assert_equal "precious", File.read("#{folder}/x.sock")
        end
      end

      test "other errors are reported with a remedy" do
        assert_match(/\Acannot listen on 192.0.2.1:80: .*This machine has no such address\z/, refused("192.0.2.1:80"))
        assert_match(/\Acannot listen on no.such.host.invalid:80: /, refused("no.such.host.invalid:80"))
        with_tmpdir { |folder| assert_match(/Create the folder first\z/, refused("#{folder}/no/x.sock")) }
      end

      test "tries again as often as it is told, with a warning each time" do
        log = Struct.new(:warnings) { def warn(text) = warnings << text }.new([])
        with_set("127.0.0.1:0") do |set|
          name = set.names.first
          assert_raises(AddressInUse) do
            Set.bind([Address.parse(name, tries: 3, delay: 0)], environment: {}, logger: log)
          end
          assert_equal ["#{name} is in use, trying again in 0 s"] * 2, log.warnings
        end
      end

      test "no tries are one try" do
        with_set("127.0.0.1:0") { |set| assert_in_use(set.names.first, tries: 0, delay: 0) }
      end

      test "succeeds when the address becomes free between two tries" do
        set = bind(free_name)
        name = set.names.first
        log = Struct.new(:other) { def warn(_text) = other.close }.new(set)
        again = Set.bind([Address.parse(name, tries: -1, delay: 0)], environment: {}, logger: log)
        assert_equal [name], again.names
      ensure
        [set, again].compact.each(&:close)
      end

      private

      def bind(text, **options)
        Set.bind([address(text, **options)], environment: {})
      end

      def address(text, **options) = Address.parse(text, { tries: 1, tcp_defer_accept: 0 }.merge(options))

      # The message for addresses of one server. No time is lost with further tries, however many there may be.
      def overlap(*texts, **binding)
        addresses = texts.map { |text| address(text, tries: 2, delay: 3600) }
        assert_raises(AddressInUse) { Set.bind(addresses, environment: {}, **binding) }.message
      end

      def with_set(text, **options)
        set = bind(text, **options)
        yield set
      ensure
        set&.close
      end

      def assert_in_use(text, **options)
        assert_raises(AddressInUse, options.inspect) { bind(text, **options).close }.message
      end

      def refused(text)
        assert_raises(BindError) { bind(text) }.message
      end

      # Of an address that others leave alone while nobody has it.
      def free_name = "127.0.0.1:#{LoopbackPorts.free(1).first}"

      # The name of an address at which a server has served, closed a connection first, and ended.
      def name_with_leftovers(**options)
        with_set(free_name, **options) do |set|
          set.listen!
          client = Socket.tcp("127.0.0.1", set.first.address.port)
          BoundedWait.wait(BoundedWait::SECONDS, "no client came") { IO.select(set.first.sockets, nil, nil, 0) }
                     .first.first.accept.first.close
          BoundedWait.read(client)
          client.close
          set.names.first
        end
      end

      # Clients until the kernel takes no more.
      def fill(path)
        clients = []
        loop do
          clients << Socket.new(:UNIX, :STREAM)
          clients.last.connect_nonblock(Addrinfo.unix(path))
        end
      rescue Errno::EAGAIN
        clients
      end
    end
  end
end
