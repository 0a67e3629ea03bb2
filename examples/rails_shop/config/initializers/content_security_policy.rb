# frozen_string_literal: true

# The shop has no script at all, and its pictures are drawn in the page.
Rails.application.config.content_security_policy do |policy|
  policy.default_src :none
  policy.style_src :self
  policy.img_src :self, :data
  policy.form_action :self
  policy.base_uri :none
  policy.frame_ancestors :none
end
