# frozen_string_literal: true

# config/coppice.rb for Kubernetes
listen 8080
timeout 20, cleanup: 2
shutdown_delay 10
admin_listen "0.0.0.0:9293"
admin_token ENV["ADMIN_TOKEN"]
