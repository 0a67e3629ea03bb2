# frozen_string_literal: true

module Coppice
  module Import
    # What becomes of one directive of another server, under each of its names.
    #
    #   outcome  :taken (same meaning), :changed (something is different), or :dropped
    #   target   what Coppice has for it, as the documentation shows it; nil without anything
    #   note     what is different, or why it is dropped
    #   rewrite  returns the text for a Call, or nil to drop it; nil for the same text under the target's name
    #   hook     whether it takes a block that is called later
    #   origins  how to make each argument of that block; nil where the target's block has the same ones
    Directive = Struct.new(:names, :outcome, :target, :note, :rewrite, :hook, :origins, keyword_init: true)
  end
end
