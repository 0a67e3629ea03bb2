# frozen_string_literal: true

require "coppice/control/messages"
require "coppice/learned_paths"

module Coppice
  class Worker
    # Stands before the application where `warm_up_requests :learned` asks for it, and counts the pages that clients
    # request: GET without a query, answered with 200 and without a cookie. A worker has a table of its own, which a
    # mold forked from it does not use. It sends the counts to the monitor from time to time, and when it exits. A
    # request costs less than a microsecond more.
    class PathCounter
      SIZE = 64 # paths
      REPORT_AFTER = 256 # counted requests

      # nil if nobody asks for it.
      #: (Child::Inheritance, Child::Membership) -> PathCounter?
      def self.of(inheritance, membership)
        new(inheritance.app, membership) if inheritance.settings.learns_paths?
      end

      #: (^(Hash[String, untyped]) -> untyped, Child::Membership) -> void
      def initialize(app, membership)
        @app = app
        @membership = membership
        @paths = LearnedPaths.new(size: SIZE)
        @unreported = 0
      end

      #: (Hash[String, untyped]) -> untyped
      def call(env)
        path = env["PATH_INFO"] if env["REQUEST_METHOD"] == "GET" && env["QUERY_STRING"].empty?
        path = nil unless path && (@paths.known?(path) || LearnedPaths.eligible?(path))
        response = @app.call(env)
        count(path) if path && page?(response)
        response
      end

      # Whether enough was counted to tell the monitor.
      #: () -> bool
      def due? = @unreported >= REPORT_AFTER

      # Tells the monitor what was counted since the last time.
      #: () -> void
      def report
        return if @unreported.zero?

        sent = @membership.tell(Control::Messages::PathsCounted.new(counts: @paths.counts))
        @unreported = 0 # if the channel is full, the next report has these counts as well
        @paths.clear unless sent == :full
      end

      private

      def page?(response)
        return false unless response.is_a?(Array) && response[0] == 200

        headers = response[1]
        headers.is_a?(Hash) && !headers.key?("set-cookie") && !headers.key?("Set-Cookie")
      end

      def count(path)
        @paths.add(path)
        @unreported += 1
      end
    end
  end
end
