# frozen_string_literal: true

module Coppice
  # One difference between the readings of one request by Coppice and by a peer. `kind` is :only_they_accept,
  # :only_we_accept, or the key of the reading that differs. For :fields, `field` is the name of the variable. `ours`
  # and `theirs` are the complete readings.
  Finding = Struct.new(:peer, :request, :ours, :theirs, :kind, :field, keyword_init: true) do
    # All differences. An incomplete request counts as refused, whether or not the server has refused it already.
    #: (peer: String, request: String, ours: Hash[Symbol, untyped], theirs: Hash[Symbol, untyped]) -> Array[Finding]
    def self.all(**readings)
      ours, theirs = readings.values_at(:ours, :theirs)
      case [ours[:accepted], theirs[:accepted]]
      when [false, false] then []
      when [false, true] then [new(kind: :only_they_accept, **readings)]
      when [true, false] then [new(kind: :only_we_accept, **readings)]
      else
        different_keys(ours.slice(*theirs.keys), theirs).map { |kind| new(kind: kind, **readings) } +
          different_keys(ours[:fields], theirs[:fields]).map { |name| new(kind: :fields, field: name, **readings) }
      end
    end

    def self.different_keys(ours, theirs)
      (ours.keys | theirs.keys).reject { |key| key == :fields || plain(ours[key]) == plain(theirs[key]) }
    end
    private_class_method :different_keys

    # Removes differences that an RFC allows: blanks around a value, and how lines of one name are joined.
    def self.plain(value)
      value.to_s.b.strip.gsub(/[ \t]*[,;][ \t]*/, ",")
    end
    private_class_method :plain

    def target #: () -> String
      ours[:target] || request.split(" ", 3)[1].to_s
    end

    # Header names of the request that may have become the variable: in its head, and after it.
    def names_in_head = names(request.partition("\r\n\r\n").first) #: () -> Array[String]
    def names_in_body = names(request.partition("\r\n\r\n").last) #: () -> Array[String]

    def to_s #: () -> String
      title = [kind, field].compact.join(" ")
      "#{peer}, #{title}:\n  request #{request.inspect}\n  ours    #{summary(ours)}\n  theirs  #{summary(theirs)}"
    end

    private

    def names(lines)
      lines.scan(/^([^:\r\n]+):/n).flatten.select { |name| name.upcase.tr("-,", "__") == field.tr(",", "_") }
    end

    def summary(reading)
      return reading[:why] unless reading[:accepted]

      (field ? reading[:fields][field] : reading.slice(*(reading.key?(kind) ? [kind] : %i[verb target body]))).inspect
    end
  end
end
