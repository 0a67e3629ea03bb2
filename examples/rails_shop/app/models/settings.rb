# frozen_string_literal: true

# LAZY LOADING: a settings object that answers any name through method_missing and defines the method on first use. Many
# applications have one. The first call of each name takes the slow path and changes a singleton class, which
# invalidates method caches. A worker that has served for a while has all methods.
#
#   Settings.catalogue.per_page  # => 24
class Settings
  class << self
    def root
      @root ||= new(YAML.load_file(Rails.root.join("config/settings.yml")))
    end

    private

    def method_missing(name, ...)
      return super unless root.key?(name)

      define_singleton_method(name) { root.public_send(name) }
      public_send(name)
    end

    def respond_to_missing?(name, include_private = false) = root.key?(name) || super
  end

  def initialize(values)
    @values = values
  end

  def key?(name) = @values.key?(name.to_s)

  private

  def method_missing(name, ...)
    return super unless key?(name)

    value = @values.fetch(name.to_s)
    value = self.class.new(value) if value.is_a?(Hash)
    define_singleton_method(name) { value }
    value
  end

  def respond_to_missing?(name, include_private = false) = key?(name) || super
end
