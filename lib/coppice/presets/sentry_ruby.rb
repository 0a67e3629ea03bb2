# frozen_string_literal: true

Coppice::Presets.define(:sentry_ruby, gem: "sentry-ruby", constant: "Sentry", versions: "7.2"..., tested: true,
  verdict: :handled,
  restarts: %w[sentry-ruby],
  does: "nothing: the library starts its threads again at the next event, and drops what the parent had buffered",
  advice: "nothing",
  older: "`before_fork`: `Sentry.session_flusher&.flush; Sentry.get_current_client&.flush`, otherwise each copy " \
         "sends buffered sessions and logs once more",
  why: "Threads do not exist in a copy, and its buffers are copies.",
  source: "lib/sentry/threaded_periodic_worker.rb, telemetry_event_buffer.rb, session_flusher.rb")
