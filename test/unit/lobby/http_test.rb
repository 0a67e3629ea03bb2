# frozen_string_literal: true

require_relative "../../test_helper"
require_relative "../../support/through_lobby"
require_relative "../http/cut_answers_test"
require_relative "../http/env_test"
require_relative "../http/exchange_test"
require_relative "../http/full_hijack_test"
require_relative "../http/input_file_test"
require_relative "../http/input_test"
require_relative "../http/lint_answers_test"
require_relative "../http/lint_test"
require_relative "../http/middleware_test"
require_relative "../http/response_splitting_test"
require_relative "../http/response_test"
require_relative "../http/takeover_test"
require_relative "../http/traffic_test"

module Coppice
  # To an application and to its client it makes no difference whether a lobby is between them.
  module ThroughLobby
    # What the lobby refuses, and what only a descriptor can show.
    LEFT_OUT = {
      HttpInputTest => ["a body that is too large", "a malformed chunk", "that stalls", "whose request is refused"],
      HttpExchangeTest => ["limits of the head", "a head that trickles", "an early answer", "a refused request",
                           "a process forked meanwhile", "with check_client_connection"],
      HttpResponseTest => ["the connection of a client that does not read"],
      TrafficTest => ["a refused request", "of several proxies", "a start that cannot be", "only a trusted proxy"]
    }.freeze

    [CutAnswersTest, HttpEnvTest, HttpExchangeTest, HttpFullHijackTest, InputFileTest, HttpInputTest,
     HttpLintAnswersTest, HttpLintTest, HttpMiddlewareTest, HttpResponseSplittingTest, HttpResponseTest,
     HttpTakeoverTest, TrafficTest].each do |test_class|
      name = test_class.name.split("::").last
      const_set("#{name}ThroughLobby", of(test_class, without: LEFT_OUT.fetch(test_class, [])))
    end
  end
end
