# frozen_string_literal: true

# Seen with 0.11.0 (2026-11-28).
Coppice::Presets.define(:fluent_logger, gem: "fluent-logger", constant: "Fluent::Logger::FluentLogger",
  verdict: :advice, used: -> { ObjectSpace.each_object(Fluent::Logger::FluentLogger).any? },
  advice: "`before_fork`: `logger.close`, which sends waiting records (lost while no server answers). It reconnects " \
          "at the next one",
  why: "A copy would resend waiting records, on its parent's connection.",
  source: "lib/fluent/logger/fluent_logger.rb")
