# frozen_string_literal: true

module Trees
  module Views
    module Home
      class Show < View
        expose(:framework) { "Hanami" }
      end
    end
  end
end
