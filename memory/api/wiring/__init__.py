"""What every door of the API shares: writes that may be sent again, reads that are asked anew, limits."""
