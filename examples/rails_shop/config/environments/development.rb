# frozen_string_literal: true

Rails.application.configure do
  config.enable_reloading = true
  config.eager_load = false
  config.consider_all_requests_local = true
  config.action_controller.perform_caching = Rails.root.join("tmp/caching-dev.txt").exist?
  config.active_record.verbose_query_logs = true
  config.action_view.annotate_rendered_view_with_filenames = false
end
