# frozen_string_literal: true

module Coppice
  module TestReforks
    # Stands for an exception that another process cannot load: its class exists in one generation only, or it refers
    # to something that cannot be copied.
    class RemoteError < StandardError; end
  end
end
