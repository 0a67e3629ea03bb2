# frozen_string_literal: true

require "socket"
require "test_helper"
require "coppice/fork_safety/connection_copies"

module Coppice
  module ForkSafety
    class ConnectionCopiesTest < TestCase
      # What a library without an eye for forks has.
      class Connection
        attr_reader :socket
        attr_accessor :renewed

        def initialize(socket) = @socket = socket

        def reset
          @renewed = true
          raise "no such host" if @fails
        end

        def fail_later = @fails = true
      end

      def setup
        @ours, @peer = UNIXSocket.pair
        @connection = Connection.new(@ours)
        @copies = ConnectionCopies.new("Coppice::ForkSafety::ConnectionCopiesTest::Connection",
          open: ->(connection) { !connection.socket.closed? && connection.socket.stat.socket? },
          detach: ->(connection) { ConnectionCopies.detach_socket(connection.socket) },
          reconnect: ->(connection) { connection.reset },
          closed: ->(connection) { connection.socket.closed? })
      end

      def teardown = [@ours, @peer].each(&:close)

      def call(moment) = @copies.calls.fetch(moment).call

      test "the copy in a mold is detached, and a worker connects again" do
        call(:after_in_mold)

        refute_predicate @ours.stat, :socket?
        assert_equal "", @peer.read, "this was the only copy"
        refute @connection.renewed
        call(:after_in_worker)

        assert @connection.renewed
      end

      test "a descriptor that belongs to somebody else is not closed with the object that detached it" do
        borrowed = IO.for_fd(@ours.fileno, "r+", autoclose: false)
        ConnectionCopies.detach_socket(borrowed)

        refute_predicate borrowed, :autoclose?
        assert_predicate @ours.stat, :chardev?
      end

      test "a connection of a cold mold stays, and a worker's copy is detached" do
        call(:loaded)

        assert_predicate @ours.stat, :socket?
        call(:after_in_worker)

        refute_predicate @ours.stat, :socket?
        assert @connection.renewed
      end

      test "a connection that another library has taken care of is left alone" do
        call(:loaded)
        ConnectionCopies.detach_socket(@ours)
        call(:after_in_mold)
        call(:after_in_worker)

        refute @connection.renewed
      end

      test "a connection that the application has closed since the last refork is not opened again" do
        call(:after_in_mold)
        @ours.close
        call(:after_in_mold)
        call(:after_in_worker)

        refute @connection.renewed
      end

      test "a connection that could not be opened is tried again after the next refork" do
        @connection.fail_later
        call(:after_in_mold)
        assert_raises(RuntimeError) { call(:after_in_worker) }
        @connection.renewed = false
        call(:after_in_mold)
        assert_raises(RuntimeError) { call(:after_in_worker) }

        assert @connection.renewed
      end

      test "an error with one connection keeps no other from being detached" do
        ours, peer = UNIXSocket.pair
        other = Connection.new(ours)
        lost = Connection.new(nil)
        [@connection, other].each(&:fail_later)
        call(:after_in_mold)
        error = assert_raises(RuntimeError) { call(:after_in_worker) }

        assert_equal "no such host", error.message
        assert_equal [true, true, nil], [@connection, other, lost].map(&:renewed)
        refute_predicate ours.stat, :socket?
      ensure
        [ours, peer].each(&:close)
      end
    end
  end
end
