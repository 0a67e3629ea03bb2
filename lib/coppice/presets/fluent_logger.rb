# frozen_string_literal: true

# Seen with 0.11.0 (2026-11-28).
Coppice::Presets.define(:fluent_logger, gem: "fluent-logger", constant: "Fluent::Logger::FluentLogger",
  verdict: :advice, used: -> { ObjectSpace.each_object(Fluent::Logger::FluentLogger).any? },
  advice: "`before_fork`: `logger.close`, which sends what waits and connects again at the next record. Records are " \
          "lost there while no server answers",
  why: "Each copy would send the records that wait once more, and write to the connection of its parent.",
  source: "lib/fluent/logger/fluent_logger.rb")
