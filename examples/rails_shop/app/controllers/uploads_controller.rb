# frozen_string_literal: true

class UploadsController < ApplicationController
  def index
    redirect_to new_upload_path
  end

  def show
    @upload = Upload.find_by!(sha256: params[:id])
  end

  def new
    @upload = Upload.new
  end

  def create
    file = params[:file]
    @upload = file.respond_to?(:original_filename) ? Upload.receive(file) : missing
    return redirect_to(upload_path(@upload.sha256)) if @upload.persisted?

    render :new, status: :unprocessable_entity
  end

  private

  def missing = Upload.new.tap { |upload| upload.errors.add(:base, "Choose a file first") }
end
