# frozen_string_literal: true

require "digest"

# A planting plan that a customer sent. The file is stored under its checksum, never under a name from outside.
class Upload < ApplicationRecord
  validates :bytes, numericality: { in: 1..Settings.uploads.limit_bytes, message: "must be between 1 byte and 8 MB" }
  validate :known_type

  def self.receive(file)
    upload = new(filename: File.basename(file.original_filename.to_s.scrub)[0, 200],
      content_type: file.content_type.to_s[0, 100], bytes: file.size,
      sha256: Digest::SHA256.file(file.path).hexdigest)
    FileUtils.cp(file.path, upload.path) if upload.valid?
    upload.tap(&:save)
  end

  def path = Rails.root.join("storage/uploads/#{sha256}")

  private

  def known_type
    type = File.extname(filename).delete(".").downcase
    types = Settings.uploads.types
    errors.add(:filename, "must end in one of: #{types}") unless types.split.include?(type)
  end
end
