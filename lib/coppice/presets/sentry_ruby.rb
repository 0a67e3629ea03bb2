# frozen_string_literal: true

Coppice::Presets.define(:sentry_ruby, gem: "sentry-ruby", constant: "Sentry", versions: "7.2"..., tested: true,
  verdict: :handled,
  restarts: %w[sentry-ruby],
  does: "nothing: at the next event the library drops copied data and restarts its threads",
  advice: "nothing",
  older: "`before_fork`: `Sentry.session_flusher&.flush; Sentry.get_current_client&.flush`, or copies resend " \
         "buffered sessions and logs",
  why: "Its threads do not survive a fork, and its buffers are copied.",
  source: "lib/sentry/threaded_periodic_worker.rb, telemetry_event_buffer.rb, session_flusher.rb")
