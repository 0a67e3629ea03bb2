# frozen_string_literal: true

require_relative "servers"

module Bench
  # The variants of each server whose memory is compared. LIST stands for the application's own list of request counts,
  # which is the same for all servers. Puma uses only its first number.
  module MemoryVariants
    LIST = :list

    # Server => name of the variant => [label in the report, arguments of its Plan].
    TABLE = {
      "coppice" => {
        "off" => ["coppice", {}],
        "list" => ["coppice, list", { refork: LIST }],
        "auto" => ["coppice, auto", { refork: :auto }]
      },
      "pitchfork" => {
        "off" => ["pitchfork", {}],
        "list" => ["pitchfork, list", { refork: LIST }],
        "warmup" => ["pitchfork, list, warmup", { refork: LIST, warmup: true }]
      },
      "puma" => {
        "off" => ["puma", {}],
        "threads2" => ["puma, 2 threads", { threads: 2 }],
        "fork_worker" => ["puma, fork_worker", { refork: LIST }]
      }
    }.freeze

    NAMES = TABLE.values.flat_map(&:keys).uniq.freeze

    # The plans of one server for an application.
    #: (String, LazyApp, ?only: Array[String]?, **untyped) -> Array[Plan]
    def self.plans(server, app, only: nil, **others)
      variants = TABLE.fetch(server) { { "off" => [server, {}] } }
      variants.select { |name, _| only.nil? || only.include?(name) }.values.filter_map do |label, facts|
        next if facts[:warmup] && !Process.respond_to?(:warmup) # new in Ruby 3.3

        facts = facts.merge(refork: app.refork_after) if facts[:refork] == LIST
        Servers.plan(server, label: label, **app.plan, **others, **facts)
      end
    end
  end
end
