# frozen_string_literal: true

module Coppice
  module Http
    # The rack.input of a large body: an IO on a file without a name. It is no File, and has no `path` and `to_path`, as
    # a small body has none: libraries take a name from a path, or open what they believe to be there.
    class InputFile < IO
      undef_method(*(%i[path to_path] & instance_methods)) # every IO has them since Ruby 3.2

      #: () -> Integer
      def size = stat.size
    end
  end
end
