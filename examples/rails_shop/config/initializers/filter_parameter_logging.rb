# frozen_string_literal: true

Rails.application.config.filter_parameters += %i[email address postcode secret token _key]
