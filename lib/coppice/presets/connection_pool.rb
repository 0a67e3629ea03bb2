# frozen_string_literal: true

# Each copy closes what it has of its parent's pools. Where `close` tells the server, as with pg, or Net::HTTP with TLS,
# that ends the parent's connection (seen with 3.0.2, 2026-11-29).
close_idle = lambda do
  ObjectSpace.each_object(ConnectionPool) do |pool|
    pool.reload do |connection|
      connection.close if connection.respond_to?(:close)
    rescue StandardError # closed already: the pool must not stay shut down, nor its own hook raise in each copy
      nil
    end
  end
end

Coppice::Presets.define(:connection_pool, gem: "connection_pool", constant: "ConnectionPool", versions: "2.4"...,
  tested: true, verdict: :acts, calls: { before: close_idle },
  does: "closes idle connections before a fork: `pool.reload`. Without `close` they are only dropped",
  advice: "nothing. A connection that another thread holds at the fork leaves its place in the copy's pool taken",
  older: "`before_fork`: `pool.reload { |connection| connection.close }`",
  why: "Each copy closes the parent's connections. With pg or TLS that ends them for the parent too.",
  source: "lib/connection_pool/fork.rb, Changes.md (2.4.0)")
